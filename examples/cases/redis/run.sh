#!/bin/sh
# redis makes a string object for each argument of each command, and frees it when the command is done. ../README.md
# tells the story.
#
#     examples/cases/redis/run.sh
#
# MPROF is the command (default: ./mprof or the installed one). SOURCE is a directory with redis's source (default: the
# source that apt-get has for the release RELEASE, "bookworm").
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
command -v redis-benchmark >/dev/null || refuse "there is no redis-benchmark: apt-get install redis-tools"
socket=$work/socket

# served NAME PROGRAM: runs the server PROGRAM while clients are busy, and prints what it allocated.
served()
{
    (
        until redis-cli -s "$socket" ping; do
            sleep 0.1
        done
        redis-benchmark -q -s "$socket" -n 30000 -r 1000 -t set,get,lpush,lrange_100,zadd,mset
        redis-cli -s "$socket" shutdown nosave
    ) >"$work/$1.clients" 2>&1 &
    found "$1" "$2" --port 0 --unixsocket "$socket" --save '' --appendonly no
    wait
}

source_of redis
build='make -s MALLOC=libc'
say "built with -g"
built plain "$build"
served plain "$work/plain/src/redis-server"
say "with 64 freed string objects that are used again"
built fixed "$build" objects
served fixed "$work/fixed/src/redis-server"
# SPDX-License-Identifier: MIT
