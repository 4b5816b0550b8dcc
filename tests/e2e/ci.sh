#!/bin/sh
# The last lines of .ci/run state what was tested and what was not. A build that CI cannot make counts as failed.
# Programs made by stand_in() replace all commands that take long.
. "${srcdir:-.}/tests/e2e/tap.sh"

[ -f "$src/.ci/run" ] || skip_all "what CI says in the end" "a tarball has no .ci"

# stand_in FILE STATUS TEXT: makes the program FILE, which prints TEXT and ends with STATUS.
stand_in()
{
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\ncat <<END\n%s\nEND\nexit %s\n' "$3" "$2" >"$1"
    chmod +x "$1"
}

mkdir -p "$tmp/tree/.ci" "$tmp/roots"
cd "$tmp/tree" || exit 99
cp "$src/.ci/run" .ci/run
echo 'check-long: ;' >Makefile
stand_in bootstrap 0 ''
stand_in tests/releases/results.sh 0 '10 passed, 0 failed, 1 skipped'
stand_in tests/builds/run.sh 0 'build of this run: lto; others: make check-builds
lto: passed (lto.log)
clang: skipped: this machine cannot do it
1 passed, 0 failed, 1 skipped'
stand_in "$tmp/bin/debootstrap" 0 ''
PATH=$tmp/bin:$PATH
RELEASE_ROOTS=$tmp/roots
export PATH RELEASE_ROOTS
unset TESTS_END

stand_in tests/releases/run.sh 77 'other: cannot be done here: unshare is not allowed'
returns "a release that cannot be tested: status 0" 0 .ci/run
sed '1,/^$/d' "$tmp/out" >"$tmp/last"
has "it is said at the end" "$tmp/last" '^NOT TESTED: other: cannot be done here: unshare is not allowed$'
hasnt "and nothing else of it" "$tmp/last" '^tested: other'
has "nor is the release of this machine left out" "$tmp/last" '^tested: .*10 passed'
has "which build was made" "$tmp/last" '^build of this run: lto;'
has "and which could not be" "$tmp/last" '^clang: skipped: '
is "the last line counts all" "$(tail -n 1 "$tmp/out")" "11 passed, 0 failed, 2 skipped"

echo 'check-long: ; false' >Makefile
returns "long tests that fail: status 1" 1 .ci/run
has "they are mentioned" "$tmp/out" '^these tests: status 1$'
echo 'check-long: ;' >Makefile

stand_in tests/releases/run.sh 1 'other: 3 passed, 1 failed, 0 skipped'
returns "a release that fails: status 1" 1 .ci/run
has "it is said at the end, too" "$tmp/out" '^tested, and failed: other: 3 passed, 1 failed'

stand_in tests/releases/run.sh 0 'other: 3 passed, 0 failed, 0 skipped'
stand_in tests/builds/run.sh 1 'lto: FAILED (lto.log)
0 passed, 1 failed, 0 skipped'
returns "a build that fails: status 1" 1 .ci/run
is "and it is counted" "$(tail -n 1 "$tmp/out")" "10 passed, 1 failed, 1 skipped"

# The time for tests is over at once.
run env TESTS_END=1 "$src/tests/cpu_time.sh" false
is "a late test is skipped" "$status $(cat "$tmp/out")" "0 1..0 # SKIP the time for tests is over"
stand_in tests/builds/run.sh 0 'lto: passed (lto.log)
1 passed, 0 failed, 0 skipped'
stand_in tests/releases/results.sh 0 'skipped: ./tests/e2e/late: the time for tests is over
10 passed, 0 failed, 1 skipped'
stand_in tests/releases/run.sh 1 ''
returns "no time: status 0" 0 env TESTS_END=1 .ci/run
has "late tests are counted at the end" "$tmp/out" '^NOT TESTED: 1 test scripts, because the time for tests is over$'
has "... and a release that was not begun is named" "$tmp/out" '^NOT TESTED: [a-z]*, because the time for tests is over$'

# Other ways to build, on a machine that has only these commands and cannot install packages.
rm -rf "${tmp:?}/bin"
mkdir "$tmp/bin" mprof-1
for command in sh cat chmod cut echo id mkdir mktemp mv nproc rm tail tar tr wc xz; do
    ln -s "$(command -v $command)" "$tmp/bin/$command"
done
stand_in mprof-1/configure 0 ''
tar -cJf dist.tar.xz mprof-1
printf '#!/bin/sh\n[ "$2" != dist ] || exec cat dist.tar.xz >mprof-1.tar.xz\n' >"$tmp/bin/make"
stand_in "$tmp/bin/apt-get" 1 ''
chmod +x "$tmp/bin/make"
for turn in 0 1 2 3 4 5 6 7; do
    run env PATH="$tmp/bin" sh "$src/tests/builds/run.sh" --turn $turn
    has "turn $turn: unit tests with sanitizers" "$tmp/out" '^sanitized: passed'
    sed -n 's/^build of this run: \([a-z-]*\);.*/\1/p' "$tmp/out" >>due
    if grep -q '^build of this run: clang' "$tmp/out"; then
        has "a build that cannot be made has failed" "$tmp/out" '^clang: FAILED: this machine cannot do it$'
        is "... and so has the run" "$status $(tail -n 1 "$tmp/out")" "1 1 passed, 1 failed, 0 skipped"
    fi
done
is "each other build has its turn" "$(sort -u due | wc -l) $(grep -cx clang due)" "8 1"
returns "without --turn, it is skipped" 0 env PATH="$tmp/bin" sh "$src/tests/builds/run.sh" clang
has "... with the reason" "$tmp/out" '^clang: skipped: this machine cannot do it$'
plan
# SPDX-License-Identifier: MIT
