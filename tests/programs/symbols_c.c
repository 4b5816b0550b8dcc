/* symbols_c.c -- C with constructs that make names hard to find: inlined calls, static functions, aliases, cold
 * parts. */
#include <stdlib.h>

#include "symbols.h"

struct widget {                         /* 204 bytes */
    int colour;
    char name[200];
};
struct aardvark {                       /* 204 bytes; no allocating expression names it */
    char name[204];
};
typedef struct {                        /* 48 bytes; it has no name except its typedef */
    long number[6];
} gadget;
typedef struct widget widget_pair[2];   /* 408 bytes */
typedef int number48[12];               /* 48 bytes; no allocating expression names it */
typedef double trio[3];                 /* 24 bytes */
typedef long stamp;                     /* 8 bytes */
/* 1000 bytes; each of the 10 members of a union is the union before, so the last has 100,000,000 parts */
#define UNION(name, type) \
    union name { \
        type m0, m1, m2, m3, m4, m5, m6, m7, m8, m9; \
    }
UNION(parts_1, struct { char any[1000]; });
UNION(parts_2, union parts_1);
UNION(parts_3, union parts_2);
UNION(parts_4, union parts_3);
UNION(parts_5, union parts_4);
UNION(parts_6, union parts_5);
UNION(parts_7, union parts_6);
UNION(parts_8, union parts_7);

struct aardvark zoo;
widget_pair pair;
number48 numbers;
void *kept;
union parts_8 parts;

extern void init_two(void);
extern void *__make_box(void);
extern void *make_box(void) __attribute__((weak, alias("__make_box")));

static inline __attribute__((always_inline)) struct widget *
make_widget(int colour)
{
    struct widget *widget = malloc(sizeof *widget);

#line 101
    SITE(site_widget);
    widget->colour = colour;
    return widget;
}

static inline __attribute__((always_inline)) void *
make_red(void)
{
#line 201
    return make_widget(1);
}

__attribute__((noinline)) void *
make_any(void)
{
#line 301
    void *any = make_red();

    SITE(site_any);
    return any;
}

static __attribute__((noinline)) void
init(void)
{
    gadget *made = calloc(1, sizeof *made);

    SITE(site_init_one);
    kept = made;
}

__attribute__((noinline)) void
keep(void)
{
    init();
    SITE(site_keep);
    init_two();
}

__attribute__((noinline)) void *
__make_box(void)
{
    kept = malloc(8);
    SITE(site_box);
    return kept;
}

__attribute__((noinline)) trio *
make_trio(stamp by_value)
{
    trio *made = malloc(sizeof *made);

    SITE(site_trio);
    (*made)[0] = (double)by_value;
    return made;
}

__attribute__((noinline)) void *
make_stamp(void)
{
    stamp *made = malloc(sizeof *made);

    SITE(site_stamp);
    *made = 1;
    return made;
}

/* Its name makes it a wrapper. */
__attribute__((noinline)) void *
xmalloc(size_t size)
{
    kept = malloc(size);
    SITE(site_xmalloc);
    return kept;
}

/* Assembly with symbols without sizes. One has unwind information, one has not. */
__asm__(".text\n"
        ".globl bare\nbare: .cfi_startproc\nnop\n"
        ".globl site_bare\nsite_bare: nop\nret\n.cfi_endproc\n"
        ".globl loose\nloose: nop\n"
        ".globl site_loose\nsite_loose: nop\nret\n");

__attribute__((noinline)) int
check(int value)
{
    if (__builtin_expect(value == 42, 0)) {
        SITE(site_cold);
        abort();
    }
    kept = malloc((size_t)value);
    SITE(site_check);
    return value + 1;
}

int
main(int argc, char **argv)
{
    kept = make_any();
    keep();
    kept = make_box();
    kept = make_trio(1);
    kept = make_stamp();
    kept = xmalloc(1);
    (void)argv;
    return check(argc) - check(argc + 1);
}
/* SPDX-License-Identifier: MIT */
