#include "ecl.h"

#include <dlfcn.h>
#include <string.h>

struct mp_ecl mp_ecl;

/* ECL_VERSION_NUMBER is 210201 for 21.2.1, whose library is libecl.so.21.2. */
#define ECL_YEAR  (ECL_VERSION_NUMBER / 10000)
#define ECL_MONTH (ECL_VERSION_NUMBER / 100 % 100)

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct link_map *
find_library(const char *prefix)
{
    struct link_map *map = _r_debug.r_map;

    while (map && strncmp(base_name(map->l_name), prefix, strlen(prefix)) != 0)
        map = map->l_next;
    return map;
}

/* "21.2" or "21.2.1" of "libecl.so.21.2", as numbers. */
static bool
same_version(const char *path)
{
    unsigned year = 0, month = 0;
    const char *at = base_name(path) + strlen("libecl.so.");

    while (*at >= '0' && *at <= '9')
        year = year * 10 + (unsigned)(*at++ - '0');
    if (*at++ != '.')
        return false;
    while (*at >= '0' && *at <= '9')
        month = month * 10 + (unsigned)(*at++ - '0');
    return year == ECL_YEAR && month == ECL_MONTH;
}

static struct mp_range
function_in(void *library, const char *name)
{
    void *address = dlsym(library, name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return (struct mp_range){ 0, 0 };
    return (struct mp_range){ (uintptr_t)address, symbol->st_size };
}

static void *libecl;

struct mp_range
mp_ecl_function(const char *name)
{
    return function_in(libecl, name);
}

/* The segments of MAP that hold code are few and together: from the first to the end of the last. */
static struct mp_range
code_of(const struct link_map *map)
{
    struct dl_find_object found;

    if (_dl_find_object((void *)map->l_ld, &found) != 0)
        return (struct mp_range){ 0, 0 };
    return (struct mp_range){ (uintptr_t)found.dlfo_map_start,
                              (uintptr_t)found.dlfo_map_end - (uintptr_t)found.dlfo_map_start };
}

static bool
find(void *library, const char *name, void *pointer)
{
    void *symbol = dlsym(library, name);

    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool
find_functions(void *libgc)
{
    struct mp_ecl *e = &mp_ecl;

    e->cons = mp_ecl_function("ecl_cons");
    e->list1 = mp_ecl_function("ecl_list1");
    e->alloc_object = mp_ecl_function("ecl_alloc_object");
    e->alloc_compact_object = mp_ecl_function("ecl_alloc_compact_object");
    e->make_weak_pointer = mp_ecl_function("si_make_weak_pointer");
    e->interpret = mp_ecl_function("ecl_interpret");
    e->libecl_code = code_of(e->libecl);
    e->libgc_code = code_of(e->libgc);
    return e->cons.size && e->list1.size && e->alloc_object.size && e->alloc_compact_object.size &&
           e->make_weak_pointer.size && e->interpret.size &&
           find(libecl, "cl_core", &e->core) &&
           find(libecl, "ecl_process_env_unsafe", &e->process_env) &&
           find(libecl, "ecl_gethash_safe", &e->gethash) &&
           find(libecl, "ecl_object_byte_size", &e->object_size) &&
           find(libgc, "GC_size", &e->gc_size) && find(libgc, "GC_get_total_bytes", &e->gc_total) &&
           find(libgc, "GC_base", &e->gc_base) && find(libgc, "GC_is_marked", &e->gc_is_marked) &&
           find(libgc, "GC_set_on_collection_event", &e->gc_set_event) &&
           find(libgc, "GC_get_on_collection_event", &e->gc_get_event);
}

enum mp_ecl_found
mp_ecl_find(void)
{
    void *libgc;

    if (libecl)
        return MP_ECL_FOUND;
    mp_ecl.libecl = find_library("libecl.so.");
    mp_ecl.libgc = find_library("libgc.so.");
    if (!mp_ecl.libecl || !mp_ecl.libgc)
        return MP_ECL_ABSENT;
    if (!same_version(mp_ecl.libecl->l_name))
        return MP_ECL_OTHER_VERSION;
    libecl = dlopen(mp_ecl.libecl->l_name, RTLD_LAZY | RTLD_NOLOAD);
    libgc = dlopen(mp_ecl.libgc->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!libecl || !libgc || !find_functions(libgc)) {
        libecl = NULL;
        return MP_ECL_INCOMPLETE;
    }
    return MP_ECL_FOUND;
}
