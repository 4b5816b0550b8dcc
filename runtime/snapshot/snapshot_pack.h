/*
 * snapshot_pack.h -- blocks of a snapshot as Zstandard frames, by a libzstd that is the monitor's own (zstd.sh).
 *
 * No malloc, no lock, some 600 kB of mp_sys_map() that a block is packed with, and 1.7 kB of stack: it may be used
 * wherever snapshot_stream.h may.  A monitor that was built without libzstd's static library packs nothing.
 */
#ifndef MP_SNAPSHOT_PACK_H
#define MP_SNAPSHOT_PACK_H

#include <stdint.h>

struct mp_pack;

/* NULL: no memory, or nothing that packs.  One thread at a time. */
struct mp_pack *mp_pack_open(void);
void mp_pack_close(struct mp_pack *pack);

/* A frame of the SIZE bytes at CONTENT, without a checksum, put to FRAME, which has room for SIZE bytes: its size, less
 * than SIZE; or 0: they are not to be had in less. */
uint32_t mp_pack_block(struct mp_pack *pack, const uint8_t *content, uint32_t size, uint8_t *frame);

#endif
