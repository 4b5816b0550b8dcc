/* SPDX-License-Identifier: MIT */
/*
 * control.h -- requests of other processes, such as mprof stop, start and checkpoint, which arrive through the
 * header of the live file. Everybody who may write the file may make requests. Its mode is 0600.
 *
 * Requests do not make allocations slower. The requesting process sets a bit in the `pending_work` of all recorders,
 * and a recording thread tests that word in any case. While nothing is recorded, each hook that allocates looks for a
 * request (hook_mode.h).
 */
#ifndef MP_CONTROL_H
#define MP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Header in which requests arrive, or NULL. It stays the same after recording in its file has ended. */
extern struct mp_live_header *mp_control_header;

/* Begins a snapshot of the language's heap. NAME is the name of the snapshot, or NULL. If OFFER is NULL, the snapshot
 * is written to the next numbered file. Otherwise it is written to a file without a name, whose descriptor is put into
 * OFFER. Returns 0 or -errno. mp_control_heap is NULL if there is only malloc's heap (session_leaks.h). Called with the
 * lock held. */
extern int (*mp_control_heap)(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Makes HEADER, which belongs to the present file, the header in which requests arrive. Writes the path of the present
 * file into the header in which they arrived before. If HEADER is NULL, no requests are accepted. Lock held, except
 * in the child of a fork, which has one thread. */
void mp_control_listen(struct mp_live_header *header);

/* Word of mp_control_header that contains the request, or a word that is always 0. */
extern MP_HIDDEN const uint32_t *mp_control_request;

/* Returns whether there is a request. */
MP_INLINE bool
mp_control_wanted(void)
{
    return !mp_is_equal(__atomic_load_n(&mp_control_request, __ATOMIC_ACQUIRE), 0);
}

#endif
