/* heap_made.h -- makes a snapshot of a heap object by object, for tests of references and retained sizes. */
#ifndef MP_TEST_HEAP_MADE_H
#define MP_TEST_HEAP_MADE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/heap/heap_report.h"
#include "tests/unit/folder.h"
#include "tests/unit/heap_records.h"
#include "tests/unit/tap.h"

/* Objects have 16 bytes each and are contiguous from BASE on. */
#define BASE 0x1000u
#define ADDRESS(i) (BASE + 16 * (uint64_t)(i))

static struct mp_heap_writer *writer;
static struct mp_error error;
static uint64_t n_objects, n_references, n_roots, type;      /* type: of the next objects */
static const char *path;        /* of the last snapshot that was begun */

/* Begins a snapshot with one type, which is number 1. */
static inline void
begin_as(enum mp_heap_form form, const char *type_name, enum mp_heap_shape shape)
{
    static unsigned number;
    char name[32];

    snprintf(name, sizeof name, "%u.heap", number++);
    path = in_folder(name);
    writer = mp_heap_write_begin(AT_FDCWD, path, form, &error);
    ck_assert_ptr_nonnull(writer);
    n_objects = n_references = n_roots = 0;
    type = 1;
    put_text(writer, type_name);
    PUT(MP_HEAP_TYPE, shape, 1, 0);
}

static inline void
begin(enum mp_heap_shape shape)
{
    begin_as(MP_HEAP_RAW, "CONS", shape);
}

static inline void
root_at(enum mp_heap_root_kind kind, uint64_t place, uint64_t target)
{
    PUT(MP_HEAP_ROOT, kind, 1, 0, place, target);
    n_roots++;
}

static inline void
root(enum mp_heap_root_kind kind, uint64_t target)
{
    root_at(kind, 0, target);
}

/* Adds an object that holds N addresses, in slot SLOT and the following ones. */
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

/* Adds an object that holds HELD in slot 1, or nothing if HELD is 0. */
static inline void
object(uint64_t held, bool weak)
{
    object_of(&held, held > 0, 1, weak);
}

static inline void
finish(void)
{
    PUT(MP_HEAP_END, n_objects, n_references, n_roots, 16 * n_objects);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
}

static inline void
release_heap(void *heap)
{
    mp_heap_free(heap);
}

/* Completes the snapshot that the test has written and loads it. The result is freed when the test ends, or by
 * tap_release(). */
static inline struct mp_heap *
load(void)
{
    struct mp_heap *heap;

    finish();
    heap = mp_heap_load(path, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return tap_keep(heap, release_heap);
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
/* SPDX-License-Identifier: MIT */
