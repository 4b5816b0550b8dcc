/*
 * graph.h -- snapshots of ECL's heap with all references, into files of their own (heap_format.h).
 *
 * A copy of the process finds what is alive from the roots, and writes it.  The program stops for as long as a fork
 * takes.  Nothing is allocated in its heap, and no lock of its is taken; what another thread was changing is
 * as it was at that moment.  After a collection, or in place of a copy, it is made while libgc has stopped all threads:
 * then registers are known, too, and what is dead.
 */
#ifndef MP_LISP_GRAPH_H
#define MP_LISP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_live_offer;

struct mp_lisp_graph_wish {
    uint32_t trigger;           /* enum mp_heap_trigger */
    const char *name, *file;    /* as in struct mp_heap_snapshot */
    bool collect;               /* first, and in the midst of that the copy is made */
    bool in_place;              /* no copy: collect, and write while all threads are stopped */
    bool wait;                  /* until it is written */
    bool passing;               /* as in struct mp_heap_snapshot, */
    struct mp_live_offer *offer;        /* the same */
    bool strings;               /* with beginnings of strings, even if the environment does not ask for them */
};

/* Make a snapshot; its name into PATH.  0 or -errno: -ENOTSUP: not of this ECL; -EBUSY: others are being made;
 * -ECANCELED: there was no collection, or the writer was killed; -E2BIG: there is more than there is room for. */
long mp_lisp_graph_make(const struct mp_lisp_graph_wish *wish, char *path, size_t size);

/* Make one when another process asks for it, at the signal that the environment names, and after collections, so many
 * seconds apart at least as it says. */
void mp_lisp_graph_open(void);

/* From libgc's events: it has marked, and the world is stopped. */
void mp_lisp_graph_marked(void);

#endif
