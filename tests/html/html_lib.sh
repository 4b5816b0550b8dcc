# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from lib.sh, or are for the tests)
#
# html_lib.sh -- functions for tests that open pages in Chromium. Source it after lib.sh. Skips the test if Chromium is
# not installed.
#
#   record NAME COMMAND...    records COMMAND in $tmp/NAME.data
#   record_functions          records the two programs that view_functions.py needs, perl and cycles; skips the test if
#                             perl is not installed
#   page NAME OPTION...       writes the page of $tmp/NAME.data to $tmp/NAME.html
#   browse SCRIPT ARGUMENT... runs SCRIPT of this folder, which prints the TAP; must be the last command of the test

browser=
for name in chromium chromium-browser google-chrome-stable google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
if [ -z "$browser" ]; then
    echo "1..0 # SKIP chromium is not installed"
    exit 0
fi

record()
{
    name=$1
    shift
    if ! "$mprof" run -q -o "$tmp/$name.data" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null; then
        echo "Bail out! $name cannot be profiled: $(cat "$tmp/$name.err")"
        exit 99
    fi
}

record_functions()
{
    if ! need perl; then
        echo "1..0 # SKIP $missing"
        exit 0
    fi
    # shellcheck disable=SC2016
    record perl perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; print length(join "", sort values %h), "\n"'
    record cycles "$programs/cycles"
}

page()
{
    name=$1
    shift
    if ! "$mprof" html "$@" -o "$tmp/$name.html" "$tmp/$name.data" 2>"$tmp/$name.err"; then
        echo "Bail out! no page of $name: $(cat "$tmp/$name.err")"
        exit 99
    fi
}

browse()
{
    script=$1
    shift
    PYTHONDONTWRITEBYTECODE=1 "$python" "$src/tests/html/$script" "$@"
}
# SPDX-License-Identifier: MIT
