#!/bin/sh
# A forked child calls mprof.h or gets a signal before it has allocated anything: its parent's recording remains its
# parent's.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

MPROF_SIGNAL=USR2
export MPROF_SIGNAL

# heir EVENT [FILE]: tests that the parent's figures are right, whatever the child did.
heir()
{
    rm -rf event.data* other.data*
    profile event.data "$programs/process_heirs" "$@"
    mv out said
    is "$*: status" "$status" 0
    empty "$*: errors" err
    is "$*: the parent goes on" "$(tail -n 1 said)" "parent: active 1, same peak 1"
    is "$*: the parent's blocks" "$(sum parent_block event.data)" "2000 200000 1000 100000"
    is "$*: none of the child's are in its file" "$(sum child_block event.data)" "0 0 0 0"
    whole "$*" event.data
    run "$mprof" report --no-pager event.data
    is "$*: the parent's children" "$(total forked event.data)" $forked
    has "$*: how the parent ended" out '^Ended +exit status 0$'
}

# files NAME...: tests which files exist besides the parent's; PID represents the child's process id.
files()
{
    is "$event: files of the child" \
        "$(find . -name 'event.data.*' -o -name 'other.data*' | sed 's|^\./||; s|\.[0-9][0-9][0-9]*|.PID|' |
            sort | xargs)" "$*"
}

for how in '' raw_; do
    forked=1
    [ -z "$how" ] || forked=0           # a raw system call does not run the handlers of fork()
    event=${how}stop
    heir "$event"
    has "$event: it stops" said '^stopped: active 0$'
    files

    event=${how}restart
    heir "$event" other.data
    has "$event: it begins" said '^restart 0$'
    has "$event: is active" said '^restarted: active 1$'
    files other.data
    is "$event: the child's blocks" "$(sum child_block other.data)" "50 1600 0 0"

    heir "$event"
    has "$event, the file of the start: it begins" said '^restart 0$'
    files event.data.PID
    is "$event, the file of the start: the child's blocks" "$(sum child_block event.data.*)" "50 1600 0 0"

    event=${how}twice
    heir "$event"
    files event.data.PID event.data.PID.2
    is "$event: the child's blocks" "$(sum child_block event.data.*)" "51 1632 0 0"
    is "$event: those of the last" "$(sum child_block event.data.*.2)" "50 1600 0 0"

    event=${how}figures
    heir "$event"
    has "$event: it has nothing yet, and will be recorded" said '^active 1 current 0 peak 0 total 0$'

    for event in ${how}reset_peak ${how}autosave ${how}figures ${how}forks ${how}snapshot; do
        heir "$event"
        files event.data.PID
        is "$event: the child's blocks" "$(sum child_block event.data.*)" "50 1600 0 0"
    done
    event=${how}thread_ends
    heir "$event"

    event=${how}title
    heir "$event" one '' three ''
    prints "$event: the child's command is the title" "^Command +'heir: at work'\$" "$mprof" report --no-pager event.data.*
    prints "$event: the parent's has all its arguments" "^Command .*title one '' three ''\$" "$mprof" report --no-pager event.data
done
plan
# SPDX-License-Identifier: MIT
