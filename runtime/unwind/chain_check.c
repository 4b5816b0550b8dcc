/* SPDX-License-Identifier: MIT */
#include "chain_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>

#include "code_language.h"
#include "debug_frame.h"
#include "machine.h"
#include "module.h"
#include "runtime/compiler.h"
#include "runtime/record/cct_slots.h"
#include "runtime/system/options.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"
#include "unwind.h"

#define MAX_FRAMES  262144u
#define MAX_DETAILS 5u

static uint64_t n_checked, n_mismatches, n_frames, n_objects, n_deep, n_compared;

/* Memory for two chains, or NULL while a thread uses it. Mapping memory for each comparison would cost more than
 * the comparison. Threads exchange the memory without a lock. */
static uint64_t *unused_room;

static uint64_t *
take_room(void)
{
    uint64_t *room = __atomic_exchange_n(&unused_room, NULL, __ATOMIC_ACQUIRE);

    return room ? room : mp_sys_map(2 * MAX_FRAMES * sizeof *room);
}

static void
give_room(uint64_t *room)
{
    room = __atomic_exchange_n(&unused_room, room, __ATOMIC_RELEASE);
    if (room)
        mp_sys_unmap(room, 2 * MAX_FRAMES * sizeof *room);
}

/* Returns whether libunwind, which reads no .debug_frame and guesses frame pointers, finds the caller of FRAME. */
static bool
is_comparable(uint32_t frame)
{
#ifdef MP_HAVE_RULES
    const struct mp_live_frame *record = &mp_store.frames[frame];
    struct mp_eh_object object;

    return !(record->flags & MP_LIVE_FRAME_UNPROVED) &&
           !mp_debug_frame_find(record->ip - !(record->flags & MP_LIVE_FRAME_SIGNAL), &object);
#else
    (void)frame;
    return true;
#endif
}

/* Lists the recorded chain as far as libunwind knows it, innermost frame first. Sets *CUT to whether it ends early. */
static size_t
recorded_chain(uint32_t context, uint64_t *ips, bool *cut)
{
    size_t n = 0;

    *cut = false;
    for (; context && n < MAX_FRAMES && !*cut; context = mp_cct_parent(context)) {
        uint32_t frame = mp_cct_frame(context);

        *cut = frame < MP_FRAME_FIRST || !is_comparable(frame);
        if (frame >= MP_FRAME_FIRST && !mp_code_is_thread(frame))
            ips[n++] = mp_store.frames[frame].ip |
                       (mp_store.frames[frame].flags & MP_LIVE_FRAME_INTERPRETED
                            ? MP_KEY_INTERPRETED : 0);
    }
    return n;
}

/* Removes the monitor's own frames from the N addresses in KEYS. Returns the number of the others. */
static size_t
without_own(uint64_t *keys, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!mp_module_is_own(keys[i] - 1))
            keys[kept++] = keys[i];
    return kept;
}

static void
write_line(const char *line, int length)
{
    if (mp_options.check_file[0])
        mp_sys_append(mp_options.check_file, line, (size_t)length);
    else
        mp_sys_write(2, line, (size_t)length);
}

static void
detail(const uint64_t *ours, size_t n_ours, const uint64_t *theirs, size_t n_theirs)
{
    char line[256];

    write_line(line, snprintf(line, sizeof line, "mismatch: %zu frames, libunwind %zu\n", n_ours,
                              n_theirs));
    for (size_t i = 0; i < n_ours || i < n_theirs; i++) {
        uint64_t a = i < n_ours ? ours[i] : 0, b = i < n_theirs ? theirs[i] : 0;
        bool last_equal = a == b && i + 1 < n_ours &&
                          (i + 1 >= n_theirs || ours[i + 1] != theirs[i + 1]);

        if (a != b || last_equal)
            write_line(line, snprintf(line, sizeof line, "  [%zu] %#lx libunwind %#lx\n", i,
                                      (unsigned long)a, (unsigned long)b));
    }
}

/* Returns whether the chains are equal. A chain that is CUT for lack of unwind information is compared only as far
 * as it goes, because libunwind guesses the rest. */
static bool
equal(const uint64_t *ours, size_t n_ours, const uint64_t *theirs, size_t n_theirs, bool cut)
{
    if (n_theirs < n_ours || (!cut && n_theirs != n_ours))
        return false;
    for (size_t i = 0; i < n_ours; i++)
        if (ours[i] != theirs[i])
            return false;
    return true;
}

MP_COLD void
mp_check_chain(uint32_t context, const void *hook_frame)
{
    uint64_t *ours, *theirs;
    size_t n_ours, n_theirs;
    bool cut, their_cut;
    int error = errno;

    if (!mp_unwind_ready() || mp_sandbox_is_shut())
        return;
    mp_thread.internal++;
    ours = take_room();
    if (ours) {
        theirs = ours + MAX_FRAMES;
        n_ours = recorded_chain(context, ours, &cut);
        n_theirs = without_own(theirs, mp_unwind_list(hook_frame, theirs, MAX_FRAMES, &their_cut));
        __atomic_add_fetch(&n_checked, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&n_frames, n_ours, __ATOMIC_RELAXED);
        if (!their_cut && !equal(ours, n_ours, theirs, n_theirs, cut) &&
            __atomic_fetch_add(&n_mismatches, 1, __ATOMIC_RELAXED) < MAX_DETAILS)
            detail(ours, n_ours, theirs, n_theirs);
        give_room(ours);
    }
    mp_thread.internal--;
    errno = error;
}

MP_COLD void
mp_check_object(const void *block, bool alive, bool is_alive)
{
    char line[128];

    __atomic_add_fetch(&n_objects, 1, __ATOMIC_RELAXED);
    if (alive != is_alive &&
        __atomic_fetch_add(&n_mismatches, 1, __ATOMIC_RELAXED) < MAX_DETAILS)
        write_line(line, snprintf(line, sizeof line, "mismatch: object at %p is %s\n", block,
                                  is_alive ? "alive" : "dead"));
}

MP_COLD void
mp_check_deep(uint64_t frames)
{
    __atomic_add_fetch(&n_deep, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&n_compared, frames, __ATOMIC_RELAXED);
}

void
mp_check_report(void)
{
    char line[128];

    if (mp_options.check == 1)
        write_line(line, snprintf(line, sizeof line,
                                  "checked %lu mismatches %lu frames %lu objects %lu\n",
                                  (unsigned long)n_checked, (unsigned long)n_mismatches,
                                  (unsigned long)n_frames, (unsigned long)n_objects));
    else if (mp_options.check == 2)
        write_line(line, snprintf(line, sizeof line, "deep %lu compared %lu\n",
                                  (unsigned long)n_deep, (unsigned long)n_compared));
}
