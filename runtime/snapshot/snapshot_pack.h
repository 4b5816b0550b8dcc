/*
 * snapshot_pack.h -- compresses blocks of a snapshot into Zstandard frames, with a private copy of libzstd
 * (zstd.sh).
 *
 * It uses no malloc and no lock, some 600 kB of mp_sys_map(), and 1.7 kB of stack, so it may be used wherever
 * snapshot_stream.h may. A monitor built without libzstd's static library does not compress.
 */
#ifndef MP_SNAPSHOT_PACK_H
#define MP_SNAPSHOT_PACK_H

#include <stdint.h>

struct mp_pack;

/* Prepares to compress blocks of one snapshot. Returns NULL if there is no memory or no libzstd. Only one thread
 * at a time uses the result. */
struct mp_pack *mp_pack_open(void);
void mp_pack_close(struct mp_pack *pack);

/* Compresses SIZE bytes at CONTENT into a frame without checksum at FRAME, which has SIZE bytes. Returns the
 * frame's size, which is less than SIZE, or 0 if the content cannot be made smaller. */
uint32_t mp_pack_block(struct mp_pack *pack, const uint8_t *content, uint32_t size, uint8_t *frame);

#endif
