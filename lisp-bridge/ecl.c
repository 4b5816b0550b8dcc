/* SPDX-License-Identifier: MIT */
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

/* Global symbols of a program that contains libecl.a or libgc.a, sorted by the hash of their names. They need not be
 * exported. */
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

/* An archive that is linked into the program. The linker places the archive's functions next to each other. Most of
 * their names begin with one of the PREFIXES, but names of the program's own functions may begin so, too. Only the
 * archive has functions with the CERTAIN names, and one of these is usually its first function in the program. The list
 * of CERTAIN names is empty if programs are not expected to have names with the PREFIXES. */
struct archive {
    const char *prefixes[12], *certain[16];
};

static const struct archive libecl_archive = {
    { "cl_", "ecl_", "si_", "_ecl", "mp_", "clos_", "FE", "CE", "init_", "main_lib", "make_", "assert_type" },
    { "cl_boot", "cl_shutdown", "cl_car", "cl_copy_seq", "cl_describe", "ecl_alloc_object", "ecl_cons",
      "ecl_get_option", "ecl_interpret", "ecl_lower_case_p", "ecl_make_clfloat" },
};
static const struct archive libgc_archive = { .prefixes = { "GC_" } };

static bool
begins_so(const struct archive *archive, const char *name)
{
    const size_t n = sizeof archive->prefixes / sizeof *archive->prefixes;

    for (size_t i = 0; i < n && archive->prefixes[i]; i++)
        if (strncmp(name, archive->prefixes[i], strlen(archive->prefixes[i])) == 0)
            return true;
    return false;
}

/* Returns the smallest range with A and B. Either may be empty. */
static struct mp_range
both(struct mp_range a, struct mp_range b)
{
    const uintptr_t start = a.start < b.start ? a.start : b.start;
    const uintptr_t a_end = a.start + a.size, b_end = b.start + b.size;

    if (!a.size || !b.size)
        return a.size ? a : b;
    return (struct mp_range){ start, (a_end > b_end ? a_end : b_end) - start };
}

/* Returns the name of SYMBOL if it is a global function or variable of PROGRAM, else NULL. */
static const char *
global_name(const struct mp_fas *program, const Elf64_Sym *symbol)
{
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);

    if (ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL || symbol->st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_OBJECT) || symbol->st_name >= program->strings_size)
        return NULL;
    return program->strings + symbol->st_name;
}

/* Returns the code of ARCHIVE in PROGRAM. It begins with the first function with a certain name, and ends before the
 * first function without a prefix behind the last certain one. */
static struct mp_range
code_of_archive(const struct mp_fas *program, const struct archive *archive)
{
    struct mp_range code = { 0, 0 };
    uintptr_t first, behind, end = UINTPTR_MAX;
    const size_t n = sizeof archive->certain / sizeof *archive->certain;

    for (size_t i = 0; i < n && archive->certain[i]; i++)
        code = both(code, linked_symbol(archive->certain[i]));
    if (archive->certain[0] && !code.size)
        return code;
    first = code.start;
    behind = code.start + code.size;
    for (int pass = 0; pass < 2; pass++)        /* finds `end`, then the functions before it */
        for (size_t i = 0; i < program->n; i++) {
            const Elf64_Sym *symbol = &program->symbols[i];
            const struct mp_range at = { program->bias + symbol->st_value, symbol->st_size };
            const char *name = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? global_name(program, symbol) : NULL;
            const bool is_own = name && begins_so(archive, name);

            if (pass == 0 && archive->certain[0] && name && !is_own && at.start >= behind && at.start < end)
                end = at.start;
            if (pass == 1 && is_own && at.start >= first && at.start < end)
                code = both(code, at);
        }
    return code;
}

static void
take_symbols(const struct mp_fas *program)
{
    free(linked);               /* mp_ecl_find() may be called again if it found no complete ECL */
    n_linked = 0;
    linked = calloc(program->n, sizeof *linked);
    for (size_t i = 0; linked && i < program->n; i++) {
        const Elf64_Sym *symbol = &program->symbols[i];
        const char *name = global_name(program, symbol);

        if (name)
            linked[n_linked++] = (struct linked){ hash_of(name),
                                                  { program->bias + symbol->st_value, symbol->st_size } };
    }
    if (linked)
        qsort(linked, n_linked, sizeof *linked, by_hash);
}

/* Returns the program or library that contains ADDRESS, or NULL. */
static struct link_map *
object_at(uintptr_t address)
{
    struct dl_find_object found;

    return address && _dl_find_object((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

/* Returns the program headers of MAP and their number in *N, or NULL if they cannot be found. An object that is not at
 * a fixed address begins with its ELF header. */
static const ElfW(Phdr) *
headers_of(const struct link_map *map, size_t *n)
{
    const ElfW(Ehdr) *header = (const void *)map->l_addr;
    const bool has_header = object_at(map->l_addr) == map && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
    const ElfW(Phdr) *segments =
        has_header ? (const void *)(map->l_addr + header->e_phoff) : (const void *)getauxval(AT_PHDR);

    *n = has_header ? header->e_phnum : getauxval(AT_PHNUM);
    for (size_t i = 0; segments && i < *n; i++)
        if (segments[i].p_type == PT_DYNAMIC && map->l_addr + segments[i].p_vaddr == (uintptr_t)map->l_ld)
            return segments;
    return NULL;
}

/* Returns whether a segment of PROGRAM that is not writable contains TEXT. */
static bool
contains(const struct link_map *program, const char *text)
{
    size_t n;
    const ElfW(Phdr) *segments = headers_of(program, &n);

    for (size_t i = 0; segments && i < n; i++)
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & (PF_R | PF_W)) == PF_R &&
            memmem((const void *)(program->l_addr + segments[i].p_vaddr), segments[i].p_memsz, text, strlen(text) + 1))
            return true;
    return false;
}

/* Returns whether PROGRAM contains libecl.a, also if PROGRAM is stripped. Searches the program's constants for texts
 * of libecl, but only if the program imports two functions of libm that libecl calls and few other programs call. */
static bool
is_linked_in(const struct link_map *program)
{
    struct mp_import imports[] = { { .name = "coshf" }, { .name = "sinhf" } };
    const size_t n = sizeof imports / sizeof *imports;

    return find_library("libm.so.") && mp_imports_find(program, imports, n) == n &&
           contains(program, "COMMON-LISP-USER") && contains(program, "\n;;; Unhandled lisp initialization error");
}

/* Reads the symbols of OBJECT, which contains libecl.a, libgc.a or both, from its file PATH. */
static void
read_linked(const struct link_map *object, const char *path)
{
    struct mp_fas file;

    if (!mp_fas_open(&file, path, object->l_addr))
        return;
    take_symbols(&file);
    if (mp_ecl.linked_in) {
        mp_ecl.libecl_code = code_of_archive(&file, &libecl_archive);
        mp_ecl.stripped = file.stripped;
    }
    mp_ecl.libgc_code = code_of_archive(&file, &libgc_archive);
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

/* Returns the range from the first to the end of the last segment of MAP. */
static struct mp_range
code_of(const struct link_map *map)
{
    struct mp_range code = { 0, 0 };
    size_t n;
    const ElfW(Phdr) *segments = headers_of(map, &n);

    for (size_t i = 0; segments && i < n; i++)
        if (segments[i].p_type == PT_LOAD)
            code = both(code, (struct mp_range){ map->l_addr + segments[i].p_vaddr, segments[i].p_memsz });
    return code;
}

/* Returns the range of MAP's variables, which are in the last segment that is writable. */
static struct mp_range
data_of(const struct link_map *map)
{
    struct mp_range data = { 0, 0 };
    size_t n;
    const ElfW(Phdr) *segments = headers_of(map, &n);

    for (size_t i = 0; segments && i < n; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_W)
            data = (struct mp_range){ map->l_addr + segments[i].p_vaddr, segments[i].p_memsz };
    return data;
}

/* Returns the function or variable NAME that the dynamic linker finds for libecl, or zeros if there is none. The
 * program, or a library before libecl, may have it. */
static struct mp_range
used(const char *name)
{
    struct mp_range symbol = mp_ecl.linked_in ? linked_symbol(name) : (struct mp_range){ 0, 0 };

    if (!symbol.size)
        symbol = symbol_in(RTLD_DEFAULT, name);
    if (!symbol.size)           /* the program has only a stub for the function */
        symbol = symbol_in(RTLD_NEXT, name);
    if (!symbol.size)           /* libecl and its libraries were loaded without RTLD_GLOBAL */
        symbol = symbol_in(libecl, name);
    return symbol;
}

/* Returns the function that libecl calls by IMPORT, or 0. A word that is not bound yet refers to libecl's own code. */
static uintptr_t
called(const struct mp_import *import)
{
    const uintptr_t at = import->word ? (uintptr_t)*import->word : 0;
    const bool is_bound = object_at(at) != mp_ecl.libecl || at == symbol_in(libecl, import->name).start;

    return at && is_bound ? at : used(import->name).start;
}

/* Returns the function or variable NAME of the libgc that libecl calls, or zeros. The process may have another libgc,
 * too, and a program that contains libgc.a need not export its functions. */
static struct mp_range
of_libgc(const char *name)
{
    struct mp_range symbol =
        mp_ecl.libgc == _r_debug.r_map ? linked_symbol(name) : (struct mp_range){ 0, 0 };

    if (!symbol.size)
        symbol = symbol_in(libgc, name);
    return object_at(symbol.start) == mp_ecl.libgc ? symbol : (struct mp_range){ 0, 0 };
}

static bool
find(const char *name, void *pointer)
{
    const uintptr_t start = of_libgc(name).start;

    memcpy(pointer, &start, sizeof start);
    return start != 0;
}

static bool
find_for_snapshots(void)
{
    struct mp_ecl *e = &mp_ecl;

    find("GC_is_heap_ptr", &e->gc_is_heap_ptr);
    find("GC_enumerate_reachable_objects_inner", &e->gc_each_marked);
    return e->gc_kind && e->gc_heap_size && find("GC_least_plausible_heap_addr", &e->gc_least) &&
           find("GC_greatest_plausible_heap_addr", &e->gc_greatest) && find("GC_gcollect", &e->gc_collect) &&
           find("GC_get_free_bytes", &e->gc_free_bytes) && find("GC_get_bytes_since_gc", &e->gc_since) &&
           find("GC_get_gc_no", &e->gc_number);
}

static bool
find_in_libgc(void)
{
    struct mp_ecl *e = &mp_ecl;

    e->gc_variables = of_libgc("GC_arrays");
    e->gc_data = data_of(e->libgc);
    find("GC_call_with_alloc_lock", &e->gc_with_lock);
    find("GC_get_free_space_divisor", &e->gc_divisor);
    find("GC_is_incremental_mode", &e->gc_is_incremental);
    find("GC_get_finalize_on_demand", &e->gc_on_demand);
    find("GC_set_finalize_on_demand", &e->gc_set_on_demand);
    find("GC_get_heap_size", &e->gc_heap_size);
    find("GC_get_kind_and_size", &e->gc_kind);
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

/* Stores the address of libecl's function NAME in *POINTER. Returns false if libecl does not have it. */
static bool
find_function(const char *name, void *pointer)
{
    const uintptr_t start = mp_ecl_function(name).start;

    memcpy(pointer, &start, sizeof start);
    return start != 0;
}

/* Returns the function that allocates weak pointers. In some versions it is the function that Lisp calls. */
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
    e->core_words = used("cl_core");    /* in the program's memory, if the program refers to it (copy relocation) */
    e->symbols = used("cl_symbols");
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
    if (!e->gc_linked_in && (e->libgc == e->libecl || e->gc_alone))
        e->libgc_code = code_of(e->libgc);
    if (find_library("libgmp.so."))
        e->libgmp_code = code_of(find_library("libgmp.so."));
    if (strcmp(program_invocation_short_name, "ecl") == 0)
        e->program_code = code_of(_r_debug.r_map);
}

/* Finds libecl and libgc, or the program or library that contains them. Even if libgc.so is loaded, libecl may use a
 * libgc that is in libecl or in the program. */
static void
find_objects(void)
{
    struct mp_ecl *e = &mp_ecl;
    struct mp_import init = { .name = "GC_init" };

    e->libecl = find_library("libecl.so");
    e->linked_in = !e->libecl && is_linked_in(_r_debug.r_map);
    if (e->linked_in) {
        e->libecl = _r_debug.r_map;
        read_linked(e->libecl, MP_PROGRAM);
    }
    if (!e->libecl)
        return;
    e->path = e->linked_in ? MP_PROGRAM : e->libecl->l_name;
    snprintf(e->file, sizeof e->file, "%s", e->linked_in ? program_invocation_short_name : base_name(e->path));
    libecl = dlopen(e->libecl->l_name, RTLD_LAZY | RTLD_NOLOAD);
    /* libecl.so exports the functions of a libgc that it contains, and calls them like those of another library. Other
     * functions than GC_init() may be wrapped by those of another object. */
    mp_imports_find(e->libecl, &init, 1);
    e->libgc = libecl ? object_at(called(&init)) : NULL;
    e->gc_linked_in = e->linked_in && (!e->libgc || linked_symbol("GC_malloc").size);
    if (!e->libgc || e->gc_linked_in)
        e->libgc = e->libecl;
    e->gc_alone = strncmp(base_name(e->libgc->l_name), "libgc.so", 8) == 0;
    if (e->libgc != e->libecl && !e->gc_alone)
        read_linked(e->libgc, e->libgc == _r_debug.r_map ? MP_PROGRAM : e->libgc->l_name);
    libgc = dlopen(e->libgc->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

void
mp_ecl_imports(struct mp_import *imports, size_t n)
{
    mp_imports_find(mp_ecl.libecl, imports, n);
    for (size_t i = 0; i < n; i++)
        imports[i].theirs = (void *)called(&imports[i]);
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
                                                    : "its libgc lacks functions");
        return MP_ECL_INCOMPLETE;
    }
    e->gc_shows_heap = find_for_snapshots();
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
