/* SPDX-License-Identifier: MIT */
/*
 * heap_seal.h -- converts a RAW snapshot to a SEALED one, with names instead of contexts and addresses, and
 * compressed.
 */
#ifndef MP_HEAP_SEAL_H
#define MP_HEAP_SEAL_H

#include "heap.h"
#include "reporter/base/file_at.h"

/* Writes HEAP, sealed, to FILE, which must be new and empty. RECORDING is the path of the recording that has the
 * names, or NULL, see mp_heap_name(). Returns false and fills *ERROR if FILE cannot be written; then the caller
 * removes it. */
bool mp_heap_seal_into(struct mp_heap *heap, const char *recording, const struct mp_file_at *file,
                       struct mp_error *error);

/* Seals the snapshots RECORDING.NUMBER.heap and RECORDING.NUMBER.NAME.heap with numbers up to MOST in place. Must run
 * before RECORDING itself is sealed. The target of a link is sealed only if it is from this recording and belongs to
 * the owner of the link. Sealed snapshots are not changed. Errors are printed to stderr. */
void mp_heap_seal_all(const struct mp_file_at *recording, uint32_t most);

#endif
