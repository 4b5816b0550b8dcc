#!/bin/sh
# Modes of files that are written under another name and renamed. If a link replaces the new file, its target is
# unchanged.
. "${srcdir:-.}/tests/e2e/lib.sh"

after=$programs/.libs/link_after.so
"$mprof" run -q -o a.data "$programs/killme" 100 exit >/dev/null
"$mprof" run -q -o b.data "$programs/killme" 200 exit >/dev/null

mode()
{
    stat -c %a "$1"
}

# raced NAME OUTPUT COMMAND...: while COMMAND writes OUTPUT, replaces the new file by a link to a file that only its
# owner may read. Tests that the content and mode of this file are unchanged.
raced()
{
    name=$1 output=$2
    shift 2
    rm -f "$output"
    echo secret >secret
    chmod 600 secret
    run env LINK_AFTER="$tmp/secret" LD_PRELOAD="$after" "$@"
    is "$name: the link is there" "$(readlink "$output")" "$tmp/secret"
    is "$name: what it points to has its mode" "$(mode secret)" 600
    is "$name: and its content" "$(cat secret)" secret
}

raced html page.html "$mprof" html a.data -o page.html
raced flamegraph flame.svg "$mprof" flamegraph a.data -o flame.svg
raced export out.folded "$mprof" export -F collapsed -o out.folded a.data
raced merge merged.data "$mprof" merge -o merged.data a.data b.data
raced run run.data "$mprof" run -q -o run.data "$programs/killme" 100 exit

# The modes of files that no link replaces.
umask 027
"$mprof" html a.data -o new.html
is "a new file has the mode that umask leaves" "$(mode new.html)" 640
chmod 604 new.html
"$mprof" html a.data -o new.html
is "a file that is replaced keeps its mode" "$(mode new.html)" 604
ln -s new.html link.html
"$mprof" html b.data -o link.html
is "a link stays a link" "$(readlink link.html)" new.html
is "the file behind it keeps its mode" "$(mode new.html)" 604
chmod 644 a.data
"$mprof" merge -o sum.data a.data b.data 2>/dev/null
is "a data file is its owner's only" "$(mode sum.data)" 600
plan
# SPDX-License-Identifier: MIT
