#!/bin/sh
# Memory that does not come from malloc: summary, head and page say so if it is most of the process's private memory.
. "${srcdir:-.}/tests/e2e/lib.sh"

# holds HOW: holds 64 MB, or 32 MB in blocks. HOW says where the memory comes from (a file, small or large blocks,
# blocks that a forked child has from its parent, otherwise mmap) or how the process ends (killed, by a raw system call,
# or after it has unmapped the memory).
cat >holds.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SIZE = 64 << 20 };
static char *map(int flags, int fd)
{
    char *room = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (room == MAP_FAILED)
        abort();
    return memset(room, 1, SIZE);
}
static void blocks(size_t size)
{
    for (size_t i = 0; i < SIZE / 2 / size; i++)
        memset(malloc(size), 1, size);
}
int main(int argc, char **argv)
{
    const char *how = argv[1];
    char c, *room = NULL;
    (void)argc;
    free(malloc(100));
    if (strcmp(how, "file") == 0) {
        int fd = memfd_create("file", 0);
        if (fd < 0 || ftruncate(fd, SIZE) != 0)
            abort();
        map(MAP_SHARED, fd);
    } else if (strcmp(how, "blocks") == 0) {
        blocks(8);
    } else if (strcmp(how, "large") == 0 || strcmp(how, "fork") == 0) {
        blocks(1 << 20);
        if (strcmp(how, "fork") == 0 && fork() == 0)
            free(malloc(200)), exit(0);
        wait(NULL);
    } else {
        room = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    }
    if (write(1, "ready", 5) != 5 || (strcmp(how, "waits") == 0 && read(0, &c, 1) < 0))
        abort();
    if (strcmp(how, "freed") == 0 && (read(0, &c, 1) < 0 || munmap(room, SIZE) != 0))
        abort();
    if (strcmp(how, "killed") == 0 && read(0, &c, 1) >= 0)
        raise(SIGKILL);
    if (strcmp(how, "raw") == 0 && read(0, &c, 1) >= 0)
        syscall(SYS_exit_group, 0);
    exit(0);
}
END
gcc -O1 -w -o holds holds.c || exit 99
outside='^(mprof:   not seen: |Not seen +)the process had 6[4-9]\.[0-9] MB of private memory, most of which does not come from malloc$'

for how in 'waits 0' 'killed 137' 'raw 0' 'freed 0'; do
    observed -o "${how% *}.data" ./holds "${how% *}"
    is "${how% *}: status" "$status" "${how#* }"
    has "... the summary says so" err "$outside"
    run "$mprof" report "${how% *}.data"
    has "... and the head" out "$outside"
done
"$mprof" html -o page.html freed.data 2>err
has "... and the page" page.html 'of private memory, most of which does not come from malloc'
profile preloaded ./holds exits
run "$mprof" report preloaded
has "preloaded: at the exit" out "$outside"
"$mprof" seal preloaded
run "$mprof" report preloaded
has "... and when it is sealed" out "$outside"
for how in file blocks large fork; do
    run "$mprof" run -f -o "$how.%p" ./holds "$how"
    hasnt "$how: is recorded, or no private memory" err 'private memory'
    for file in "$how".*; do
        run "$mprof" report "$file"
        hasnt "... in $how" out 'private memory'
    done
done

# -------------------------------------------------------------------- languages with heaps of their own
cat >go.go <<'END'
package main

// #include <stdlib.h>
import "C"
import "os"

var keep [][]byte

func main() {
	for i := 0; i < 64; i++ {
		b := make([]byte, 1<<20)
		for j := range b {
			b[j] = 1
		}
		keep = append(keep, b)
	}
	C.free(C.malloc(100))
	os.Stdout.WriteString("ready")
	os.Stdin.Read(make([]byte, 1))
}
END
if need go && go_build -o holds go.go 2>go.err; then
    observed -o go.data ./holds go
    has "Go" err 'not seen: the process had [0-9.]* MB of private memory, most of which'
else
    skip "Go" "${missing:-it does not build C}"
fi
for program in ls bash awk sort git vim sqlite3 perl make; do
    if need "$program"; then
        "$mprof" run -o usual.data -- "$program" --version </dev/null >out 2>err
        hasnt "$program: says nothing" err 'private memory'
    else
        skip "$program: says nothing" "$missing"
    fi
done
plan
# SPDX-License-Identifier: MIT
