#!/bin/sh
# HTML Tidy allocates six buffers of 2,048 bytes for each message. ../README.md tells the story.
#
#     examples/cases/tidy/run.sh
#
# MPROF is the command (default: ./mprof or the installed one). SOURCE is a directory with tidy's source (default: the
# source that apt-get has for the release RELEASE, "bookworm").
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
command -v cmake >/dev/null || refuse "there is no cmake: apt-get install cmake"

{
    echo '<html><head><title>a page</title></head><body>'
    for i in $(seq 3000); do
        echo "<p class=c$i>text $i &amp <b>bold <i>both</b></i> <img src=i$i.png><table><tr><td>$i</table>"
    done
} >"$work/page.html"
source_of tidy-html5
build='cmake -S . -B made -DBUILD_SHARED_LIB=OFF && make -s -C made tidy'
say "built with -g"
built plain "$build"
found plain "$work/plain/made/tidy" -q "$work/page.html" || true
say "with texts that have their lengths"
built fixed "$build" texts
found fixed "$work/fixed/made/tidy" -q "$work/page.html" || true
same plain fixed
# SPDX-License-Identifier: MIT
