# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from tap.sh and lib.sh, or are for the tests)
#
# control_lib.sh -- a program that runs and does what it is told, for tests that watch it or ask it for
# something.  Source it instead of lib.sh.
#
#   start_program [THREADS]   start it: $pid, its data in mprof.data
#   order LINE                see tests/programs/control.c; and wait until it was done
#   end_program               $status
. "${srcdir:-.}/tests/e2e/lib.sh"

# It takes orders from descriptor 8.
start_program()
{
    rm -f orders answers
    mkfifo orders
    : >answers
    answered=0
    LD_PRELOAD=$library MPROF_FILE=$tmp/mprof.data "$programs/control" "$@" <orders >answers 2>errors &
    pid=$!
    exec 8>orders
}

order()
{
    echo "$1" >&8
    answered=$((answered + 1))
    until_true 60 has_answered || fail "order $1: no answer"
}

has_answered()
{
    [ "$(wc -l <answers)" -ge "$answered" ]
}

end_program()
{
    echo end >&8
    exec 8>&-
    wait "$pid"
    status=$?
}
