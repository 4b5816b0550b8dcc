#include "control.h"

#include <string.h>

#include "runtime/store/store.h"

struct mp_live_header *mp_control_header;
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
}
