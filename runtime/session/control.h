/*
 * control.h -- what another process asks for through the header of the live file (mprof stop,
 * start, checkpoint).  Who may write the file, whose mode is 0600, may ask.
 *
 * It costs nothing on the way of an allocation: who asks marks the recorders, each of which its
 * thread looks at in any case; and while nothing is recorded, every hook takes the slow way.
 */
#ifndef MP_CONTROL_H
#define MP_CONTROL_H

#include <stdbool.h>

#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/heap_format.h"

/* The header that is listened to, also after recording in its file has ended; NULL: none. */
extern struct mp_live_header *mp_control_header;

/* Begins a snapshot of the heap, called NAME unless that is NULL, into a file without a name, which is put into OFFER,
 * or, if that is NULL, into the next numbered file; 0 or -errno.  NULL: there is only malloc's heap (session_leaks.h).
 * Called with the lock held. */
extern int (*mp_control_heap)(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Listen to HEADER, of the present file, from now on, to no other, which is told; NULL: to none.  Lock
 * held. */
void mp_control_listen(struct mp_live_header *header);

/* Is something asked for? */
MP_INLINE bool
mp_control_wanted(void)
{
    const struct mp_live_header *header = __atomic_load_n(&mp_control_header, __ATOMIC_ACQUIRE);

    return header && __atomic_load_n(&header->control.request, __ATOMIC_ACQUIRE) != 0;
}

#endif
