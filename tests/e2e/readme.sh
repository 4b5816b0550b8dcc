#!/bin/sh
# The example of README.md can be repeated as it is printed there.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "README's example" mawk
mkdir bin
ln -s "$mprof" bin/mprof
PATH=$tmp/bin:$PATH
sed -n '/^## An example$/,/^## /p' "$src/README.md" | sed -n 's/^    //p' >example
sed -n 's/^\$ //p' example >commands
is "there are four commands" "$(wc -l <commands | tr -d ' ')" 4
returns "they can be repeated" 0 sh -e commands
cat out err >said
for words in '^mprof: mawk: exit status 0' 'The memory in use grew from the beginning to the end' '^ 1\. Grows and never falls\.'; do
    has "README prints: $words" example "$words"
    has "... and so do they" said "$words"
done
has "the flame graph" mawk.svg '^<svg|<svg '
if [ "$(mawk -W version 2>&1 | sed -n 1p)" = "mawk 1.3.4 20200120" ] && [ "$(uname -m)" = x86_64 ]; then
    # number FIGURE FILE: prints the blocks in a line of the summary. The locale changes them by some dozens.
    number() { sed -n "s/^mprof:   $1  *\([0-9,]*\) .*/\1/p" "$2" | tr -d ,; }
    for figure in allocations peak kept; do
        printed=$(number $figure example)
        within "$figure, as README has it" "$(number $figure err)" $((printed * 99 / 100)) $((printed * 101 / 100))
    done
else
    skip "the same figures" "this is not the mawk of Debian 12"
fi
plan
# SPDX-License-Identifier: MIT
