#include "snapshot_variables.h"

#include <dlfcn.h>

#define PAGE ((uintptr_t)4096)      /* the loader also uses the rest of the object's last page */

uintptr_t
mp_snapshot_variables_end(uintptr_t address)
{
    struct dl_find_object found;

    return _dl_find_object((void *)address, &found) == 0 ? ((uintptr_t)found.dlfo_map_end + PAGE - 1) & ~(PAGE - 1) : 0;
}
