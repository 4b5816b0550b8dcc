#!/bin/sh
# A program is recorded without /proc: the options in the environment apply all the same.
. "${srcdir:-.}/tests/e2e/lib.sh"

unshare -rm sh -c 'mount -t tmpfs none /proc' 2>/dev/null || skip_all "no /proc" "no other namespace: unshare -rm"

# hidden ASSIGNMENT... PROGRAM...: runs env(1) with the arguments, with an empty /proc.
hidden()
{
    run unshare -rm sh -c 'mount -t tmpfs none /proc && exec env "$@"' sh "LD_PRELOAD=$library" "$@"
}

hidden "MPROF_FILE=$tmp/named.data" "$programs/killme" 100 exit
is "the program's status" "$status" 7
empty "it says nothing" err
is "the file has its name" "$(echo *.data*)" named.data
is "all is recorded" "$(total allocs named.data)" 100
hidden "MPROF_FILE=$tmp/deep.data" MPROF_DEPTH=1 "$programs/killme" 100 exit
is "other options hold, too" "$status $("$mprof" report --json deep.data | grep -o '"depth": *1[,}]' | tr -d ' ,}')" '7 "depth":1'
plan
# SPDX-License-Identifier: MIT
