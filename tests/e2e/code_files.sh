#!/bin/sh
# The files from which names are taken are those that ran: a file that the user names, files that are replaced, and
# files that are removed while they are mapped.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "files of code" gcc
export MPROF_CACHE=off

form()
{
    head -c 8 "$1"
}

cat >prog.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void *NAME(int n) { return malloc(n); }
int main(void) { return NAME(10) == 0; }
END
gcc -O1 -DNAME=kept -o prog prog.c
gcc -O1 -DNAME=else_made -o stranger prog.c

# -------------------------------------------------------------- a named program, in the form of 1988

profile live ./prog
cp prog renamed
mv prog away
cp live foreign
run "$mprof" ./stranger foreign
is "another program: refused" "$status" 2
has "another program: it is said" err 'foreign is a recording of [^ ]*/prog, not of \./stranger;'
is "another program: not sealed" "$(form foreign)" MPROFLIV
mkdir new
cp stranger new/prog
refuses "another build of the program: refused" 1 \
    "new/prog has build-id [0-9a-f]+\.\., not [0-9a-f]+\.\. as the recorded [^ ]*/prog, and belongs to no library$" \
    "$mprof" new/prog foreign
is "another build of the program: not sealed" "$(form foreign)" MPROFLIV
run "$mprof" ./renamed live
has "the same program by another name: its names" out ' kept'
is "the same program by another name: sealed" "$(form live)" MPROFDAT
run "$mprof" ./renamed live
is "... and of the sealed file, too" "$status" 0
run "$mprof" ./stranger live
is "another program than that of the sealed file: refused" "$status" 2
mv away prog
profile live ./prog
run "$mprof" ./prog live
is "the program at its path: sealed" "$(form live)" MPROFDAT


# ------------------------------------------------------------------- files that are removed or replaced

cat >code.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : (perror(#condition), exit(1)))

#ifdef LIBRARY
__attribute__((noinline)) void *NAME(int n) { return malloc((size_t)n * 100000); }
int call(int n) { return NAME(n) != NULL; }
#else
extern char **environ;

__attribute__((noinline)) static int
of_program(void)
{
    return malloc(200000) != NULL;
}

static void *
opened(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library)
        puts(dlerror());
    CHECK(library);
    return library;
}

static void
call(void *library)
{
    int (*function)(int) = (int (*)(int))dlsym(library, "call");

    CHECK(function(10));
}

/* Returns an unnamed file with the content of PATH. */
static int
unnamed(const char *path)
{
    int from = open(path, O_RDONLY), to = memfd_create("unnamed", 0);
    struct stat status;

    CHECK(from >= 0 && to >= 0 && fstat(from, &status) == 0);
    CHECK(sendfile(to, from, NULL, (size_t)status.st_size) == status.st_size);
    close(from);
    return to;
}

int
main(int argc, char **argv)
{
    const char *what = argv[1], *file = argc > 2 ? argv[2] : NULL;
    char path[64];
    void *library;

    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "early") == 0)             /* the program is replaced by FILE before it allocates */
        CHECK(rename(file, argv[0]) == 0);
    if (strcmp(what, "early") == 0 || strcmp(what, "late") == 0)
        CHECK(of_program());
    if (strcmp(what, "late") == 0)              /* ... afterwards */
        CHECK(rename(file, argv[0]) == 0);
    if (strcmp(what, "remove") == 0) {          /* a library is removed before it allocates */
        library = opened(file);
        CHECK(unlink(file) == 0);
        call(library);
    }
    if (strcmp(what, "versions") == 0) {        /* a library is replaced by another one, and loaded again */
        library = opened(file);
        call(library);
        dlclose(library);
        CHECK(rename(argv[3], file) == 0);
        call(opened(file));
    }
    if (strcmp(what, "memfd") == 0) {           /* a library without a name */
        snprintf(path, sizeof path, "/proc/self/fd/%d", unnamed(file));
        library = opened(path);
        close(atoi(path + 14));
        call(library);
    }
    if (strcmp(what, "fexecve") == 0) {         /* a program without a name, which gets the remaining arguments */
        fexecve(unnamed(file), argv + 2, environ);
        CHECK(!"fexecve");
    }
    if (strcmp(what, "bundle") == 0) {          /* a child uses a library in a directory that its parent removes */
        pid_t child = fork();

        if (child == 0) {
            call(opened(file));
            return 0;
        }
        CHECK(waitpid(child, NULL, 0) == child);
        CHECK(unlink(file) == 0 && rmdir("bundle") == 0);
    }
    if (strcmp(what, "mount") == 0) {           /* a library on a file system that is unmounted */
        CHECK(mount("none", "place", "tmpfs", 0, NULL) == 0);
        snprintf(path, sizeof path, "cp %s place/l.so", file);
        CHECK(system(path) == 0);
        library = opened("place/l.so");
        call(library);
        dlclose(library);
        CHECK(umount("place") == 0);
    }
    printf("next descriptor %d\n", open("/dev/null", O_RDONLY));
    if (strcmp(what, "late") == 0 || strcmp(what, "remove") == 0)
        CHECK(read(STDIN_FILENO, path, 1) == 0);        /* runs on until its input ends */
    return 0;
}
#endif
END

# The program and two versions of the library, with each kind of build-id.
for id in sha1 none; do
    mkdir $id
    gcc -O1 "-Wl,--build-id=$id" -o $id/code code.c
    gcc -O1 "-Wl,--build-id=$id" -Dof_program=newer -o $id/newer code.c
    gcc -O1 -fPIC -shared "-Wl,--build-id=$id" -DLIBRARY -DNAME=of_library -o $id/l.so code.c
    gcc -O1 -fPIC -shared "-Wl,--build-id=$id" -DLIBRARY -DNAME=of_other_library -g3 -o $id/m.so code.c
done

# build ID: makes new copies of the program and the libraries with this kind of build-id.
build()
{
    rm -f code newer l.so m.so
    cp "$1"/* .
}

# record ARGUMENT...: records ./code with ARGUMENTs to code.data, with mprof run, and writes a report to `text`.
record()
{
    rm -f code.data*
    next=$(./code nothing </dev/null | grep '^next descriptor ')
    run "$mprof" run -q -f -o code.data ./code "$@" </dev/null
    is "$id: $1: status" "$status" 0
    has "$id: $1: no descriptor remains open" out "^$next\$"
    for data in code.data*; do
        "$mprof" report --no-pager --no-lines --table=leaks "$data"
    done >text 2>&1
    hasnt "$id: $1: no file of code is missing" text '^Module'
}

for id in sha1 none; do
    build $id
    for when in early late; do
        build $id
        record $when newer
        has "$id: program replaced $when: its names" text '> main > of_program$'
        hasnt "$id: program replaced $when: no other names" text '^Module|> newer$'
        build $id
        profile live ./code $when newer
        run "$mprof" report --no-pager --no-lines --table=leaks live
        has "$id: program replaced $when, without mprof run: it is said" out '^Module .*/code: changed \('
        hasnt "$id: program replaced $when, without mprof run: no wrong names" out '> newer$'
    done
    build $id
    record remove ./l.so
    has "$id: library removed at once: its names" text '> of_library$'
    build $id
    profile live ./code remove ./l.so
    run "$mprof" report --no-pager --no-lines --table=leaks live
    has "$id: library removed at once, without mprof run: it is said" out \
        '^Module .*/l\.so: missing \(removed or replaced while the program ran\)$'
    build $id
    cp l.so kept.so
    record versions ./l.so m.so
    has "$id: library replaced: the names of the first version" text '> of_library$'
    has "$id: library replaced: the names of the second version" text '> of_other_library$'
    record memfd kept.so
    has "$id: library without a name: its names" text '> of_library$'
    cp newer late
    has "$id: library without a name: what it was called" text '(> memfd:unnamed \(deleted\)!call|> call) > of_library$'
    record fexecve ./code late late
    has "$id: program without a name: its names" text '> main > of_program$'
    mkdir bundle
    cp kept.so bundle/l.so
    record bundle bundle/l.so
    has "$id: library of a child in a removed directory: its names" text '> of_library$'
done

# The process hands over its files to mprof run without an observer, too, and from another network namespace.
for how in "--timeline=off --" "-- unshare -rn"; do
    command=${how#*-- }
    if [ "$command" != "$how" ] && ! $command true 2>err; then
        skip "$how: library removed at once" "$(cat err)"
        continue
    fi
    build none
    rm -f code.data*
    # shellcheck disable=SC2086
    run "$mprof" run -q -f -o code.data $how ./code remove ./l.so </dev/null
    is "$how: library removed at once: status" "$status" 0
    for data in code.data*; do
        "$mprof" report --no-pager --no-lines --table=leaks "$data"
    done >text 2>&1
    has "$how: library removed at once: its names" text '> of_library$'
done

# While a program runs, mprof report reads the program's file, even if that was removed or replaced, through
# /proc/PID/exe. Only root can read replaced or removed libraries, through /proc/PID/map_files.
mkfifo input
for mapped in "/proc/$$/map_files"/*; do
    break
done
for id in sha1 none; do
    for what in "late newer" "remove ./l.so"; do
        if [ "$what" != "late newer" ] && [ ! -e "$mapped" ]; then
            skip "$id, $what: names while it runs" "map_files cannot be read"
            continue
        fi
        build $id
        rm -f printed
        # shellcheck disable=SC2086
        LD_PRELOAD=$library MPROF_FILE=running ./code $what <input >printed &
        exec 3>input
        until_true 60 grep -q next printed || fail "$id, $what: it waits"
        run "$mprof" report --no-pager --no-lines --table=leaks running
        exec 3>&-
        wait $!
        hasnt "$id, $what: names while it runs" out '^Module'
        has "$id, $what: the names of what ran" out '> of_(program|library)$'
    done
done

# If mprof run kept a library's file open, the file system of the library could not be unmounted.
if unshare -rm true 2>err; then
    mkdir place
    run unshare -rm "$mprof" run -q -o code.data ./code mount kept.so
    is "a library on a file system that is unmounted: status" "$status" 0
    hasnt "a library on a file system that is unmounted: it can be" err 'umount'
else
    skip "a file system that is unmounted" "unshare: $(cat err)"
fi

plan
# SPDX-License-Identifier: MIT
