#!/bin/sh
# results.sh -- what a run of the test suite left: the logs of what failed, what was skipped and why,
# and as the last line "N passed, N failed, N skipped".
#
#     tests/releases/results.sh [DIRECTORY]      the build's; the current one
#
# A script that calls a function that does not exist goes on with fewer tests, so that counts as a failure, too.
# Status 1: something failed, or nothing was tested for another reason than the time (tests/cpu_time.sh).
set -u
cd "${1:-.}" || exit 1

# count RESULT...: tests with that result in all .trs files
count()
{
    n=0
    for result; do
        n=$((n + $(find . -name '*.trs' -exec cat {} + | grep -c "^:test-result: $result")))
    done
    echo $n
}

find . -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} + | sort |
    while read -r trs; do
        echo "==== ${trs%.trs}.log"
        grep -vE '^(ok [0-9]+|PASS: )' "${trs%.trs}.log" | tail -n 200
    done
find . -name '*.trs' -exec grep -lE '^:test-result: SKIP' {} + | sort | while read -r trs; do
    sed -n "s|^\(ok [0-9]* .*# SKIP.*\)|skipped: ${trs%.trs}: \1|p
            s|^1\.\.0 # SKIP|skipped: ${trs%.trs}:|p" "${trs%.trs}.log"
done

unknown=$(find . -name '*.log' -exec \
    grep -aHE '^[^ ]*tests/[^ ]*\.sh: (line )?[0-9]+: [^ ]+: (command )?not found$' {} +)
[ -z "$unknown" ] || echo "$unknown"

passed=$(count PASS XFAIL)
failed=$(($(count FAIL XPASS ERROR) + $(printf '%s' "$unknown" | grep -c .)))
echo "$passed passed, $failed failed, $(count SKIP) skipped"
[ "$failed" -eq 0 ] && { [ "$passed" -gt 0 ] ||
    [ -n "$(find . -name '*.log' -exec grep -l '^1\.\.0 # SKIP the time for tests is over$' {} +)" ]; }
# SPDX-License-Identifier: MIT
