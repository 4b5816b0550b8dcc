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

# Whichever process of a run is killed, each recording is in a file, which may not be sealed yet.
cat >several.sh <<'end'
"$1" 100 exit
"$1" 100 exit
echo $$
read -r line <hold
end
mkfifo hold
for victim in program run both; do
    rm -f several.data*
    "$mprof" run -q -f -o several.data sh several.sh "$programs/killme" >out 2>err &
    run=$!
    until_true 60 grep -qx '[0-9][0-9]*' out || fail "several, $victim: begins"
    program=$(grep -x '[0-9][0-9]*' out)
    case $victim in
    program) kill -9 "$program" ;;
    run) kill -9 $run ;;
    both) kill -9 $run "$program" ;;
    esac
    wait $run 2>/dev/null
    [ $victim != run ] || echo >hold
    until_true 60 eval '! grep -q "^State:.[^Z]" "/proc/$program/status" 2>/dev/null' || fail "several, $victim: ends"
    sum=0
    for file in several.data.*; do
        case $file in
        *.tmp-*) ;;             # a temporary file of an mprof run that was killed while it sealed
        *)
            n=$(books self one_block "$file" | cut -d' ' -f1)
            sum=$((sum + ${n:-0}))
            ;;
        esac
    done
    is "several, $victim is killed: the other processes" "$sum" 200
    returns "several, $victim is killed: the program" 0 "$mprof" report several.data --no-pager
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
# SPDX-License-Identifier: MIT
