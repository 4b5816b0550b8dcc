/*
 * heap_seal.h -- a RAW snapshot becomes a SEALED one: names instead of contexts and addresses, compressed.
 */
#ifndef MP_HEAP_SEAL_H
#define MP_HEAP_SEAL_H

#include "heap.h"
#include "reporter/base/file_at.h"

/* Write HEAP into FILE, which is new and empty, with names from RECORDING, a path, NULL: see mp_heap_name().  False and
 * *ERROR: it cannot be written; the caller removes FILE. */
bool mp_heap_seal_into(struct mp_heap *heap, const char *recording, const struct mp_file_at *file,
                       struct mp_error *error);

/* Seal the snapshots RECORDING.NUMBER.heap with numbers up to MOST in place, before RECORDING itself is sealed.  What a
 * link leads to is sealed only if it is of this recording, and belongs to the user who made the link.  One that is
 * sealed stays what it is.  Lines on stderr tell which cannot be. */
void mp_heap_seal_all(const struct mp_file_at *recording, uint32_t most);

#endif
