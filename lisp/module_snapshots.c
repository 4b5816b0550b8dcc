/* SPDX-License-Identifier: MIT */
/*
 * module_snapshots.c -- notes the sums after each garbage collection.
 *
 * Nothing is allocated here, because a collection holds libgc's lock. When the table is full, every second snapshot
 * is dropped, and from then on only every second collection is noted.
 */
#include "lisp_module.h"

#include <time.h>

#include "runtime/heap/heap_record.h"

#define ROOM 1024u

struct snapshot {
    uint64_t time;              /* ns */
    struct mp_heap_sums sums;
};

static struct snapshot snapshots[ROOM];
static uint32_t n, collections, step;
static uint64_t began;

static uint64_t
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void
halve(void)
{
    for (uint32_t i = 1; i < ROOM; i += 2)
        snapshots[i / 2] = snapshots[i];
    n = ROOM / 2;
    step *= 2;
}

static void
note(void)
{
    if (++collections % step != 0)
        return;
    if (n == ROOM)
        halve();
    snapshots[n].time = now() - began;
    mp_module_monitor->totals(&snapshots[n].sums, false);
    n++;
}

void
mp_module_snapshots(bool on)
{
    mp_module_monitor->at_collection(NULL);
    if (!on)
        return;
    n = collections = 0;
    step = 1;
    began = now();
    mp_module_monitor->at_collection(note);
}

cl_object
mp_module_snapshot(uint32_t i)
{
    const struct snapshot *snapshot = &snapshots[i];

    if (i >= n)
        return ECL_NIL;
    return cl_list(5, ecl_make_double_float((double)snapshot->time / 1e9),
                   ecl_make_unsigned_integer(snapshot->sums.objects),
                   ecl_make_unsigned_integer(snapshot->sums.bytes),
                   ecl_make_unsigned_integer(snapshot->sums.live_objects),
                   ecl_make_unsigned_integer(snapshot->sums.live_bytes));
}
