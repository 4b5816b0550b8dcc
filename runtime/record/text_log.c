/* SPDX-License-Identifier: MIT */
#include "text_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "cct_slots.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/sys.h"

#define LINE_SIZE 512u

static MP_LARGE char path[MP_PATH_SIZE]; /* path of the log for this process; "" if it is too long */

void
mp_log_begin(void)
{
    MP_LOCK_HELD();
    if (mp_options.log[0] &&
        mp_options_expand(mp_options.log, (uint32_t)mp_sys_getpid(), mp_program_name(), path) != 0)
        path[0] = '\0';
}

/* Returns the path of the module of the innermost frame of CELL's chain, or "" if it has no module. Stores in
 * *ADDRESS the address of the call, as in debug information. */
static const char *
caller(uint32_t cell, uint64_t *address)
{
    const struct mp_live_frame *frame = &mp_store.frames[mp_cct_frame(mp_store.cells[cell].context)];
    const struct mp_live_module *module = &mp_store.modules[frame->module];

    *address = frame->ip - !(frame->flags & MP_LIVE_FRAME_SIGNAL);
    if (frame->module == 0 || module->path == 0)
        return "";
    *address -= module->bias;
    return mp_store.strings + module->path;
}

void
mp_log_note(const struct mp_recorder *recorder, bool freed, const void *block, size_t size, uint32_t cell)
{
    char line[LINE_SIZE];
    uint64_t address;
    const char *module;
    int length;

    if (size < mp_options.log_min || !path[0])
        return;
    module = caller(cell, &address);
    length = snprintf(line, sizeof line, "%s %zu %p current %" PRId64 " caller %.400s+0x%" PRIx64 "\n",
                      freed ? "free" : "alloc", size, block, recorder->header->live_bytes + mp_recorder_pending(),
                      module, address);
    mp_sys_append(path, line, (size_t)length);
}
