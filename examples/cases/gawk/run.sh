#!/bin/sh
# gawk, GNU's awk, copies a string each time something is appended to it, and allocates two bytes for each part that
# split() makes. ../README.md tells the story.
#
#     examples/cases/gawk/run.sh
#
# MPROF is the command (default: ./mprof or the installed one). SOURCE is a directory with gawk's source (default: the
# source that apt-get has for the release RELEASE, "bookworm").
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
append='{ s = s $2 } END { print length(s) }'
split='{ n += split($0, a, ",") } END { print n }'

seq 60000 | sed 's/$/ alpha beta/' >"$work/words"
seq 200000 | sed 's/$/,alpha,beta,gamma,1.5/' >"$work/table"
if command -v gawk >/dev/null; then
    say "this machine's gawk, $(gawk --version | sed -n 1p): s = s \$2"
    found installed gawk "$append" "$work/words"
fi
source_of gawk
build='./configure -q --disable-nls --disable-mpfr --disable-extensions && make -s -C support && make -s gawk'
say "built with -g: s = s \$2"
built plain "$build"
found plain "$work/plain/gawk" "$append" "$work/words"
say "built with -g: split()"
found split "$work/plain/gawk" "$split" "$work/table"
say "with room that doubles: s = s \$2"
built fixed "$build" append empty
found fixed "$work/fixed/gawk" "$append" "$work/words"
same plain fixed
say "with one empty string for all new elements: split()"
found split_fixed "$work/fixed/gawk" "$split" "$work/table"
same split split_fixed
# SPDX-License-Identifier: MIT
