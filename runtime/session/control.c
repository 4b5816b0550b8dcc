/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <string.h>

#include "runtime/store/store.h"

static const uint32_t no_request;

struct mp_live_header *mp_control_header;
const uint32_t *mp_control_request = &no_request;
int (*mp_control_heap)(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

void
mp_control_listen(struct mp_live_header *header)
{
    struct mp_live_header *before = mp_control_header;

    if (header)
        header->control.listens = 1;
    if (header && before && before->pid == header->pid) {
        strcpy(before->control.file, mp_store_path());
        before->control.followed = 1;
    }
    __atomic_store_n(&mp_control_header, header, __ATOMIC_RELEASE);
    __atomic_store_n(&mp_control_request, header ? &header->control.request : &no_request, __ATOMIC_RELEASE);
}
