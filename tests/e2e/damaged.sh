#!/bin/sh
# A damaged data file leads to an error that begins with "mprof:" and to status 1, never to a crash or a hang.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile live.data "$programs/cycles"
run "$mprof" run -q -o sealed.data "$programs/cycles"
is "both forms are there" "$(total allocs live.data) $(total allocs sealed.data)" "8 8"

# survives FILE: returns whether mprof report prints a report or an error, without a crash.
survives()
{
    timeout 300 "$mprof" report "$1" --no-pager >survive.out 2>survive.err
    case $? in
    0) ;;
    1) [ "$(grep -c '^mprof: ' survive.err)" = 1 ] ;;
    *) false ;;
    esac
}

refuses "no file" 1 absent.data timeout 300 "$mprof" report absent.data
refuses "a directory" 1 . timeout 300 "$mprof" report .
: >empty.data
refuses "an empty file" 1 empty.data timeout 300 "$mprof" report empty.data
echo "MPROF is a name, this is not a data file" >text.data
refuses "a text" 1 text.data timeout 300 "$mprof" report text.data
refuses "a program" 1 "$programs/cycles" timeout 300 "$mprof" report "$programs/cycles"
head -c 5000 /dev/urandom >noise.data
refuses "noise" 1 noise.data timeout 300 "$mprof" report noise.data
head -c 4 live.data >four.data
refuses "four bytes" 1 four.data timeout 300 "$mprof" report four.data
head -c 1000 live.data >header.data
refuses "half a header" 1 header.data timeout 300 "$mprof" report header.data
head -c 20 sealed.data >short.data
refuses "a sealed file of 20 bytes" 1 short.data timeout 300 "$mprof" report short.data

# A sealed file that is truncated anywhere is refused.
size=$(wc -c <sealed.data)
bad=0
for i in 1 2 3 4 5 6 7 8 9; do
    head -c $((size * i / 10)) sealed.data >cut.data
    timeout 300 "$mprof" report cut.data --no-pager >out 2>err
    [ $? -eq 1 ] && [ "$(grep -c '^mprof: ' err)" = 1 ] || bad=$((bad + 1))
done
is "truncated sealed files are refused" "$bad" 0

# A file with a wrong byte, and a live file that is cut, lead to a report or an error.
bad=0
for form in live sealed; do
    size=$(wc -c <$form.data)
    i=0
    while [ $i -lt 60 ]; do
        cp $form.data flipped.data
        # dense steps in the beginning, then positions throughout the file
        at=$((i < 30 ? i * 13 % size : (i - 30) * (size / 30)))
        printf '\377' | dd of=flipped.data bs=1 seek=$at conv=notrunc 2>/dev/null
        survives flipped.data || {
            bad=$((bad + 1))
            echo "# $form, byte $at"
        }
        i=$((i + 1))
    done
done
is "no single byte makes it crash" "$bad" 0
bad=0
size=$(wc -c <live.data)
for i in 1 2 3 4 5 6 7 8 9; do
    head -c $((size * i / 10)) live.data >cut.data
    survives cut.data || bad=$((bad + 1))
done
is "truncated live files are survived" "$bad" 0
is "a changed byte of a sealed file is noticed" "$(
    cp sealed.data flipped.data
    printf '\252\252' | dd of=flipped.data bs=1 seek=$(($(wc -c <sealed.data) / 2)) conv=notrunc 2>/dev/null
    "$mprof" report flipped.data --no-pager >/dev/null 2>&1
    echo $?)" 1
plan
# SPDX-License-Identifier: MIT
