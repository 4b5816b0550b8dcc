/* heap_made.h -- what tests of heaps share that make a snapshot object by object, load it and ask who holds what. */
#ifndef MP_TEST_HEAP_MADE_H
#define MP_TEST_HEAP_MADE_H

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/heap/heap_report.h"
#include "tests/unit/heap_records.h"

/* Snapshots are made record by record; objects take 16 bytes each, one after the other from BASE on. */
#define BASE 0x1000u
#define ADDRESS(i) (BASE + 16 * (uint64_t)(i))

static struct mp_heap_writer *writer;
static struct mp_error error;
static uint64_t n_objects, n_references, n_roots, type;      /* type: of the next objects */
static char path[] = "/tmp/test_heap.XXXXXX";

static inline void
begin(enum mp_heap_shape shape)
{
    int fd = mkstemp(strcpy(path, "/tmp/test_heap.XXXXXX"));

    ck_assert_int_ge(fd, 0);
    close(fd);
    writer = mp_heap_write_begin(AT_FDCWD, path, MP_HEAP_RAW, &error);
    ck_assert_ptr_nonnull(writer);
    n_objects = n_references = n_roots = 0;
    type = 1;
    put_text(writer, "CONS");
    PUT(MP_HEAP_TYPE, shape, 1, 0);
}

static inline void
root(enum mp_heap_root_kind kind, uint64_t target)
{
    PUT(MP_HEAP_ROOT, kind, 1, 0, 0, target);
    n_roots++;
}

static inline void
root_at(enum mp_heap_root_kind kind, uint64_t place, uint64_t target)
{
    PUT(MP_HEAP_ROOT, kind, 1, 0, place, target);
    n_roots++;
}

/* The next object, which holds N addresses, in its slot SLOT and those that follow. */
static inline void
object_of(const uint64_t *held, unsigned n, unsigned slot, bool weak)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_OBJECT);

    mp_buffer_varint(out, n_objects == 0 ? BASE : 0);
    mp_buffer_varint(out, 16);
    mp_buffer_varint(out, 2 * type);
    mp_buffer_varint(out, 0);
    mp_buffer_varint(out, n);
    for (unsigned i = 0; i < n; i++) {
        mp_buffer_varint(out, (i == 0 ? 2 * slot : 0) + weak);
        mp_buffer_signed(out, (int64_t)(held[i] - ADDRESS(n_objects)));
    }
    n_references += n;
    n_objects++;
}

/* The next one, which holds the address HELD in its slot 1, unless that is 0. */
static inline void
object(uint64_t held, bool weak)
{
    object_of(&held, held > 0, 1, weak);
}

static inline struct mp_heap *
load(void)
{
    struct mp_heap *heap;

    PUT(MP_HEAP_END, n_objects, n_references, n_roots, 16 * n_objects);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
    heap = mp_heap_load(path, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return heap;
}

static inline void
end(struct mp_heap *heap)
{
    mp_heap_free(heap);
    unlink(path);
}

static inline uint64_t
retained_by(struct mp_heap *heap, uint32_t node)
{
    struct mp_dominators dominators;
    uint32_t position;
    uint64_t bytes;

    ck_assert(mp_dominate(heap, &dominators, &error));
    position = mp_dominators_find(&dominators, node);
    bytes = position == MP_NO_ID ? 0 : mp_retained(&dominators, position);
    mp_dominators_free(&dominators);
    ck_assert_ptr_null(heap->first);
    ck_assert(mp_heap_recall_references(heap, &error));
    return bytes;
}

#endif
