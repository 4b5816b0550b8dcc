#include "ecl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "fas_file.h"
#include "runtime/format.h"
#include "runtime/system/dynamic.h"
#include "runtime/system/imports.h"

struct mp_ecl mp_ecl;

#define MP_PROGRAM "/proc/self/exe"

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

static void *libecl, *libgc;

/* ------------------------------------------------------------------ an ECL that is linked into the program */

/* Global symbols of a program that contains libecl.a, sorted by the hash of their names. They need not be exported. */
static struct linked {
    uint64_t hash;
    struct mp_range range;
} *linked;
static size_t n_linked;

static uint64_t
hash_of(const char *name)           /* FNV-1a */
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static int
by_hash(const void *a, const void *b)
{
    const struct linked *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

static struct mp_range
linked_symbol(const char *name)
{
    const struct linked wanted = { .hash = hash_of(name) };
    const struct linked *found = n_linked ? bsearch(&wanted, linked, n_linked, sizeof wanted, by_hash) : NULL;

    return found ? found->range : (struct mp_range){ 0, 0 };
}

/* Returns whether NAME has a prefix of libecl.a's functions. All functions of libecl.a except static ones have such a
 * prefix. The linker places the functions of libecl.a next to each other. */
static bool
is_libecls(const char *name)
{
    return strncmp(name, "cl_", 3) == 0 || strncmp(name, "ecl_", 4) == 0 || strncmp(name, "si_", 3) == 0 ||
           strncmp(name, "_ecl_", 5) == 0;
}

static void
widen(struct mp_range *range, uintptr_t start, uintptr_t size)
{
    const uintptr_t end = range->size ? range->start + range->size : start + size;
    const uintptr_t last = start + size > end ? start + size : end;

    range->start = range->size && range->start < start ? range->start : start;
    range->size = last - range->start;
}

static void
take_symbols(const struct mp_fas *program)
{
    free(linked);               /* mp_ecl_find() may be called again if it found no complete ECL */
    n_linked = 0;
    linked = calloc(program->n, sizeof *linked);
    for (size_t i = 0; linked && i < program->n; i++) {
        const Elf64_Sym *symbol = &program->symbols[i];
        const unsigned type = ELF64_ST_TYPE(symbol->st_info);
        const char *name;

        if (ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL || symbol->st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_OBJECT) || symbol->st_name >= program->strings_size)
            continue;
        name = program->strings + symbol->st_name;
        linked[n_linked++] = (struct linked){ hash_of(name), { program->bias + symbol->st_value, symbol->st_size } };
        if (type == STT_FUNC && is_libecls(name))
            widen(&mp_ecl.libecl_code, program->bias + symbol->st_value, symbol->st_size);
        if (type == STT_FUNC && strncmp(name, "GC_", 3) == 0)
            widen(&mp_ecl.libgc_code, program->bias + symbol->st_value, symbol->st_size);
    }
    if (linked)
        qsort(linked, n_linked, sizeof *linked, by_hash);
}

/* Returns whether a segment of PROGRAM that is not writable contains TEXT. */
static bool
contains(const struct link_map *program, const char *text)
{
    const unsigned long headers = getauxval(AT_PHDR), n = getauxval(AT_PHNUM);
    const ElfW(Phdr) *segment = (const void *)headers;

    for (unsigned long i = 0; headers && i < n; i++)
        if (segment[i].p_type == PT_LOAD && (segment[i].p_flags & (PF_R | PF_W)) == PF_R &&
            memmem((const void *)(program->l_addr + segment[i].p_vaddr), segment[i].p_memsz, text, strlen(text) + 1))
            return true;
    return false;
}

/* Returns whether PROGRAM contains libecl.a, which it does even if it is stripped. Its constants are searched only if
 * it imports two functions of libm that libecl calls and few other programs do. */
static bool
is_linked_in(const struct link_map *program)
{
    struct mp_import imports[] = { { .name = "coshf" }, { .name = "sinhf" } };
    const size_t n = sizeof imports / sizeof *imports;

    return find_library("libm.so.") && mp_imports_find(program, RTLD_DEFAULT, imports, n) == n &&
           contains(program, "COMMON-LISP-USER") && contains(program, "\n;;; Unhandled lisp initialization error");
}

/* Reads the symbols of PROGRAM, which contains libecl.a. */
static void
read_linked(const struct link_map *program)
{
    struct mp_fas file;

    if (!mp_fas_open(&file, MP_PROGRAM, program->l_addr))
        return;
    take_symbols(&file);
    mp_ecl.stripped = file.stripped;
    mp_fas_close(&file);
}

struct mp_range
mp_ecl_function(const char *name)
{
    return mp_ecl.linked_in ? linked_symbol(name) : symbol_in(libecl, name);
}

/* ------------------------------------------------------------------ exported functions */

static uintptr_t *exported;             /* ascending addresses */
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
    const size_t most = mp_ecl.linked_in ? n_linked : dynamic.n_symbols;

    exported = most ? calloc(most, sizeof *exported) : NULL;
    for (uint32_t i = 0; exported && i < most; i++)
        if (mp_ecl.linked_in)
            exported[n_exported++] = linked[i].range.start;
        else if (symbol[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC)
            exported[n_exported++] = map->l_addr + symbol[i].st_value;
    if (exported)
        qsort(exported, n_exported, sizeof *exported, by_address);
}

bool
mp_ecl_is_exported(uintptr_t start)
{
    return bsearch(&start, exported, n_exported, sizeof *exported, by_address) != NULL;
}

/* ------------------------------------------------------------------ required functions and variables */

/* Returns the range from the first to the end of the last segment of MAP. The segments are few and adjacent. */
static struct mp_range
code_of(const struct link_map *map)
{
    struct dl_find_object found;

    if (_dl_find_object((void *)map->l_ld, &found) != 0)
        return (struct mp_range){ 0, 0 };
    return (struct mp_range){ (uintptr_t)found.dlfo_map_start,
                              (uintptr_t)found.dlfo_map_end - (uintptr_t)found.dlfo_map_start };
}

/* Returns the range of MAP's variables. The ELF header of MAP begins its first segment. */
static struct mp_range
data_of(const struct link_map *map)
{
    const ElfW(Ehdr) *header = (const void *)code_of(map).start;
    const ElfW(Phdr) *segment = header ? (const void *)((uintptr_t)header + header->e_phoff) : NULL;

    for (unsigned i = 0; header && i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_flags & PF_W)
            return (struct mp_range){ map->l_addr + segment[i].p_vaddr, segment[i].p_memsz };
    return (struct mp_range){ 0, 0 };
}

/* Finds a function or variable of libgc, which may be linked into the program. */
static bool
find(const char *name, void *pointer)
{
    void *symbol = libgc ? dlsym(libgc, name) : (void *)linked_symbol(name).start;

    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Finds functions that only snapshots of the heap need. All are optional here. */
static void
find_for_snapshots(void)
{
    struct mp_ecl *e = &mp_ecl;

    find("GC_least_plausible_heap_addr", &e->gc_least);
    find("GC_greatest_plausible_heap_addr", &e->gc_greatest);
    find("GC_get_kind_and_size", &e->gc_kind);
    find("GC_is_heap_ptr", &e->gc_is_heap_ptr);
    find("GC_enumerate_reachable_objects_inner", &e->gc_each_marked);
    find("GC_gcollect", &e->gc_collect);
    find("GC_get_heap_size", &e->gc_heap_size);
    find("GC_get_free_bytes", &e->gc_free_bytes);
    find("GC_get_bytes_since_gc", &e->gc_since);
    find("GC_get_gc_no", &e->gc_number);
}

static bool
find_in_libgc(void)
{
    struct mp_ecl *e = &mp_ecl;

    e->gc_variables = libgc ? symbol_in(libgc, "GC_arrays") : linked_symbol("GC_arrays");
    e->gc_data = data_of(e->libgc);
    find("GC_call_with_alloc_lock", &e->gc_with_lock);
    find("GC_get_free_space_divisor", &e->gc_divisor);
    find("GC_is_incremental_mode", &e->gc_is_incremental);
    return find("GC_size", &e->gc_size) && find("GC_get_total_bytes", &e->gc_total) && find("GC_base", &e->gc_base) &&
           find("GC_is_marked", &e->gc_is_marked) && find("GC_set_on_collection_event", &e->gc_set_event) &&
           find("GC_get_on_collection_event", &e->gc_get_event);
}

/* Checks for functions that libecl has only if it is configured as objects.h assumes: with threads, complex floats
 * and strings of arbitrary characters. */
static bool
is_configured_so(void)
{
    return mp_ecl_function("mp_process_run_function").size &&
           mp_ecl_function("ecl_make_clfloat").size &&
           mp_ecl_function("ecl_alloc_adjustable_extended_string").size;
}

/* Finds a variable of libecl. If the program refers to the variable, it may be in the program's memory (copy
 * relocation). */
static struct mp_range
variable(const char *name)
{
    const struct mp_range used = mp_ecl.linked_in ? linked_symbol(name) : symbol_in(RTLD_DEFAULT, name);

    return used.size ? used : symbol_in(libecl, name);
}

/* Stores the address of libecl's function NAME in *POINTER. Returns false if libecl does not have it. */
static bool
find_function(const char *name, void *pointer)
{
    const uintptr_t start = mp_ecl_function(name).start;

    memcpy(pointer, &start, sizeof start);
    return start != 0;
}

/* Weak pointers are allocated by a separate function, or directly by the function that Lisp calls. */
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
    e->alloc_instance = mp_ecl_function("ecl_alloc_instance");
    e->interpret = mp_ecl_function("ecl_interpret");
    e->core_words = variable("cl_core");
    e->symbols = variable("cl_symbols");
    e->core = (struct cl_core_struct *)e->core_words.start;
    return e->cons.size && e->alloc_object.size && e->alloc_compact_object.size &&
           e->make_weak_pointer.size && e->interpret.size && e->core && e->symbols.size &&
           find_function("ecl_process_env_unsafe", &e->process_env) &&
           find_function("ecl_get_option", &e->option) &&
           find_function("ecl_object_byte_size", &e->object_size) &&
           find_function("ecl_lower_case_p", &e->lower_case);
}

static void
find_code(void)
{
    struct mp_ecl *e = &mp_ecl;

    if (!e->linked_in)
        e->libecl_code = code_of(e->libecl);
    if (!e->gc_linked_in)
        e->libgc_code = code_of(e->libgc);
    if (find_library("libgmp.so."))
        e->libgmp_code = code_of(find_library("libgmp.so."));
    if (strcmp(program_invocation_short_name, "ecl") == 0)
        e->program_code = code_of(_r_debug.r_map);
}

/* Returns the library whose libgc libecl calls. It may be libecl itself, though libgc.so is also loaded. */
static struct link_map *
called_libgc(void)
{
    struct mp_range function = symbol_in(RTLD_DEFAULT, "GC_malloc");
    struct dl_find_object found;

    if (!function.size)         /* libecl was loaded for itself, or the program has only a stub for the function */
        function = symbol_in(libecl, "GC_malloc");
    return function.size && _dl_find_object((void *)function.start, &found) == 0 ? found.dlfo_link_map : NULL;
}

/* Finds libecl and libgc, or the program or library that contains them, and opens both. */
static void
find_objects(void)
{
    struct mp_ecl *e = &mp_ecl;

    e->libecl = find_library("libecl.so.");
    e->linked_in = !e->libecl && is_linked_in(_r_debug.r_map);
    if (e->linked_in) {
        e->libecl = _r_debug.r_map;
        read_linked(e->libecl);
    }
    if (!e->libecl)
        return;
    e->path = e->linked_in ? MP_PROGRAM : e->libecl->l_name;
    snprintf(e->file, sizeof e->file, "%s", e->linked_in ? program_invocation_short_name : base_name(e->path));
    libecl = dlopen(e->libecl->l_name, RTLD_LAZY | RTLD_NOLOAD);
    e->libgc = libecl ? called_libgc() : NULL;
    /* libecl.so exports the functions of a libgc that it contains, and calls them like those of another library. */
    e->gc_linked_in = e->linked_in && (!e->libgc || linked_symbol("GC_malloc").size);
    if (!e->libgc || e->gc_linked_in)
        e->libgc = e->libecl;
    libgc = e->gc_linked_in ? NULL : dlopen(e->libgc->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

enum mp_ecl_found
mp_ecl_find(void)
{
    struct mp_ecl *e = &mp_ecl;

    if (libecl)
        return MP_ECL_FOUND;
    find_objects();
    if (!e->libecl)
        return MP_ECL_ABSENT;
    if (!libecl || !find_in_libgc()) {
        libecl = NULL;
        mp_ecl_leave(e->gc_linked_in && e->stripped ? "it contains libgc and is stripped"
                                                    : "it lacks functions of libgc");
        return MP_ECL_INCOMPLETE;
    }
    find_for_snapshots();
    find_code();
    e->complete = is_configured_so() && find_in_libecl();
    list_exported(e->libecl);
    return MP_ECL_FOUND;
}

void
mp_ecl_leave(const char *reason)
{
    snprintf(mp_ecl.name, sizeof mp_ecl.name, "ECL in %s" MP_LANGUAGE_UNRECORDED "%s", mp_ecl.file, reason);
}
