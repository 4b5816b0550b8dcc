# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from tap.sh and lib.sh, or scripts use them)
#
# control_lib.sh -- functions for tests of a running process. The process executes orders (tests/programs/control.c). A
# script sources this file instead of lib.sh.
#
#   start_program [THREADS]   starts the program and sets $pid; it is recorded to mprof.data
#   order LINE                sends the program the order LINE, and waits until it was executed
#   end_program               waits until the program has ended, and sets $status
. "${srcdir:-.}/tests/e2e/lib.sh"

# The program reads its orders from a pipe, which is this shell's descriptor 8.
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
# SPDX-License-Identifier: MIT
