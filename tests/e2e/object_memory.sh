#!/bin/sh
# Memory of the object table: at most 10 bytes for each block of less than 2,048 bytes, little for large blocks, and
# none for memory that the allocator returned to the system.
. "${srcdir:-.}/tests/e2e/lib.sh"

trim=$programs/trim

# more SIZE MEGABYTES [frees]: sets $full and $left to the kilobytes that the process needs more with mprof than
# without: $full while all blocks are live, $left after they were freed.
more()
{
    run "$trim" "$@"
    mv out bare.out
    profile trim.data "$trim" "$@"
    full=$(($(expected full out) - $(expected full bare.out)))
    left=$(($(expected trimmed out) - $(expected trimmed bare.out)))
    is "$*: exact" "$(books self block trim.data | awk '{ print ($1 > 0), $1 - $3, $2 - $4 }')" "1 0 0"
}

# 100,000 blocks of each size. The figure includes other memory of the recording, up to 1 byte for each block. (The
# allocator takes 80 bytes for a block of 63, which have two and a half slots of 4 bytes.)
for size in 16 63 64 127 204 500 1000 1025; do
    megabytes=$((size * 100000 / 1048576 + 1))
    blocks=$((megabytes * 1048576 / size))
    more $size $megabytes
    at_most "$size: bytes for each block" "$((full * 1024 / blocks))" 11
done

more 100 64
at_most "100: a sixteenth, all blocks there" "$full" 5000
at_most "100: next to nothing after malloc_trim()" "$left" 1000
more 0 64
at_most "mixed sizes: little more than a twenty-fifth, all blocks there" "$full" 3000
at_most "mixed sizes: little after malloc_trim()" "$left" 1500
more 1000 64
at_most "1000: at most a sixty-fourth, all blocks there" "$full" 1024
at_most "1000: next to nothing after malloc_trim()" "$left" 1000
more 1000 64 frees
at_most "1000: nor where free() itself gives back" "$left" 1000
more 2000 64
at_most "2000: a sixty-fourth, all blocks there" "$full" 2100
more 100000 64
at_most "100000: less than a sixty-fourth" "$full" 2100

also=libjemalloc.so.2
run env LD_PRELOAD=$also true
if [ -s err ]; then
    skip "jemalloc" "$also is not installed"
else
    run env LD_PRELOAD=$also "$trim" 1024 64
    bare=$(expected full out)
    profile trim.data "$trim" 1024 64
    at_most "jemalloc, 1024: a sixty-fourth" "$(($(expected full out) - bare))" 2100
fi
also=

# Threads allocate and free in pages of the table that are being moved, empty or not.
for moved in empty any; do
    if [ $moved = any ]; then
        library=$top/tests/faults/.libs/libmprof-faults.so
        MPROF_FAULT=trim:1
        export MPROF_FAULT
    fi
    profile trim.data "$trim" threads 3
    is "threads, $moved pages: status" "$status" 0
    is "threads, $moved pages: exact" \
        "$(books self block trim.data | awk '{ print $1, $1 - $3, $2 - $4 }')" \
        "$(expected allocs out) 0 0"
    is "threads, $moved pages: nothing is missing" "$(total foreign-frees trim.data) \
$(total unseen-frees trim.data) $(total dropped trim.data)" "0 0 0"
done
plan
# SPDX-License-Identifier: MIT
