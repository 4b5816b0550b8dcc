#!/bin/sh
# What the resident memory of a process consists of, seen while it runs: programs in which most of it is known.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >resides.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { MB = 1 << 20, N = 200000 };
void mprof_checkpoint(const char *) __attribute__((weak));
static char variables[24 * MB];
static char *map(size_t size, int flags, int fd)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}
static void blocks(size_t keep)
{
    static char *list[N];
    for (int i = 0; i < N; i++)
        memset(list[i] = malloc(200), 1, 200);
    for (int i = 0; i < N; i++)
        if (i % keep)
            free(list[i]);
}
static pthread_barrier_t barrier;
static void *deep(void *unused)
{
    char stack[6 * MB];
    free(malloc(10));
    memset(stack, 1, sizeof stack);
    __asm__ volatile("" : : "r"(stack) : "memory");
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[5];
    char c, *memory;
    int fd;
    (void)argc;
    free(malloc(1));
    switch (argv[1][0]) {
    case 'b': blocks(1); break;
    case 'f': blocks(100); break;
    case 'm':                   /* a part is never used, and another one is given back */
        memory = map(40 * MB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        munmap(memory + 20 * MB, 5 * MB);
        memset(memory + 10 * MB, 1, 10 * MB);
        memset(memory + 25 * MB, 1, 15 * MB);
        break;
    case 's': memset(map(12 * MB, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, 12 * MB); break;
    case 'c':                   /* the last checkpoint is followed by no other */
        memset(map(10 * MB, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, 10 * MB);
        mprof_checkpoint("first");
        mprof_checkpoint("second");
        memset(memory = map(20 * MB, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, 20 * MB);
        munmap(memory, 15 * MB);
        mprof_checkpoint("unmapped");
        break;
    case 'a':                   /* addresses between those that mprof chooses; V8 and PartitionAlloc choose such ones */
        for (size_t i = 1; i < 16; i++)
            memset(mmap((char *)(((size_t)1 << 44) + (i << 40) + 2 * MB), 2 * MB, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 2 * MB);
        break;
    case 'o':                   /* a file */
        fd = memfd_create("data", 0);
        if (ftruncate(fd, 30 * MB) != 0)
            abort();
        memset(map(30 * MB, MAP_SHARED, fd), 1, 30 * MB);
        break;
    case 'v': memset(variables, 1, sizeof variables); break;
    case 't':
        pthread_barrier_init(&barrier, NULL, 6);
        for (int i = 0; i < 5; i++)
            pthread_create(&threads[i], NULL, deep, NULL);
        pthread_barrier_wait(&barrier);
    }
    if (write(1, "ready", 5) != 5 || read(0, &c, 1) < 0)
        abort();
    if (argv[1][0] == 't')
        pthread_barrier_wait(&barrier);
    return 0;
}
END
# shellcheck disable=SC2086
ok "links" ${CC:-gcc} -g -O1 -w -fno-builtin -pthread -o resides resides.c

# All programs run at once, because they mostly wait. An account of the resident memory takes at most 120,000 bytes of
# reads. After 300,000 bytes the last account is complete, even if the program was ready only during the one before.
enough=300000
for how in b f m s c a o v t; do
    mkdir "$how"
    (cd "$how" && observed -o "../$how.data" ../resides "$how") &
done
wait

# parts HOW: prints the bytes of each part of the program with HOW to `parts`.
parts()
{
    "$mprof" report --json -v --table=resident "$1.data" | jq -r '.tables.resident.rows[] |
        "\(if .is == "total" then "total" else .values.part end | gsub(" "; "_")) \(.values.resident_bytes)"' |
        awk '{ sum[$1] += $2 } END { for (part in sum) print part, sum[part] }' >parts
    is "$1: the parts add up" "$(awk '$1 != "total" { sum += $2 } $1 == "total" { sum -= $2 } END { print sum + 0 }' parts)" 0
}

# part NAME LEAST MOST: tests that the part NAME has LEAST to MOST units of 2^20 bytes. The observer may have missed the
# last sixteenth.
part()
{
    within "$how: $1" "$(($(awk -v part="$1" '$1 == part { n = $2 } END { print n + 0 }' parts) >> 20))" "$2" "$3"
}

for how in b f m s a o v t; do
    parts $how
    case $how in
    b) part blocks 35 38 ;;
    f) part free_in_allocator 20 45 ;;
    m) part mapped 23 25 ;;
    s) part mapped 11 12 ;;
    a) part mapped 28 30 ;;
    o) part mapped 28 30 ;;
    v) part files 22 35 ;;
    t) part stacks 28 31 ;;
    esac
done
"$mprof" report --no-pager --table=bins m.data >out
has "the head has it in one line" out '^In memory +[0-9.]+ MB: 2[456]\.[0-9] MB mapped by resides, '
"$mprof" html -o m.html m.data
hasnt "... in one unit" out '^In memory.* k?B '
is "the page's bar has it first" "$(model m.html | jq -r '.resident[0].parts[0][0]')" "mapped by resides"

# Each checkpoint has an account of the resident memory, or is counted as missing. The last checkpoint has one.
"$mprof" report --json --table=resident c.data | jq -c '.tables.resident.rows[] | [.is, .values]' >rows
at()
{
    jq -r 'select(.[1].checkpoint == "unmapped" and '"$1"') | .[1].'"$2" rows
}
is "a checkpoint: the parts add up" "$(at '.[0] == "item"' resident_bytes | awk '{ sum += $1 } END { print sum }')" \
    "$(at '.[0] == "total"' resident_bytes)"
within "... what was mapped then" "$(($(at '.[1].part == "mapped"' resident_bytes) >> 20))" 14 15
at_least "... it was seen after it" "$(at '.[0] == "total"' checkpoint_ms)" 0
"$mprof" report --no-pager --table=resident c.data >out
has "... in the table" out '^ *[0-9]+ +\([0-9]+\) mapped .* unmapped'
missing=$(sed -n 's/.* Of 3 checkpoints, \([12]\) \(is\|are\) missing: .*/\1/p' out)
is "checkpoints with and without an account" \
    "$(($(jq -r 'select(.[0] == "total" and .[1].checkpoint != null) | .[1].checkpoint' rows | wc -l) + ${missing:-0}))" 3
"$mprof" html -o c.html c.data
is "the page has the last one, too" "$(model c.html | jq -r '.resident[-1].checkpoint')" unmapped
is "... and how many are missing" "$(model c.html | jq -r '.resident[0].missing')" "${missing:-0}"
"$mprof" findings --no-pager f.data >out
has "free: a finding says so" out 'At least [234][0-9]\.[0-9] MB of the .* are free memory inside malloc'
is "... without a chain: no empty line before the command" "$(grep -B 1 '^    mprof ' out | grep -c '^ *$')" 0
"$mprof" findings --no-pager m.data >out
has "mapped: a finding says by whom" out 'mapped by resides and does not come from malloc: 2[456]\.[0-9] MB of'
has "... with the chain" out 'main .*map'
"$mprof" findings --no-pager v.data >out
has "files: a finding says so" out 'that of mapped files and libraries, not of malloc'
for how in b s t; do
    "$mprof" findings --no-pager --all $how.data >out
    hasnt "$how: no finding about resident memory" out 'Resident memory'
done
profile preloaded ./resides b
"$mprof" report --no-pager --table=resident preloaded >out
has "nobody observed: the table says so" out 'Nobody has observed the resident memory'
plan
# SPDX-License-Identifier: MIT
