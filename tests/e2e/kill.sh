#!/bin/sh
# However a process ends, its file contains everything up to that point.
. "${srcdir:-.}/tests/e2e/lib.sh"

# ends HOW STATUS: tests that the status is the program's own, and that the numbers are those that it printed.
ends()
{
    rm -f killme.data
    profile killme.data "$programs/killme" 50001 "$1"
    is "$1: status" "$status" "$2"
    mv out printed
    for name in allocs bytes frees freed; do
        is "$1: $name" "$(books self one_block killme.data | cut -d' ' -f"$3")" \
            "$(expected $name printed)"
        set -- "$1" "$2" $(($3 + 1))
    done
    is "$1: nothing else on stderr" "$(grep -c mprof err)" 0
    returns "$1: report" 0 "$mprof" report killme.data --no-pager
    cp out "report.$1"
}

ends kill 137 1
has "kill: the head says so" report.kill '[Kk]illed|ended without'
ends term 143 1
ends segv 139 1
ends abort 134 1
ends _exit 5 1
ends quick_exit 6 1
ends exec 0 1
ends exit 7 1

# mprof run returns the same status, and leaves a sealed file.
for how in kill:137 term:143 _exit:5 exit:7; do
    returns "run, ${how%:*}: status" "${how#*:}" "$mprof" run -o run.data "$programs/killme" 3001 "${how%:*}"
    is "run, ${how%:*}: allocations" "$(books self one_block run.data | cut -d' ' -f1)" 3001
done

# The recorded status is the one that the parent would get, even if nobody waited for the process.
if need perl; then
    for number in 259 -1; do
        rm -f status.data
        LD_PRELOAD=$library MPROF_FILE=status.data perl -MPOSIX -e "POSIX::_exit($number)"
        is "_exit($number): status" "$?" $((number & 255))
        "$mprof" report --no-pager status.data >out
        has "_exit($number): the report's" out "^Ended +exit status $((number & 255))\$"
    done
else
    skip "_exit(259)" "$missing"
fi
plan
