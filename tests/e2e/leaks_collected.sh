#!/bin/sh
# mprof leaks with libgc: blocks that only garbage, free objects or weak links of the collector lead to are lost, and
# what objects in use hold is not, whether or not there was a collection.
. "${srcdir:-.}/tests/e2e/lib.sh"

# The blocks of 1,000 bytes and more are reachable, the smaller ones are lost. Arguments: "collect" collects once at the
# end, "open" loads libgc at run time.
cat >held.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define DEEP __attribute__((noinline))
static void *(*new)(size_t), *(*atomic)(size_t), *(*kept)(size_t);
static void (*release)(void *), (*collect)(void);
static void (*finalize)(void *, void (*)(void *, void *), void *, void *, void *);
static int (*link_to)(void **, const void *);
void **variable, **list, **inside, **large, **mapped, **in_block, **weak;
static int ready[2];
static void **DEEP holder(void *(*of)(size_t), size_t size, void *held)
{
    void **object = of(size);
    object[size / sizeof *object - 1] = held;
    return object;
}
static void never(void *object, void *data)
{
    free(*(void **)object);
    (void)data;
}
static void *wait_forever(void *unused)
{
    void **volatile object = holder(new, 64, malloc(1000));
    if (write(ready[1], &object, 1) != 1)
        abort();
    for (;;)
        pause();
    return unused;
}
static void DEEP reachable(void)
{
    pthread_t thread;
    char c;
    variable = holder(new, 64, malloc(1001));
    for (int i = 0; i < 2000; i++) {
        void **next = holder(new, 48, malloc(1002));
        next[0] = list;
        list = next;
    }
    inside = (void **)((uintptr_t)holder(new, 96, malloc(1003)) + 33);
    large = holder(new, 1 << 20, holder(atomic, 1 << 16, holder(new, 32, malloc(1004))));
    variable[1] = holder(atomic, 128, malloc(1005));
    mapped = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped[500] = holder(new, 80, malloc(1006));
    in_block = malloc(1007);
    in_block[9] = holder(new, 112, malloc(1008));
    holder(kept, 64, malloc(1009));
    holder(kept, 1 << 15, malloc(1010));
    for (int i = 0; i < 3; i++)
        finalize(holder(new, 144, NULL), never, malloc(1011), NULL, NULL);
    if (pipe(ready) != 0 || pthread_create(&thread, NULL, wait_forever, NULL) != 0 || read(ready[0], &c, 1) != 1)
        abort();
}
static void DEEP lost(void)
{
    static void **freed[500];
    weak = atomic(sizeof *weak);
    *weak = (void *)~(uintptr_t)holder(new, 192, malloc(901));
    link_to((void **)weak, (void *)~(uintptr_t)*weak);
    for (int i = 0; i < 2000; i++) {
        holder(new, 64, malloc(902));
        holder(new, 5000, malloc(903));
        holder(new, 48, holder(new, 48, malloc(904)));
        holder(atomic, 256, malloc(905));
    }
    for (int i = 0; i < 500; i++)
        freed[i] = holder(new, 160, malloc(906));
    for (int i = 0; i < 500; i++)
        release(freed[i]);
    memset(freed, 0, sizeof freed);
    if (!malloc(907))
        abort();
}
static void DEEP sweep(void)
{
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}
int main(int argc, char **argv)
{
    void *library = argc > 1 && strcmp(argv[1], "open") == 0 ? dlopen("libgc.so.1", RTLD_NOW) : RTLD_DEFAULT;
    void (*start)(void) = (void (*)(void))dlsym(library, "GC_init");
    new = (void *(*)(size_t))dlsym(library, "GC_malloc");
    atomic = (void *(*)(size_t))dlsym(library, "GC_malloc_atomic");
    kept = (void *(*)(size_t))dlsym(library, "GC_malloc_uncollectable");
    release = (void (*)(void *))dlsym(library, "GC_free");
    collect = (void (*)(void))dlsym(library, "GC_gcollect");
    finalize = (void (*)(void *, void (*)(void *, void *), void *, void *, void *))
        dlsym(library, "GC_register_finalizer");
    link_to = (int (*)(void **, const void *))dlsym(library, "GC_general_register_disappearing_link");
    start();
    ((void (*)(void))dlsym(library, "GC_disable"))();
    reachable();
    sweep();
    lost();
    sweep();
    if (argc > 1 && strcmp(argv[1], "collect") == 0)
        ((void (*)(void))dlsym(library, "GC_enable"))(), collect();
    sweep();
    _exit(0);
}
END
gcc -O1 -g -w -o held held.c -Wl,--no-as-needed -l:libgc.so.1 && gcc -O1 -g -w -o opens held.c || exit 99

# of_mprof FILE: prints "BYTES CLASS BLOCKS" for blocks of each size in held.c. BLOCKS is "most" for 1,991 to 2,000
# blocks, because stale words on a stack may refer to a few.
of_mprof()
{
    "$mprof" leaks --show=all --json --max=all --chain=all "$1" | "$python" -c '
import json, sys
sums = {}
found = json.load(sys.stdin)
assert not found["not_seen"]
for name in ("definite", "indirect", "possible", "reachable"):
    for chain in found[name]["chains"]:
        size = chain["bytes"] // chain["blocks"]
        if "held.c" in chain["chain"] and 900 < size < 1012:
            sums[size, name] = sums.get((size, name), 0) + chain["blocks"]
for (size, name), blocks in sorted(sums.items()):
    if size >= 1000 or name == "definite" or blocks > 5:
        print(size, name, "most" if 1990 < blocks < 2000 else blocks)' | sed 's/ 2000$/ most/'
}

{
    printf '%s definite %s\n' 901 1 902 most 903 most 904 most 905 most 906 500 907 1
    printf '%s reachable %s\n' 1000 1 1001 1 1002 most 1003 1 1004 1 1005 1 1006 1 1007 1 1008 1 1009 1 1010 1 1011 3
} >want
# A collection frees the objects that are reachable only from memory which libgc does not scan, and runs finalizers.
grep -vE '^10(04|06|08|11) ' want >collected
for how in './held none' './held collect' './opens open'; do
    # shellcheck disable=SC2086
    returns "$how: runs" 0 "$mprof" run --leaks -o gc.data $how
    of_mprof gc.data >got
    test "$how" = './held collect' && expected=collected || expected=want
    grep -Ff "$expected" got >found
    ok "... what is lost" diff "$expected" found
done

if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
    cat >lose.lisp <<'END'
(ffi:clines "#include <stdlib.h>")
(defvar *kept*)
(defun block-of (n) (ffi:c-inline (n) (:int) :pointer-void "malloc(#0)" :one-liner t))
(defun lose (n) (dotimes (i n) (block-of 201)))
(defun keep (n) (setf *kept* (loop repeat n collect (block-of 202))))
(defun deep (n) (if (zerop n) 0 (+ 1 (deep (1- n)))))
END
    "$ecl" --norc --eval '(progn (compile-file "lose.lisp") (ext:quit 0))' >log 2>&1
    for collect in '(ext:gc t)' nil; do
        returns "ECL, $collect: runs" 0 "$mprof" run --leaks -o lisp.data -- "$ecl" --norc --load lose.fas \
            --eval "(progn (keep 10000) (lose 20000) (deep 1000) $collect (ext:quit 0))"
        run "$mprof" leaks --chain=1 --show=definite,reachable lisp.data
        # A stale word that looks like a pointer may keep some garbage, with what it leads to.
        within "... blocks of garbage are lost" \
            "$(sed -n '/^definitely lost, by/,/^$/s/.* in \([0-9,]*\) blocks.*BLOCK-OF.*/\1/p' out | tr -d ,)" 10000 20000
        has "... others are not" out '^ *[2-4],[0-9,]* bytes in [12][0-9],[0-9]* blocks: BLOCK-OF'
        run "$mprof" findings lisp.data
        hasnt "... mapped memory is not one root" out 'no name|of mapped memory|objects of libgc'
    done
else
    skip "ECL" "configured --without-ecl"
fi
plan
# SPDX-License-Identifier: MIT
