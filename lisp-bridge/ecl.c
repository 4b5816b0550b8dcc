#include "ecl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
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

/* ------------------------------------------------------------------ exported functions */

static uintptr_t *exported;             /* ascending */
static size_t n_exported;

/* One more than the index of the last symbol that a GNU hash table has. */
static uint32_t
count_symbols(const uint32_t *hash)
{
    uint32_t n_buckets = hash[0], first = hash[1], bloom_words = hash[2], last = 0;
    const uint32_t *buckets = hash + 4 + bloom_words * (sizeof(uintptr_t) / sizeof(uint32_t));
    const uint32_t *chains = buckets + n_buckets;

    for (uint32_t i = 0; i < n_buckets; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first)
        return first;
    while (!(chains[last - first] & 1))
        last++;
    return last + 1;
}

static int
by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

static void
list_exported(const struct link_map *map)
{
    const ElfW(Sym) *symbols = NULL;
    const uint32_t *hash = NULL;
    uint32_t n;

    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_GNU_HASH)
            hash = (const void *)d->d_un.d_ptr;
    }
    n = symbols && hash ? count_symbols(hash) : 0;
    exported = n ? calloc(n, sizeof *exported) : NULL;
    for (uint32_t i = 0; exported && i < n; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
            exported[n_exported++] = map->l_addr + symbols[i].st_value;
    if (exported)
        qsort(exported, n_exported, sizeof *exported, by_address);
}

bool
mp_ecl_is_exported(uintptr_t start)
{
    return bsearch(&start, exported, n_exported, sizeof *exported, by_address) != NULL;
}

/* ------------------------------------------------------------------ what we need */

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
    if (find_library("libgmp.so."))
        e->libgmp_code = code_of(find_library("libgmp.so."));
    if (strcmp(program_invocation_short_name, "ecl") == 0)
        e->program_code = code_of(_r_debug.r_map);
    return e->cons.size && e->list1.size && e->alloc_object.size && e->alloc_compact_object.size &&
           e->make_weak_pointer.size && e->interpret.size &&
           find(libecl, "cl_core", &e->core) &&
           find(libecl, "ecl_process_env_unsafe", &e->process_env) &&
           find(libecl, "ecl_gethash_safe", &e->gethash) &&
           find(libecl, "ecl_object_byte_size", &e->object_size) &&
           find(libecl, "ecl_lower_case_p", &e->lower_case) &&
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
    list_exported(mp_ecl.libecl);
    return MP_ECL_FOUND;
}
