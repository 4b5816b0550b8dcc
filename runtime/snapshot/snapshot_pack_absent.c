/* snapshot_pack_absent.c -- used without libzstd's static library; blocks stay uncompressed. */
#include <stddef.h>

#include "snapshot_pack.h"

struct mp_pack *
mp_pack_open(void)
{
    return NULL;
}

void
mp_pack_close(struct mp_pack *pack)
{
    (void)pack;
}

uint32_t
mp_pack_block(struct mp_pack *pack, const uint8_t *content, uint32_t size, uint8_t *frame)
{
    (void)pack, (void)content, (void)size, (void)frame;
    return 0;
}
