#!/bin/sh
# mprof heap: the usable sizes of blocks are those of malloc_usable_size(); they are omitted for other allocators.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >sizes.c <<'END'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *blocks[4000];
static size_t sizes[4000];
int main(void)
{
    size_t requested[4] = {0}, usable[4] = {0}, number[4] = {0};
    char text[400];
    int n = 0;

    for (size_t i = 0; i < 4000; i++) {
        sizes[i] = i % 10 == 0 ? i * 77 : i % 300;
        blocks[i] = i % 7 == 0 ? memalign(64, sizes[i]) : malloc(sizes[i]);
    }
    for (size_t i = 0; i < 4000; i += 3) {      /* chunks between others are free */
        free(blocks[i]);
        blocks[i] = NULL;
    }
    for (size_t i = 0; i < 4000; i++)
        if (blocks[i]) {
            int class = (sizes[i] > 32) + (sizes[i] > 256) + (sizes[i] > 2048);

            number[class]++;
            requested[class] += sizes[i];
            usable[class] += malloc_usable_size(blocks[i]);
        }
    for (int i = 0; i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%zu %zu %zu\n", number[i], requested[i], usable[i]);
    return write(1, text, (size_t)n) < 0;
}
END
gcc -O1 -o sizes sizes.c || exit 99
# told FILE: prints from the snapshot FILE blocks, requested and usable bytes of each size class.
told()
{
    "$mprof" heap --json "$1" | "$python" -c '
import json, sys
for table in json.load(sys.stdin)["tables"]:
    if table["name"] == "sizes":
        for row in table["rows"]:
            assert row["usable"] - row["requested"] == row["rounding"]
            print(row["blocks"], row["requested"], row["usable"])'
}
"$mprof" run --leaks -o sizes.data ./sizes >want 2>err
awk '{ print; for (i = 1; i <= 3; i++) sum[i] += $i } END { print sum[1], sum[2], sum[3] }' want >all
told sizes.data.1.heap >got
is "by size class, and all: as malloc_usable_size() says" "$(cat got)" "$(cat all)"
has "the command that shows it" err '^mprof heap sizes\.data\.1\.heap$'
"$mprof" run --leaks -o sizes.data ./sizes >want 2>err
has "... the newest, where older ones are left" err '^mprof heap sizes\.data\.2\.heap$'

other=$(ldconfig -p | awk '/lib(jemalloc|tcmalloc_minimal)\.so/ { print $NF; exit }')
if [ -n "$other" ]; then
    LD_PRELOAD=$other "$mprof" run -q --leaks -o other.data ./sizes >out 2>err
    is "of another malloc it is not told" "$("$mprof" heap --json other.data.1.heap | jq '.tables | map(.name) |
        index("roots") != null, index("sizes")')" "true
null"
else
    skip "of another malloc it is not told" "neither jemalloc nor tcmalloc is installed"
fi
cat >pool.c <<'END'
#include <stdlib.h>
#include "runtime/mprof.h"
char *volatile pool;
int main(void)
{
    pool = malloc(1000);
    mprof_record_alloc(pool, pool + 100, 50);
    exit(0);
}
END
if gcc -I"$src" -O1 -o pool pool.c 2>err; then
    "$mprof" run -q --leaks -o pool.data ./pool 2>err
    is "objects of a pool are bytes of the block that they are in" "$(told pool.data.1.heap)" "1 1000 1000
1 1000 1000"
else
    fail "pool.c: $(cat err)"
fi
plan
# SPDX-License-Identifier: MIT
