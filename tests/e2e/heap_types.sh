#!/bin/sh
# mprof heap: types of C blocks, inferred from the allocating expressions; each is known by construction.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >told.c <<'EOF'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; int key; };
struct entry { long key; char *name; double *values; };
struct packet { size_t length; char bytes[]; };
struct store { struct entry *entries; int n; struct node *root; struct entry **table; void *any; };
typedef struct { int x, y; struct node *at; } point;
struct hidden;
struct head { long kind, count; };
struct tail { struct head head; long more[2]; };
struct row { struct row *next; struct node *cells[6]; } first_row;
struct grid { struct node *cells[3][4]; } *the_grid;
struct job { long id; jmp_buf where; } *the_jobs;       /* the last member is an array of one element, by its name */
struct head *begun;
struct label { long length; char *next; } *labels[3];
struct tail *whole;
struct store *the_store, embedded;
point *the_points;
struct packet *the_packet;
int *grown;
char *text;
void *secret;
struct node **list;
struct hidden *opaque;
static __attribute__((noinline)) void *xmalloc(size_t n)
{
    void *p = malloc(n);

    if (!p) {
        fputs("no memory\n", stderr);
        abort();
    }
    return p;
}
static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        abort();
    return p;
}
static struct node *new_node(void)
{
    return xmalloc(sizeof(struct node));
}
static __attribute__((noinline)) struct label *new_label(size_t more)
{
    struct label *label = malloc(sizeof *label + more);

    label->length = more;
    return label;
}
static struct node *make(int depth)
{
    struct node *node = new_node();

    node->left = depth ? make(depth - 1) : NULL;
    node->right = depth ? make(depth - 1) : NULL;
    node->key = depth;
    return node;
}
__attribute__((noinline)) void fill_entry(struct store *s)
{
    s->entries->values = calloc(4, sizeof(double));     /* a member of what a member points to, read before */
}
static __attribute__((noinline)) void fill(struct store *s)
{
    s->entries = xcalloc(10, sizeof *s->entries);       /* a member, of an array, through a wrapper */
    fill_entry(s);
    s->table = calloc(33, sizeof *s->table);
    s->any = malloc(51);                                /* void *: nothing is told */
    s->n = 10;
    s->root = make(3);
}
__attribute__((noinline)) void fill_cell(struct row *row, long n)
{
    row->cells[n - 1] = malloc(56);                     /* as large as a row, whose first word it may seem to be */
}
void *kept;
__attribute__((noinline)) void replace(void **p)
{
    kept = *p;
    *p = NULL;
}
__attribute__((noinline)) void forget(void)
{
    void *p = malloc(64);                               /* replaced before it becomes anything */

    replace(&p);
    whole = p;
}
__attribute__((noinline)) void fill_grid(struct grid *grid)
{
    grid->cells[2][1] = calloc(1, sizeof(struct node));
}
int main(void)
{
    the_store = malloc(sizeof *the_store);
    fill(the_store);
    the_points = calloc(7, sizeof *the_points);
    the_packet = malloc(sizeof *the_packet + 1000);
    the_packet->length = 1000;
    grown = malloc(10 * sizeof *grown);
    grown = realloc(grown, 1000 * sizeof *grown);
    text = xmalloc(300);
    strcpy(text, "text");
    secret = xmalloc(123);                              /* void * all the way */
    embedded.entries = xcalloc(3, sizeof(struct entry));
    list = malloc(5 * sizeof *list);
    list[0] = list[1] = NULL;
    begun = malloc(sizeof *whole);                      /* twice as large as a head, and not two of them */
    for (int i = 0; i < 3; i++)                         /* room behind it: no array, though one is of 48 bytes */
        labels[i] = new_label(16 * i + i % 2);
    fill_cell(&first_row, 3);
    forget();
    the_grid = malloc(sizeof *the_grid);
    fill_grid(the_grid);
    the_jobs = malloc(2 * sizeof *the_jobs);
    opaque = malloc(77);                                /* a type that is nowhere whole */
    the_store->root->left->left->left->left = malloc(29);      /* of another size than struct node */
    exit(0);
}
EOF
cat >told.cc <<'EOF'
#include <cstdlib>
struct plain { long a, b, c; };
struct base { virtual ~base() {} long a; };
struct derived : base { long b, c; };
namespace inside {
struct part { long a, b, c; };
struct whole : part { long d, e, f; };
part *begun;
whole *other;
}
plain *one, *many;
base *some;
int main()
{
    one = new plain;
    many = new plain[20];
    inside::begun = new inside::whole;                  /* twice as large as its base, too */
    some = new derived;                                 /* twice as large as its base, and no array of it */
    exit(0);
}
EOF
all="1 1008 packet
1 112 point[]
1 123 123 bytes
1 16 label
1 264 entry *[]
1 29 29 bytes
1 300 char[]
1 32 32 bytes
1 32 double[]
1 33 33 bytes
1 40 node *[]
1 40 store
1 4000 int[]
1 416 job[]
1 48 48 bytes
1 51 51 bytes
1 56 56 bytes
1 64 64 bytes
1 77 hidden
1 96 grid
16 384 node
2 312 entry[]"
# types FILE: prints "objects bytes type" of all types. For a type that is only a size, the list of structures of that
# size is removed.
types()
{
    "$mprof" heap --json --max=all "$1" | jq -r '.tables[] | select(.name == "types") | .rows[] |
        "\(.objects) \(.shallow) \(.type)"' | sed 's/ bytes: .*/ bytes/' | LC_ALL=C sort
}
# record NAME COMPILER OPTION...: compiles the program NAME, and records it to NAME.data.
record()
{
    name=$1
    shift
    "$@" -o "$name" || exit 99
    "$mprof" run -q --leaks -o "$name.data" "./$name" 2>err
}

needs "types" jq
case $(uname -m) in
x86_64) ;;
*)
    skip "types" "code is followed on x86-64 only"
    plan
    exit ;;
esac
for level in 0 1 2; do
    record "o$level" gcc "-O$level" -g told.c
    is "-O$level: what a pointer becomes tells the type of its block" "$(types "o$level.data.1.heap")" "$all"
    if need clang; then
        record "clang$level" clang "-O$level" -g told.c
        is "... by clang" "$(types "clang$level.data.1.heap" | sed 's/ *: .*//')" "$all"
    else
        skip "... by clang" "$missing"
    fi
done
record dwarf4 gcc -O2 -gdwarf-4 told.c
is "DWARF 4" "$(types dwarf4.data.1.heap)" "$all"
"$mprof" heap --json --type=node --path o2.data.1.heap >path.json
is "members are called by their names" \
    "$("$mprof" heap --no-pager --type=node --path o2.data.1.heap | awk '/^A shortest way/ { inside = 1 }
        /^These objects/ { inside = 0 } inside && $1 ~ /^0x/ { print $2, $3, $4 }' | sed 's/ $//')" "40 store
24 root node"
is "--type takes what is told" "$("$mprof" heap --json --type='entry *[]' o2.data.1.heap |
    jq -r '.tables[0].rows[] | "\(.what) \(.objects) \(.bytes)"' | head -n 1)" "all 1 264"
if need objcopy; then
    record apart gcc -O2 -g told.c
    objcopy --only-keep-debug apart apart.debug
    strip apart
    objcopy --add-gnu-debuglink=apart.debug apart
    rm -f apart.data*
    "$mprof" run -q --leaks -o apart.data ./apart 2>err
    is "from a debug file" "$(types apart.data.1.heap)" "$all"
    rm -f apart.debug apart.data*
    "$mprof" run -q --leaks -o apart.data ./apart 2>err
    is "without debug information: by size" "$(types apart.data.1.heap | grep -vc '^[0-9]* [0-9]* [0-9,]* bytes$')" 0
else
    skip "from a debug file" "$missing"
    skip "without debug information: by size" "$missing"
fi
if need g++; then
    for level in 0 2; do
        record "cxx$level" g++ "-O$level" -g -std=c++17 told.cc
        types "cxx$level.data.1.heap" >got
        is "C++ -O$level" "$(grep -E ' (24|480|32) ' got | grep -vE '^1 32 (derived|32 bytes)$')" "1 24 plain
1 480 plain[]"
        is "... no array of what another structure begins with" "$(grep -c 'part\[\]' got)" 0
    done
else
    skip "C++ -O0" "$missing"
    skip "C++ -O2" "$missing"
fi
# A program of Debian: the blocks that glibc keeps for a locale, with glibc's type names.
libc=$(ldd "$top/tests/programs/contexts" | awk '$1 == "libc.so.6" { print $3 }')
id=$(readelf -n "$libc" | sed -n 's/.*Build ID: *//p')
if [ -f "/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug" ]; then
    LC_ALL=C.UTF-8 "$mprof" run -q --leaks -o date.data -- date >out 2>err
    types date.data.1.heap >got
    ok "date: the files of a locale, as glibc calls them" grep -qE '^[0-9]+ [0-9]+ loaded_l10nfile$' got
    ok "... and characters" grep -qE '^[0-9]+ [0-9]+ char\[\]$' got
    is "... are most of its blocks" "$(awk '{ all += $1 } !/bytes$/ { told += $1 } END { print (2 * told > all) }' got)" 1
else
    skip "date: the files of a locale" "libc6-dbg is not installed"
fi
plan
# SPDX-License-Identifier: MIT
