#include "ecl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/dynamic.h"

struct mp_ecl mp_ecl;

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

static struct mp_range
symbol_in(void *library, const char *name)
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
    return symbol_in(libecl, name);
}

/* ------------------------------------------------------------------ exported functions */

static uintptr_t *exported;             /* ascending */
static size_t n_exported;

static int
by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

static void
list_exported(const struct link_map *map)
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);
    const ElfW(Sym) *symbol = dynamic.symbols;

    exported = dynamic.n_symbols ? calloc(dynamic.n_symbols, sizeof *exported) : NULL;
    for (uint32_t i = 0; exported && i < dynamic.n_symbols; i++, symbol++)
        if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
            exported[n_exported++] = map->l_addr + symbol->st_value;
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

/* What only snapshots of the heap need. */
static void
find_for_snapshots(void *libgc)
{
    struct mp_ecl *e = &mp_ecl;

    find(libgc, "GC_least_plausible_heap_addr", &e->gc_least);
    find(libgc, "GC_greatest_plausible_heap_addr", &e->gc_greatest);
    find(libgc, "GC_get_kind_and_size", &e->gc_kind);
    find(libgc, "GC_enumerate_reachable_objects_inner", &e->gc_each_marked);
    find(libgc, "GC_gcollect", &e->gc_collect);
    find(libgc, "GC_get_heap_size", &e->gc_heap_size);
    find(libgc, "GC_get_free_bytes", &e->gc_free_bytes);
    find(libgc, "GC_get_bytes_since_gc", &e->gc_since);
    find(libgc, "GC_get_gc_no", &e->gc_number);
}

static bool
find_in_libgc(void *libgc)
{
    struct mp_ecl *e = &mp_ecl;

    e->gc_variables = symbol_in(libgc, "GC_arrays");
    find(libgc, "GC_get_free_space_divisor", &e->gc_divisor);
    find(libgc, "GC_is_incremental_mode", &e->gc_is_incremental);
    return find(libgc, "GC_size", &e->gc_size) &&
           find(libgc, "GC_get_total_bytes", &e->gc_total) &&
           find(libgc, "GC_base", &e->gc_base) && find(libgc, "GC_is_marked", &e->gc_is_marked) &&
           find(libgc, "GC_set_on_collection_event", &e->gc_set_event) &&
           find(libgc, "GC_get_on_collection_event", &e->gc_get_event);
}

/* Functions that libecl has only if it was configured as objects.h supposes: threads, complex floats,
 * strings of any character. */
static bool
is_configured_so(void)
{
    return mp_ecl_function("mp_process_run_function").size &&
           mp_ecl_function("ecl_make_clfloat").size &&
           mp_ecl_function("ecl_alloc_adjustable_extended_string").size;
}

/* A variable of libecl.  A program that refers to it may have it in its own memory (a copy relocation). */
static struct mp_range
variable(const char *name)
{
    const struct mp_range used = symbol_in(RTLD_DEFAULT, name);

    return used.size ? used : symbol_in(libecl, name);
}

/* Weak pointers are made by a function of their own, or by the one that Lisp calls. */
static struct mp_range
weak_pointer_maker(void)
{
    const struct mp_range own = mp_ecl_function("ecl_alloc_weak_pointer");

    return own.size ? own : mp_ecl_function("si_make_weak_pointer");
}

static bool
find_in_libecl(void)
{
    struct mp_ecl *e = &mp_ecl;

    e->cons = mp_ecl_function("ecl_cons");
    e->list1 = mp_ecl_function("ecl_list1");
    e->alloc_object = mp_ecl_function("ecl_alloc_object");
    e->alloc_compact_object = mp_ecl_function("ecl_alloc_compact_object");
    e->make_weak_pointer = weak_pointer_maker();
    e->interpret = mp_ecl_function("ecl_interpret");
    e->core_words = variable("cl_core");
    e->symbols = variable("cl_symbols");
    e->core = (struct cl_core_struct *)e->core_words.start;
    return e->cons.size && e->alloc_object.size && e->alloc_compact_object.size &&
           e->make_weak_pointer.size && e->interpret.size && e->core && e->symbols.size &&
           find(libecl, "ecl_process_env_unsafe", &e->process_env) &&
           find(libecl, "ecl_get_option", &e->option) &&
           find(libecl, "ecl_object_byte_size", &e->object_size) &&
           find(libecl, "ecl_lower_case_p", &e->lower_case);
}

static void
find_code(void)
{
    struct mp_ecl *e = &mp_ecl;

    e->libecl_code = code_of(e->libecl);
    e->libgc_code = code_of(e->libgc);
    if (find_library("libgmp.so."))
        e->libgmp_code = code_of(find_library("libgmp.so."));
    if (strcmp(program_invocation_short_name, "ecl") == 0)
        e->program_code = code_of(_r_debug.r_map);
}

enum mp_ecl_found
mp_ecl_find(void)
{
    void *libgc;

    if (libecl)
        return MP_ECL_FOUND;
    mp_ecl.libecl = find_library("libecl.so.");
    mp_ecl.libgc = find_library("libgc.so.");
    if (!mp_ecl.libecl)
        return MP_ECL_ABSENT;
    if (!mp_ecl.libgc)
        return MP_ECL_INCOMPLETE;
    libecl = dlopen(mp_ecl.libecl->l_name, RTLD_LAZY | RTLD_NOLOAD);
    libgc = dlopen(mp_ecl.libgc->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!libecl || !libgc || !find_in_libgc(libgc)) {
        libecl = NULL;
        return MP_ECL_INCOMPLETE;
    }
    find_for_snapshots(libgc);
    find_code();
    snprintf(mp_ecl.file, sizeof mp_ecl.file, "%s", base_name(mp_ecl.libecl->l_name));
    mp_ecl.complete = is_configured_so() && find_in_libecl();
    list_exported(mp_ecl.libecl);
    return MP_ECL_FOUND;
}
