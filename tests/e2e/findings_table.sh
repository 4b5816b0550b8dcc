#!/bin/sh
# tests/bench/findings.py prints the right row for a workload, and uses a judgement only for the finding that it is
# about. The workloads that its lists name exist.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "the table of findings" python3 dpkg-query mawk
bench=$src/tests/bench
mkdir here
cp -r "$bench/findings.py" "$bench/findings" here

# ----------------------------------------------------------------- a workload whose result is known
cat >here/findings/workloads.txt <<'END'
== fields: mawk = mawk -W version
seq 400000 | sed 's/$/ alpha beta/' >words
record mawk '{ $4 = $1 "-" $2; print }' words

== absent: no-such-package = true
record true
END
: >here/findings/changes.txt
: >here/findings/confirmed.txt
table()
{
    run python3 here/findings.py --build "$top" --out table.md "$@"
}
table --keep . fields
is "a workload: status" "$status" 0
has "the first finding" table.md '^\| fields \| 1\.[0-9.]* \| [0-9,]+ \| [0-9.]+ MB \| [0-9.]+ MB \| \*\*[A-Z][^|]*[0-9]'
has "... which nobody has judged" table.md '^\| fields .* \| not judged \|  \|$'
fingerprint=$(sed -n 's,^1/1 fields: not judged \[\(.*\)\]$,\1,p' err)
echo "fields | $fingerprint | useful | a string for each record" >here/findings/judged.txt
table --from . fields
has "a judgement of this rule and function" table.md '^\| fields .* \| useful \| a string for each record \|$'
has "... is counted" table.md '^\| useful: true and useful \| 1 \|$'
echo "fields | $fingerprint-2 | useful | a string for each record" >here/findings/judged.txt
table --from . fields
has "a judgement of another function" table.md '^\| fields .* \| not judged \|  \|$'
table
is "a package is missing: status" "$status" 1
has "... which is named" err 'not installed: no-such-package$'
echo "fields | $fingerprint | splendid | a string" >here/findings/judged.txt
table fields
has "no verdict" err '^judged\.txt: fields: splendid is no verdict$'

# ----------------------------------------------------------------- the lists
# names FILE: prints the workloads that FILE of the project is about.
names()
{
    case $1 in
    judged.txt) sed -n 's/^\([A-Za-z0-9-]*\) | .*/\1/p' "$bench/findings/$1" ;;
    confirmed.txt) sed -n 's/^\([A-Za-z0-9-]*\) [0-9].*/\1/p' "$bench/findings/$1" ;;
    *) sed -n 's/^== \([A-Za-z0-9-]*\): .*/\1/p' "$bench/findings/$1" ;;
    esac | sort -u
}
names workloads.txt >workloads
at_least "there are workloads" "$(wc -l <workloads)" 50
is "each workload is judged, and nothing else" "$(names judged.txt | diff workloads -)" ""
is "each change has a workload" "$(names changes.txt | comm -13 workloads -)" ""
is "each confirmed change exists" "$(names changes.txt >changes; names confirmed.txt | comm -13 changes -)" ""
at_least "there are confirmed changes" "$(names confirmed.txt | wc -l)" 15
plan
# SPDX-License-Identifier: MIT
