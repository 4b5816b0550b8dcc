#!/bin/sh
# mawk, Debian's awk, keeps a string for every record when a field beyond NF is assigned. ../README.md tells the
# story.
#
#     examples/cases/mawk/run.sh [RECORDS]        default 1,000,000
#
# MPROF is the command (default: ./mprof or the installed one). SOURCE is a directory with mawk's source
# (default: the source that apt-get has for the release RELEASE, "bookworm").
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
records=${1:-1000000}

# profiled NAME COMMAND: prints what COMMAND keeps, and where that was allocated.
profiled()
{
    "$mprof" run -o "$work/$1.data" "$2" '{ $4 = $1 "-" $2; print }' "$work/text" 2>"$work/$1.summary" >"$work/$1.out"
    sed '/ of data in /,$d' "$work/$1.summary"
    "$mprof" report --no-pager -terse --lines --table=leaks "$work/$1.data" | sed '1,/^$/d' | sed -n 1,2p
}

seq "$records" | sed 's/$/ alpha beta/' >"$work/text"
if command -v mawk >/dev/null; then
    say "this machine's mawk, $(mawk -W version 2>&1 | sed -n 1p)"
    profiled installed mawk
fi
source_of mawk
build='touch parse.c parse.h           # made of parse.y, which is older then
    ./configure -q && make -s mawk'
say "the same, built with -g"
built plain "$build"
profiled plain "$work/plain/mawk"
say "with three lines in its allocator, so that strings are seen and not chunks of a pool"
built pool "$build" pool
profiled pool "$work/pool/mawk"
say "with the missing line"
built fixed "$build" fix
profiled fixed "$work/fixed/mawk"
same plain fixed
# SPDX-License-Identifier: MIT
