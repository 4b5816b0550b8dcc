/*
 * heap_made SHAPE OBJECTS FILE -- writes a snapshot with OBJECTS objects, for measurements of mprof heap.
 *
 * Shapes:
 *     list      a list
 *     back      a list whose conses also refer to its head
 *     random    each object refers to two others anywhere
 *     near      each object refers to two others nearby, as objects that are allocated in sequence do
 *     wide      each object refers to four others nearby
 *     tree      a binary tree whose nodes refer to their parents
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/heap/heap_write.h"

#define BASE 0x100000u
#define SIZE 24u

static uint64_t state = 88172645463325252u;

static uint64_t
any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static struct mp_heap_writer *writer;
static uint64_t references;

static void
put_text(const char *text)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_TEXT);

    mp_buffer_varint(out, strlen(text));
    mp_buffer_bytes(out, text, strlen(text));
}

static void
put_numbers(enum mp_heap_record tag, const uint64_t *numbers, unsigned n)
{
    struct mp_buffer *out = mp_heap_record(writer, tag);

    while (n-- > 0)
        mp_buffer_varint(out, *numbers++);
}

static void
put_object(uint64_t i, uint64_t n, const uint64_t *to, unsigned n_to)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_OBJECT);
    unsigned kept = 0;

    mp_buffer_varint(out, i == 0 ? BASE : 8);
    mp_buffer_varint(out, SIZE);
    mp_buffer_varint(out, 2 * (1 + i % 4 / 3));
    mp_buffer_varint(out, 1 + i % 50);
    for (unsigned k = 0; k < n_to; k++)
        kept += to[k] < n;
    mp_buffer_varint(out, kept);
    for (unsigned k = 0; k < n_to; k++)
        if (to[k] < n) {
            mp_buffer_varint(out, 0);
            mp_buffer_signed(out, ((int64_t)to[k] - (int64_t)i) * (SIZE + 8));
        }
    references += kept;
}

static unsigned
choose(const char *shape, uint64_t i, uint64_t n, uint64_t to[static 4])
{
    if (strcmp(shape, "list") == 0 || strcmp(shape, "back") == 0) {
        to[0] = *shape == 'b' && i > 0 ? 0 : n;
        to[1] = i + 1;
        return 2;
    }
    if (strcmp(shape, "tree") == 0) {
        to[0] = 2 * i + 1;
        to[1] = 2 * i + 2;
        to[2] = i > 0 ? (i - 1) / 2 : n;
        return 3;
    }
    if (strcmp(shape, "random") == 0) {
        to[0] = any() % n;
        to[1] = any() % n;
        return 2;
    }
    for (unsigned k = 0; k < (strcmp(shape, "wide") == 0 ? 4u : 2u); k++)
        to[k] = k % 2 == 0 ? i + 1 + any() % 8 : i - any() % 1000;
    return strcmp(shape, "wide") == 0 ? 4 : 2;
}

int
main(int argc, char **argv)
{
    struct mp_error error = {0};
    uint64_t n = argc == 4 ? strtoull(argv[2], NULL, 10) : 0, to[4];

    if (n == 0)
        return 2;
    writer = mp_heap_write_begin(AT_FDCWD, argv[3], MP_HEAP_SEALED, &error);
    if (!writer)
        return 1;
    put_text("CONS");
    put_text("NODE");
    put_numbers(MP_HEAP_TYPE, (const uint64_t[]){MP_SHAPE_CONS, 1, 0}, 3);
    put_numbers(MP_HEAP_TYPE, (const uint64_t[]){MP_SHAPE_INSTANCE, 2, 0}, 3);
    for (unsigned i = 0; i < 50; i++)
        put_numbers(MP_HEAP_SITE, (const uint64_t[]){0, 1 + i % 2, 0, i}, 4);
    for (unsigned i = 0; i < 100; i++) {
        const uint64_t target = strchr("rnw", *argv[1]) ? i * n / 100 % n : 0;

        put_numbers(MP_HEAP_ROOT, (const uint64_t[]){i % 4 == 3 ? MP_ROOT_STACK : i % 4, 1 + i % 2, 0, 0,
                                                     BASE + target * (SIZE + 8)}, 5);
    }
    for (uint64_t i = 0; i < n; i++)
        put_object(i, n, to, choose(argv[1], i, n, to));
    put_numbers(MP_HEAP_END, (const uint64_t[]){n, references, 100, n * SIZE}, 4);
    return mp_heap_write_end(writer, true, NULL, &error) ? 0 : 1;
}
