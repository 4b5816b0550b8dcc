#!/bin/sh
# mawk, Debian's awk, keeps a string for every record when a field beyond NF is assigned. ../README.md tells the
# story.
#
#     examples/cases/mawk/run.sh [RECORDS]        default 1,000,000
#
# MPROF is the command (default: ./mprof or the installed one). MAWK_SOURCE is a directory with mawk's source
# (default: the source that apt-get has for the release RELEASE, "bookworm").
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
records=${1:-1000000}
release=${RELEASE:-bookworm}

# Fetches the source by apt-get with separate package lists, so that nothing on the machine changes.
fetch()
{
    command -v apt-get >/dev/null || refuse "there is no apt-get; \$MAWK_SOURCE tells where mawk's source is"
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/fetched"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" \
        >"$work/sources.list"
    set -- -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work" -o APT::Sandbox::User="$(id -un)"
    (cd "$work/fetched" && apt-get "$@" update && apt-get "$@" source mawk) >"$work/fetch.log" 2>&1 ||
        refuse "apt-get could not fetch mawk's source: $(tail -n 1 "$work/fetch.log")"
    echo "$work"/fetched/mawk-*/
}

# built NAME PATCH...: builds a mawk with these patches.
built()
{
    name=$1
    shift
    cp -a "$source" "$work/$name"
    (
        cd "$work/$name"
        for patch; do
            patch -s -p1 <"$here/$patch.patch"
        done
        touch parse.c parse.h           # made of parse.y, which is older then
        CFLAGS="-g -O2 -I$top/runtime" ./configure -q && make -s mawk
    ) >"$work/$name.log" 2>&1 || refuse "mawk could not be built: $(tail -n 1 "$work/$name.log")"
}

# profiled NAME COMMAND: prints what COMMAND keeps, and where that was allocated.
profiled()
{
    "$mprof" run -o "$work/$1.data" "$2" '{ $4 = $1 "-" $2; print }' "$work/text" 2>"$work/$1.summary" >"$work/$1.out"
    sed '/ of data in /,$d' "$work/$1.summary"
    "$mprof" report --no-pager -terse --lines --table=leaks "$work/$1.data" | sed '1,/^TABLE 2/d' |
        sed -n 2,3p
}

seq "$records" | sed 's/$/ alpha beta/' >"$work/text"
if command -v mawk >/dev/null; then
    say "this machine's mawk, $(mawk -W version 2>&1 | sed -n 1p)"
    profiled installed mawk
fi
source=${MAWK_SOURCE:-$(fetch)}
say "the same, built with -g"
built plain
profiled plain "$work/plain/mawk"
say "with three lines in its allocator, so that strings are seen and not chunks of a pool"
built pool pool
profiled pool "$work/pool/mawk"
say "with the missing line"
built fixed fix
profiled fixed "$work/fixed/mawk"
cmp "$work/plain.out" "$work/fixed.out" || refuse "the output is another one"
say "the output is the same"
