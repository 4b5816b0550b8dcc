#!/bin/sh
# The types column of table 1: which typedefs it contains, and from which files types of blocks are taken.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "types of bins" gcc

# types NAME SIZE EXPECTED: tests the types of the bin of SIZE in `data`.
types()
{
    is "$1" "$("$mprof" report -v --table=bins data | sed -n "s/^ *$2  *[0-9][0-9 ()]*//p")" "$3"
}

cat >typedefs.c <<'PROGRAM'
#include <stdint.h>
#include <stdlib.h>
typedef double trio[3];
typedef char key[40];
typedef char label[56];
typedef long stamp;
typedef void (*function)(void);
typedef struct { int numbers[10]; } forty;
enum colour { RED };
typedef enum colour paint;
typedef char *texts[9];
typedef float four __attribute__((vector_size(16)));
forty unused;
label the_label;
static trio *new_trio(void) { trio *made = malloc(sizeof *made); return made; }
static key *new_key(void) { key *made = malloc(sizeof *made); return made; }
static stamp *new_stamp(size_t size) { stamp *made = malloc(size); return made; }
static function *new_function(void) { function *made = malloc(sizeof *made); return made; }
static paint *new_paint(void) { paint *made = malloc(sizeof *made); return made; }
static texts *new_texts(void) { texts *made = malloc(sizeof *made); return made; }
static void *new_label(void) { return malloc(sizeof(label)); }
static uint16_t *new_short(void) { uint16_t *made = malloc(sizeof *made); return made; }
static void *new_bytes(four by_value) { return by_value[0] > 1 ? NULL : malloc(sizeof(four)); }
void *volatile kept;
int main(void)
{
    four zero = {0};

    kept = new_trio();
    kept = new_key();
    kept = new_stamp(sizeof(stamp));
    kept = new_function();
    kept = new_paint();
    kept = new_texts();
    kept = new_label();
    kept = new_short();
    kept = new_bytes(zero);
    return 0;
}
PROGRAM
gcc -g -o typedefs typedefs.c
profile data ./typedefs
is "typedefs: status" "$status" 0
types "an array of numbers" 24 trio
types "an array of characters, before a structure that nobody mentions" 40 "key, forty"
types "an array of pointers" 72 texts
types "an array that nobody mentions" 56 label
types "a number and a pointer, if a pointer to them is mentioned" 8 "function, stamp"
types "an enumeration" 4 paint
types "a number of the system, without the typedef behind it" 2 uint16_t
types "no vector that is only passed by value" 16 ""

# No type of the program has the size of its blocks. Types of the C library have, whose functions call main() and, in
# qsort(), compare(). mprof must not choose these types.
cat >sizes.c <<'PROGRAM'
#include <stdlib.h>
void *volatile kept;
static int compare(const void *left, const void *right)
{
    for (int size = 8; size <= 1024; size += 8)
        kept = malloc((size_t)size);
    return *(const char *)left - *(const char *)right;
}
int main(void)
{
    char letters[] = "cabd";

    for (int i = 0; i < 300; i++)
        kept = malloc(32);
    qsort(letters, 4, 1, compare);
    return 0;
}
PROGRAM
gcc -g -o sizes sizes.c
profile data ./sizes
is "sizes: status" "$status" 0
"$mprof" report -v --table=bins data >text
is "no type of the C library names the program's blocks" "$(grep -c '^ *[0-9]*  *[0-9].*[a-z]' text)" 0
at_least "all these sizes are in the table" "$(grep -c '^ *[0-9]*  *[0-9]' text)" 128

cat >base.c <<'PROGRAM'
#include <stdlib.h>
struct of_wrapper { char bytes[72]; };
void *g_malloc(size_t size) { struct of_wrapper *made = malloc(size); return made; }
PROGRAM
cat >host.c <<'PROGRAM'
#include <stdlib.h>
struct frame { char bytes[32]; };
struct item { char bytes[72]; };
struct shelf { char bytes[104]; };
void *g_malloc(size_t size);
struct frame *the_frame;
void host_run(void (*call)(void)) { struct frame frame; the_frame = &frame; call(); the_frame = NULL; }
struct item *host_item(void) { struct item *made = g_malloc(sizeof *made); return made; }
void *host_room(size_t size) { struct shelf *made = malloc(size); return made; }
PROGRAM
cat >guest.c <<'PROGRAM'
#include <stdlib.h>
struct mine { char bytes[88]; } *mine;
struct lent { char bytes[104]; } *lent;
struct bystander { char bytes[72]; } bystander;
void *g_malloc(size_t size);
void host_run(void (*call)(void));
struct item *host_item(void);
void *host_room(size_t size);
void *volatile kept;
static void call(void) { kept = malloc(32); }
static struct mine *new_mine(void) { struct mine *made = g_malloc(sizeof *made); return made; }
static struct lent *new_lent(void) { struct lent *made = host_room(sizeof *made); return made; }
static void ask(void) { kept = host_item(); }
int main(void)
{
    host_run(call);
    mine = new_mine();
    lent = new_lent();
    ask();
    return 0;
}
PROGRAM
gcc -g -shared -fPIC -o libbase.so base.c
gcc -g -shared -fPIC -o libhost.so host.c
gcc -g -o guest guest.c ./libhost.so ./libbase.so
profile data ./guest
is "libraries: status" "$status" 0
types "a library that calls the program does not name its blocks" 32 ""
types "behind a wrapper of another library: the program's type" 88 mine
types "behind a wrapper: the type of the library, then the program's" 72 "item, bystander"
types "what a library allocates for the program has types of both" 104 "shelf, lent"
plan
# SPDX-License-Identifier: MIT
