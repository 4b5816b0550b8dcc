/* SPDX-License-Identifier: MIT */
#include "name_copies.h"

#include <stddef.h>

#include "runtime/format.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

/* Maximum number of files with debug information. In further files, an inlined copy gets the name of the function
 * that contains it. */
#define MAX_FILES 4096u

static MP_LARGE struct mp_copies_file files[MAX_FILES];
static uint32_t n_files;

/* Returns the file that contains CODE, or NULL. Searches from the last file on, because recently loaded code is
 * searched most often. */
static struct mp_copies_file *
file_of(uintptr_t code)
{
    for (uint32_t i = n_files; i-- > 0;)
        if (code - files[i].start < files[i].end - files[i].start)
            return &files[i];
    return NULL;
}

void
mp_copies_add(uintptr_t start, uintptr_t end)
{
    MP_LOCK_HELD();
    if (n_files < MAX_FILES && !file_of(start))
        files[n_files++] = (struct mp_copies_file){ start, end, 0 };
}

const struct mp_copies_file *
mp_copies_meet(uintptr_t code, uint32_t module)
{
    MP_LOCK_HELD();
    struct mp_copies_file *file = file_of(code);

    if (!file || file->module)
        return NULL;
    file->module = module;
    return file;
}

bool
mp_copies_wanted(uintptr_t start)
{
    MP_LOCK_HELD();
    const struct mp_copies_file *file = file_of(start);

    return file && file->module;
}

uint32_t
mp_copies_name(uint32_t frame, uintptr_t start, uint32_t name)
{
    MP_LOCK_HELD();
    uint32_t id = frame ? frame : mp_store_take(MP_EXT_FRAMES, 1);
    struct mp_live_frame *record = &mp_store.frames[id];

    if (!id)
        return 0;
    record->ip = start;
    record->module = file_of(start)->module;
    __atomic_store_n(&record->flags, MP_LIVE_FRAME_VALID | MP_LIVE_FRAME_SIGNAL |
                                         name << MP_LIVE_FRAME_NAME_SHIFT, __ATOMIC_RELEASE);
    return id;
}

void
mp_copies_forget(uintptr_t start, uintptr_t end)
{
    MP_LOCK_HELD();
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_files; i++)
        if (files[i].start - start >= end - start)
            files[kept++] = files[i];
    n_files = kept;
}

void
mp_copies_reset(void)
{
    MP_LOCK_HELD();
    for (uint32_t i = 0; i < n_files; i++)
        files[i].module = 0;
}
