/* SPDX-License-Identifier: MIT */
#include "session_marks.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "runtime/record/former.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "session.h"

#define MAX_MARKS 16384u        /* once there are so many marks, collections and snapshots get no more marks */
#define COLLECTIONS 512u        /* maximum number of marks of collections */

/* Returns whether there is space to save the counters of all present cells, in case all of them change after a
 * checkpoint that is set now. */
static bool
can_be_followed(const struct mp_live_header *header)
{
    const uint32_t cells = mp_store_taken(MP_EXT_CELLS);

    return (header->epoch & MP_EPOCH_MARKS) < MP_EPOCH_MARKS &&
           mp_store_taken(MP_EXT_FORMER) + (uint64_t)cells <= MP_FORMER_MOST &&
           mp_store_has_room(MP_EXT_FORMER, cells);
}

/* Returns a new record that is not yet valid, or NULL if there is no space. */
static struct mp_live_mark *
new_mark(void)
{
    const uint32_t id = mp_store_take_if_room(MP_EXT_MARKS, 1);
    struct mp_live_mark *mark = &mp_store.marks[id];

    if (!id)
        return NULL;
    mark->tid = (uint32_t)mp_sys_gettid();
    mark->monotonic = mp_sys_clock(CLOCK_MONOTONIC);
    return mark;
}

static void
publish(struct mp_live_mark *mark, enum mp_mark_kind kind)
{
    __atomic_store_n(&mark->kind, (uint32_t)kind, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ checkpoints */

/* Returns the number of bytes of NAME to keep. Does not cut a UTF-8 character in two. */
static size_t
length_of(const char *name)
{
    size_t length = strnlen(name, MP_MARK_NAME);

    if (length == MP_MARK_NAME)
        while (length > MP_MARK_NAME - 4 && (name[length] & 0xc0) == 0x80)
            length--;
    return length;
}

/* Publishes the mark before the epoch is raised, so before any cell's counters are saved for it. */
bool
mp_session_checkpoint_held(const char *name)
{
    MP_LOCK_HELD();
    struct mp_live_header *header = mp_store.header;
    struct mp_live_mark *mark = can_be_followed(header) ? new_mark() : NULL;
    const size_t length = length_of(name);

    if (!mark) {
        header->checkpoints_left_out++;
        return false;
    }
    mark->name = length ? mp_store_string_if_room(name, length) : 0;
    mark->number = (uint32_t)(header->epoch & MP_EPOCH_MARKS) + 1;
    mp_recorder_reserve();
    publish(mark, MP_MARK_CHECKPOINT);
    __atomic_add_fetch(&header->epoch, 1, __ATOMIC_SEQ_CST);
    return true;
}

/* ------------------------------------------------------------------ others */

static bool
have_room(void)
{
    return mp_store_taken(MP_EXT_MARKS) < MAX_MARKS;
}

void
mp_session_snapshot_made(void)
{
    MP_LOCK_HELD();
    struct mp_live_mark *mark = have_room() ? new_mark() : NULL;

    if (mark)
        publish(mark, MP_MARK_SNAPSHOT);
}

/* Marks of collections in the present session. Guarded by the lock. */
static struct {
    uint32_t session;
    uint32_t each;              /* collections of one mark; the last mark may have fewer */
    uint32_t n, ids[COLLECTIONS];
} collections MP_LARGE;

/* Adds the collections of ONE to TO. Those of ONE ended after those of TO. */
static void
merge(struct mp_live_mark *to, const struct mp_live_mark *one)
{
    to->monotonic = one->monotonic;
    to->pause += one->pause;
    to->heap_after = one->heap_after;
    to->number += one->number;
    to->heap_size = one->heap_size > to->heap_size ? one->heap_size : to->heap_size;
    to->allocated = one->allocated;
}

/* Merges pairs of marks, so that each mark has twice as many collections. Writes the new marks, drops all old marks at
 * once, and then makes the new ones valid. A reader between these steps finds too few collections but none twice.
 * Returns false if there is no space. */
static bool
halve(struct mp_live_header *header)
{
    const uint32_t first = mp_store_take_if_room(MP_EXT_MARKS, COLLECTIONS / 2);

    if (!first)
        return false;
    for (uint32_t i = 0; i < COLLECTIONS / 2; i++) {
        struct mp_live_mark *mark = &mp_store.marks[first + i];

        mark->tid = mp_store.marks[collections.ids[2 * i]].tid;
        mark->heap_before = mp_store.marks[collections.ids[2 * i]].heap_before;
        merge(mark, &mp_store.marks[collections.ids[2 * i]]);
        merge(mark, &mp_store.marks[collections.ids[2 * i + 1]]);
        collections.ids[i] = first + i;
    }
    __atomic_store_n(&header->first_collection, first, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < COLLECTIONS / 2; i++)
        publish(&mp_store.marks[first + i], MP_MARK_COLLECTION);
    collections.n = COLLECTIONS / 2;
    collections.each *= 2;
    return true;
}

/* Returns the mark to which the next collection is added, or NULL if that needs a new mark. */
static struct mp_live_mark *
unfinished(void)
{
    struct mp_live_mark *last = &mp_store.marks[collections.ids[collections.n - 1]];

    return last->number < collections.each ? last : NULL;
}

void
mp_session_collected(const struct mp_collected *what)
{
    MP_LOCK_HELD();
    const struct mp_live_mark one = {
        .monotonic = what->ended, .number = 1, .heap_before = what->heap_before, .heap_after = what->heap_after,
        .heap_size = what->heap_size, .allocated = what->allocated,
        .pause = what->began && what->ended > what->began ? what->ended - what->began : 0 };
    struct mp_live_mark *mark;

    if (collections.session != mp_session_number()) {
        collections.session = mp_session_number();
        collections.n = 0;
        collections.each = 1;
    }
    if (collections.n > 0 && (mark = unfinished()) != NULL) {
        merge(mark, &one);
        return;
    }
    if (!have_room() || (collections.n == COLLECTIONS && !halve(mp_store.header)) || !(mark = new_mark()))
        return;
    collections.ids[collections.n++] = (uint32_t)(mark - mp_store.marks);
    mark->heap_before = one.heap_before;
    merge(mark, &one);
    publish(mark, MP_MARK_COLLECTION);
}
