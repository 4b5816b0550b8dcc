#!/bin/sh
# The next recording removes the temporary data files of killed processes, and nothing else, whatever is in a
# directory to which everybody may write.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

mkdir shared
TMPDIR=$tmp/shared
export TMPDIR

# killed: kills an ECL that records by SIGKILL; sets $orphan to its file and $dead to its process id.
killed()
{
    find shared -type f | LC_ALL=C sort >before
    "$ecl" --norc --eval "(load \"$module\")" --eval '(mprof:start-profiling)' \
        --eval '(setf *list* (make-list 1000))' --eval '(ext:system "kill -KILL $PPID")' \
        --eval '(loop (sleep 1))' </dev/null >killed.out 2>&1
    orphan=$(find shared -type f | LC_ALL=C sort | comm -13 before - | sed 's|^shared/||')
    dead=$(echo "$orphan" | sed -n 's/^mprof-\([0-9]*\)-[0-9a-f]*-......$/\1/p')
}

record()
{
    run "$ecl" --norc --eval "(load \"$module\")" --eval '(mprof:run (lambda () (make-list 10)))' \
        --eval '(ext:quit 0)'
}

killed
ok "the file of a process that was killed has its number" test -n "$dead"
ok "it stays at first" test -f "shared/$orphan"
record
is "the next one records: status" "$status" 0
is "and has removed it" "$(ls shared)" ""

# Files whose names end in six characters, as those of temporary files do, but that are none of mprof's are not removed.
killed
place=$(echo "$orphan" | sed 's/^mprof-[0-9]*-\([0-9a-f]*\)-.*/\1/')
name=shared/mprof-$dead-$place
cp "shared/$orphan" data
echo precious >precious
ln -s ../precious "$name-symbol"
ln -s ../data "$name-symdat"
cp data linked
ln linked "$name-linked"
echo "my text" >"$name-mytext"
mkdir "$name-folder"
mkfifo "$name-pipe00"
cp data "shared/mprof-$$-$place-living"
cp data "shared/mprof-$dead-00000000-places"
cp data "shared/mprof-$dead-$place-toolong"
cp data "shared/mprof-0$dead-$place-zeroes"
cp data "shared/mprof--1-$place-minus1"
cp data "shared/mprof-$dead-${place}x-suffix"
cp data shared/mprof-abcdef
: >"$name-empty0"
rm "shared/$orphan"
if chown 65534 data 2>/dev/null; then
    cp -p data "$name-others"
else
    skip "a file of another user" "only root can make one"
fi
find shared ! -name '*-empty0' | LC_ALL=C sort >expected
record
is "among files of all kinds: status" "$status" 0
find shared | LC_ALL=C sort >got
ok "only what a dead process of this user left is removed" diff expected got
is "what a symbolic link leads to is as it was" "$(cat precious)" precious
plan
# SPDX-License-Identifier: MIT
