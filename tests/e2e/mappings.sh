#!/bin/sh
# Memory that programs map themselves: a program in which each call is known, unusual calls, and real programs.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >maps.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/mprof.h"
#define MB ((size_t)1 << 20)
#define FUNCTION __attribute__((noinline))
static char *anonymous(size_t size)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}
static void need(int ok)
{
    if (!ok)
        abort();
}
FUNCTION void partial(void)
{
    need(munmap(anonymous(10 * MB) + 2 * MB, 3 * MB) == 0);
}
FUNCTION void shared(void)
{
    need(mmap(NULL, 4 * MB, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
FUNCTION void file(const char *name)
{
    int fd = open(name, O_RDONLY);
    need(mmap(NULL, 100, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
    close(fd);
}
FUNCTION void replaced(void)
{
    char *memory = anonymous(8 * MB);
    need(mmap(memory + MB, 2 * MB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory + MB);
}
FUNCTION void moved(void)
{
    char *memory = anonymous(MB);
    memory = mremap(memory, MB, 5 * MB, MREMAP_MAYMOVE);
    need(mremap(memory, 5 * MB, 3 * MB, 0) == memory);
}
FUNCTION void discarded(void)
{
    char *memory = anonymous(6 * MB);
    need(madvise(memory, 4 * MB, MADV_DONTNEED) == 0 && madvise(memory + 4 * MB, MB, MADV_FREE) == 0 &&
         madvise(memory, MB, MADV_WILLNEED) == 0);
}
FUNCTION void moved_break(void)
{
    char *old = sbrk(3 * MB);
    need(old != (void *)-1 && sbrk(-(intptr_t)MB) != (void *)-1 && brk(old + 4 * MB) == 0);
}
FUNCTION void gone(void)
{
    char *memory = anonymous(64 * MB);
    need(munmap(memory, 64 * MB) == 0);
}
FUNCTION void failing(void)
{
    char *memory = anonymous(MB);
    errno = 0;
    need(munmap(memory + 1, 1) == -1 && errno == EINVAL);
    need(mremap(memory, MB, (size_t)1 << 60, MREMAP_MAYMOVE) == MAP_FAILED && (errno == ENOMEM || errno == EINVAL || errno == EFAULT));
    need(mmap(memory, MB, PROT_READ, 0, -1, 0) == MAP_FAILED);
    errno = 77;
    anonymous(4096);
    need(errno == 77);
}
static void *own(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        char *memory = anonymous((size_t)(i % 5 + 1) * 4096);
        memory[0] = 1;
        need(munmap(memory, (size_t)(i % 5 + 1) * 4096) == 0);
    }
    anonymous(MB);
    return unused;
}
FUNCTION void in_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        need(pthread_create(&threads[i], NULL, own, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
static void handler(int signal)
{
    (void)signal;
    munmap(anonymous(MB), MB / 2);
}
FUNCTION void in_handlers(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 20; i++)
        raise(SIGUSR1);
}
FUNCTION void in_children(void)
{
    char *memory = anonymous(2 * MB);
    pid_t child = fork();
    int status;
    if (child == 0) {
        need(munmap(memory, 2 * MB) == 0);
        anonymous(7 * MB);
        free(malloc(10));
        _exit(0);
    }
    need(waitpid(child, &status, 0) == child && status == 0);
    if ((child = vfork()) == 0)
        _exit(munmap(memory, MB));
    need(waitpid(child, &status, 0) == child && status == 0);
}
FUNCTION void many(void)
{
    char *memory = anonymous(3000 * 2 * 4096);
    for (size_t i = 0; i < 3000; i++)
        need(munmap(memory + 2 * 4096 * i, 4096) == 0);
}
FUNCTION void stopped(void)
{
    char *memory = anonymous(MB);
    MPROF(mprof_stop());
    munmap(memory, MB);
    anonymous(MB);
    if (mprof_restart)
        mprof_restart("second.data");
    anonymous(9 * MB);
}
int main(int argc, char **argv)
{
    (void)argc;
    switch (argv[1][0]) {
    case 'p': partial(); break;
    case 's': shared(); break;
    case 'f': file(argv[0]); break;
    case 'r': replaced(); break;
    case 'm': moved(); break;
    case 'd': discarded(); break;
    case 'b': moved_break(); break;
    case 'g': gone(); break;
    case 'e': failing(); break;
    case 't': in_threads(); break;
    case 'h': in_handlers(); break;
    case 'c': in_children(); break;
    case 'n': many(); break;
    case 'o': stopped(); break;
    }
    free(malloc(100));
    return 0;
}
END
# shellcheck disable=SC2086
ok "links" ${CC:-gcc} -g -O1 -w -fno-builtin -pthread -I"$src" -o maps maps.c

# rows FILE: prints kind, calls, bytes, bytes at the peak, bytes mapped at the end and bytes discarded of each function.
rows()
{
    "$mprof" report --json -v --table=mappings --chain=all "$1" | jq -r '.tables.mappings.rows[].values |
        "\(.chain.frames | map(.name // .function) | map(select(. != "anonymous" and . != "need")) | last) " +
        "\(.kind) \(.calls) \(.bytes) \(.peak_bytes) \(.mapped_bytes) \(.discarded_bytes // 0)"' | LC_ALL=C sort
}

# mapped HOW EXPECTED: records the program with HOW, live and sealed.
mapped()
{
    rm -f m.data m.data.*
    profile m.data ./maps "$1"
    is "$1: status" "$status" 0
    is "$1: rows" "$(rows m.data)" "$2"
    is "$1: malloc's blocks are not mixed with it" "$(total allocs m.data) $(total bytes m.data)" "1 100"
    "$mprof" seal m.data
    is "$1: sealed" "$(rows m.data)" "$2"
}

mb=1048576
# columns: function kind calls bytes peak mapped discarded
mapped p "partial private 1 $((10 * mb)) $((10 * mb)) $((7 * mb)) 0"
mapped s "shared shared 1 $((4 * mb)) $((4 * mb)) $((4 * mb)) 0"
mapped f "file file 1 4096 4096 4096 0"
mapped r "replaced private 1 $((2 * mb)) 0 $((2 * mb)) 0
replaced private 1 $((8 * mb)) $((8 * mb)) $((6 * mb)) 0"
mapped m "moved private 1 $mb 0 0 0
moved private 2 $((8 * mb)) $((5 * mb)) $((3 * mb)) 0"
mapped d "discarded private 1 $((6 * mb)) $((6 * mb)) $((6 * mb)) $((5 * mb))"
mapped b "moved_break break 2 $((5 * mb)) $((4 * mb)) $((4 * mb)) 0"
mapped g "gone private 1 $((64 * mb)) $((64 * mb)) 0 0"
mapped e "failing private 2 $((mb + 4096)) $((mb + 4096)) $((mb + 4096)) 0"
mapped n "many private 1 $((6000 * 4096)) $((6000 * 4096)) $((3000 * 4096)) 0"
mapped h "handler private 20 $((20 * mb)) $((10 * mb + mb / 2)) $((10 * mb)) 0"
rm -f m.data*
profile m.data ./maps t
is "threads: all calls" "$(rows m.data | awk '{ c += $3; left += $6 } END { print c, left }')" "8004 $((4 * mb))"
rm -f m.data*
profile m.data ./maps c
is "children: the parent's, with what a vfork child unmapped" "$(rows m.data)" \
    "in_children private 1 $((2 * mb)) $((2 * mb)) $mb 0"
is "children: the child's own" "$(rows m.data.*)" "in_children private 1 $((7 * mb)) $((7 * mb)) $((7 * mb)) 0"
profile m.data ./maps o
is "stopped: before it" "$(rows m.data)" "stopped private 1 $mb $mb $mb 0"
is "stopped: recorded again" "$(rows second.data)" "stopped private 1 $((9 * mb)) $((9 * mb)) $((9 * mb)) 0"
MPROF_SAMPLE=65536 profile sampled.data ./maps p
is "sampled: mapped memory is exact" "$(rows sampled.data)" "partial private 1 $((10 * mb)) $((10 * mb)) $((7 * mb)) 0"
"$mprof" report --no-pager --table=mappings --from=peak sampled.data >out 2>&1
has "a part of the time: the table says why it is empty" out 'known for the whole recording only'
"$mprof" merge -q -o merged.data m.data second.data 2>/dev/null || "$mprof" merge -o merged.data m.data second.data >out
"$mprof" report --no-pager --table=mappings merged.data >out
has "several processes: the table says why it is empty" out 'not added up for several processes'

# ----------------------------------------------------------------- allocators map memory, too, but not for the program
for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    also=$(find /usr/lib -name "$name*" | head -n 1)
    if [ -z "$also" ]; then
        skip "$name: its own mappings are not the program's" "it is not installed"
        continue
    fi
    rm -f a.data
    profile a.data ./maps p
    is "$name: its own mappings are not the program's" "$(rows a.data)" \
        "partial private 1 $((10 * mb)) $((10 * mb)) $((7 * mb)) 0"
done
also=

# ----------------------------------------------------------------- real programs: who maps their arenas
# owner NAME PATTERN COMMAND...: tests that the chain with most mapped bytes in COMMAND matches PATTERN.
owner()
{
    name=$1 pattern=$2
    shift 2
    if ! command -v "$1" >/dev/null; then
        skip "$name: owner" "$1 is not installed"
        return
    fi
    rm -f o.data
    "$mprof" run -q -o o.data "$@" >/dev/null 2>&1
    "$mprof" report --json -v --table=mappings --chain=all o.data | jq -r '.tables.mappings.rows[0].values.chain |
        [.frames[] | .module, .name] | join(" ")' >chain
    has "$name: owner" chain "$pattern"
}
owner python3 python3 /usr/bin/python3 -c 'x = [str(i) for i in range(200000)]'
# shellcheck disable=SC2016
owner php php php -r '$a = []; for ($i = 0; $i < 200000; $i++) $a[] = str_repeat("x", $i % 50);'
owner ecl libgc ecl --norc --eval '(progn (make-list 100000) (ext:quit))'
plan
# SPDX-License-Identifier: MIT
