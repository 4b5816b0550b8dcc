/* SPDX-License-Identifier: MIT */
#include "skip.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/pattern.h"
#include "reporter/base/search.h"
#include "reporter/profile/cells.h"
#include "startup_frames.h"
#include "wrappers.h"

/* ---------------------------------------------------------------- known wrappers */

/* A function belongs here if it returns a new block or one of another size, and if its callers decide when to
 * call it and how large the block is. A function that makes something of the block (an object, a string built of
 * several, a larger table) does not belong here, because it allocates on its own account. */
const char *const mp_wrappers[] = {
    /* the C library's allocators, including functions that call other allocators */
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "posix_memalign",
    "valloc", "pvalloc", "strdup", "strndup", "__strdup", "__strndup", "wcsdup",

    /* C++: operators; allocators of libstdc++ and libc++, and how containers call them */
    "operator new", "operator new[]",
    "std::__new_allocator<...>::allocate", "std::__new_allocator<...>::_M_allocate",
    "std::allocator<...>::allocate", "std::allocator_traits<...>::allocate",
    "std::__allocate_guarded<...>", "std::__allocate_guarded_obj<...>",
    "__gnu_cxx::new_allocator<...>::allocate", "__gnu_cxx::malloc_allocator<...>::allocate",
    "__gnu_cxx::__alloc_traits<...>::allocate", "std::pmr::memory_resource::allocate",
    "std::pmr::polymorphic_allocator<...>::allocate",
    "std::_Vector_base<...>::_M_allocate", "std::_Deque_base<...>::_M_allocate_node",
    "std::_Deque_base<...>::_M_allocate_map", "std::_Rb_tree<...>::_M_get_node",
    "std::__cxx11::_List_base<...>::_M_get_node", "std::__cxx11::list<...>::_M_get_node",
    "std::_List_base<...>::_M_get_node", "std::_Fwd_list_base<...>::_M_get_node",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_node",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_node<...>",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_buckets",
    "std::_Hashtable<...>::_M_allocate_buckets",
    "std::__cxx11::basic_string<...>::_M_create", "std::basic_string<...>::_M_create",
    "std::__1::allocator<...>::allocate", "std::__1::allocator_traits<...>::allocate",
    "std::__1::__libcpp_allocate", "std::__1::__libcpp_allocate<...>",
    "std::__1::__libcpp_operator_new<...>", "std::__1::__allocate_at_least<...>",

    /* Rust */
    "__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc", "__rdl_alloc", "__rdl_alloc_zeroed",
    "__rdl_realloc", "__rg_alloc", "__rg_alloc_zeroed", "__rg_realloc", "alloc::alloc::alloc",
    "alloc::alloc::alloc_zeroed", "alloc::alloc::realloc", "alloc::alloc::exchange_malloc",
    "alloc::alloc::Global::alloc_impl", "alloc::alloc::Global::grow_impl",
    "<alloc::alloc::Global>::alloc_impl", "<alloc::alloc::Global>::grow_impl",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate_zeroed",
    "<alloc::alloc::Global as core::alloc::Allocator>::grow",

    /* gnulib, GNU programs, git, bash, OpenSSH, and others that use the same names */
    "xmalloc", "xcalloc", "xrealloc", "xreallocarray", "xzalloc", "xnmalloc", "xnrealloc",
    "x2realloc", "x2nrealloc", "xcharalloc", "xpalloc", "xmemdup", "xmemdup0", "xstrdup",
    "xstrndup", "ximalloc", "xicalloc", "xirealloc", "xireallocarray", "xizalloc", "xinmalloc",
    "xinrealloc", "ximemdup", "ximemdup0", "imalloc", "icalloc", "irealloc", "ireallocarray",
    "rpl_malloc", "rpl_calloc", "rpl_realloc", "xmallocz", "xmallocz_gently", "xmemdupz",
    "do_xmalloc", "do_xmallocz", "sh_xmalloc", "sh_xrealloc", "xmalloc2", "xrealloc2",
    "recallocarray", "xrecallocarray", "bfd_malloc", "bfd_zmalloc", "bfd_realloc",
    "emalloc", "erealloc", "ecalloc", "safe_malloc", "safe_calloc", "safe_realloc", "safe_strdup",
    "zmalloc", "zcalloc", "zrealloc", "zmalloc_usable", "zcalloc_usable", "zrealloc_usable",
    "ztrymalloc", "ztryrealloc", "ztrymalloc_usable", "ztrymalloc_usable_internal",
    "ztryrealloc_usable", "ztryrealloc_usable_internal", "zalloc", "zshcalloc", "ztrdup",

    /* GLib */
    "g_malloc", "g_malloc0", "g_realloc", "g_try_malloc", "g_try_malloc0", "g_try_realloc",
    "g_malloc_n", "g_malloc0_n", "g_realloc_n", "g_try_malloc_n", "g_try_malloc0_n",
    "g_try_realloc_n", "g_aligned_alloc", "g_aligned_alloc0", "g_slice_alloc", "g_slice_alloc0",
    "g_slice_copy", "g_memdup", "g_memdup2", "g_strdup", "g_strdup_inline", "g_strndup",

    /* Perl, Python, Ruby, Lua, Tcl, PHP */
    "Perl_safesysmalloc", "Perl_safesyscalloc", "Perl_safesysrealloc",
    "PyMem_Malloc", "PyMem_Calloc", "PyMem_Realloc", "PyMem_RawMalloc", "PyMem_RawCalloc",
    "PyMem_RawRealloc", "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc",
    "_PyMem_RawMalloc", "_PyMem_RawCalloc", "_PyMem_RawRealloc", "_PyObject_Malloc",
    "_PyObject_Calloc", "_PyObject_Realloc", "_PyMem_Strdup", "_PyMem_RawStrdup",
    "ruby_xmalloc", "ruby_xmalloc2", "ruby_xcalloc", "ruby_xrealloc", "ruby_xrealloc2",
    "ruby_mimmalloc", "objspace_xmalloc0", "objspace_xcalloc", "objspace_xrealloc",
    "l_alloc", "luaM_malloc_", "luaM_realloc_", "luaM_saferealloc_",
    "Tcl_Alloc", "Tcl_Realloc", "Tcl_AttemptAlloc", "Tcl_AttemptRealloc", "TclpAlloc",
    "TclpRealloc", "_emalloc", "_ecalloc", "_erealloc", "__zend_malloc", "__zend_calloc",
    "__zend_realloc",

    /* libraries */
    "sqlite3_malloc", "sqlite3_malloc64", "sqlite3_realloc", "sqlite3_realloc64", "sqlite3Malloc",
    "sqlite3MallocZero", "sqlite3Realloc", "sqlite3MemMalloc", "sqlite3MemRealloc",
    "sqlite3DbMallocRaw", "sqlite3DbMallocRawNN", "sqlite3DbMallocRawNNTyped",
    "sqlite3DbMallocZero", "sqlite3DbRealloc", "sqlite3DbReallocOrFree", "sqlite3DbStrDup",
    "sqlite3DbStrNDup", "sqlite3DbSpanDup", "sqlite3PageMalloc", "mallocWithAlarm",
    "dbMallocRawFinish", "dbReallocFinish",
    "CRYPTO_malloc", "CRYPTO_zalloc", "CRYPTO_calloc", "CRYPTO_malloc_array", "CRYPTO_realloc",
    "CRYPTO_clear_realloc", "CRYPTO_aligned_alloc", "CRYPTO_strdup", "CRYPTO_strndup",
    "CRYPTO_memdup", "xmlMemMalloc", "xmlMemRealloc", "xmlMemStrdup", "xmlStrdup", "xmlStrndup",
    "__gmp_default_allocate", "__gmp_default_reallocate", "av_malloc", "av_mallocz", "av_calloc",
    "av_realloc", "av_realloc_f", "av_malloc_array", "av_realloc_array", "av_strdup",
    "llvm::safe_malloc", "llvm::safe_calloc", "llvm::safe_realloc", "llvm::allocate_buffer",
    "qMallocAligned", "qReallocAligned", "dbus_malloc", "dbus_malloc0", "dbus_realloc",
    "jv_mem_alloc", "jv_mem_alloc_unguarded", "jv_mem_calloc", "jv_mem_calloc_unguarded",
    "jv_mem_realloc", "jv_mem_strdup", "jv_mem_strdup_unguarded",

    /* libgc and ECL, below the functions that create objects */
    "GC_malloc", "GC_malloc_atomic", "GC_malloc_uncollectable", "GC_malloc_atomic_uncollectable",
    "GC_malloc_ignore_off_page", "GC_malloc_atomic_ignore_off_page", "GC_malloc_kind",
    "GC_malloc_kind_global", "GC_generic_malloc", "GC_generic_malloc_ignore_off_page",
    "GC_realloc", "GC_strdup", "GC_strndup", "ecl_alloc", "ecl_alloc_atomic",
    "ecl_alloc_unprotected", "ecl_alloc_atomic_unprotected", "ecl_alloc_uncollectable",
    "ecl_alloc_object", "ecl_alloc_compact_object", "cl_alloc", "cl_alloc_atomic",
    "cl_alloc_object",
    NULL};

/* ---------------------------------------------------------------- skipping */

struct skipper {
    struct mp_profile *view;
    const struct mp_profile *profile, *whole;
    const bool *functions;      /* by function: whether it is skipped */
    struct mp_skip_place *places;       /* by context: where its counts are shown */
    struct mp_map frames;       /* new frames, by original frame and number of skipped functions */
    struct mp_map contexts;     /* new contexts, by parent and frame */
    uint32_t first_frame, first_context;        /* ids of the first new ones */
    struct mp_arena *arena;     /* scratch */
};

/* ---------------------------------------------------------------- functions */

static bool
compile(struct mp_pattern *compiled, const char *pattern, struct mp_error *error)
{
    char why[MP_PATTERN_REASON];

    return mp_pattern_compile(compiled, pattern, why) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--skip=%s: %s", pattern, why);
}

bool
mp_skip_is_pattern(const char *pattern, struct mp_error *error)
{
    struct mp_pattern compiled;

    if (!compile(&compiled, pattern, error))
        return false;
    mp_pattern_free(&compiled);
    return true;
}

/* Compares only the profile's own functions with the list, not the names that the language's runtime gives. */
bool *
mp_skip_wrappers(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *functions = mp_arena_alloc(arena, ((size_t)profile->n_functions + 1) * sizeof *functions);
    struct mp_map names = {.arena = arena};

    for (size_t i = 0; mp_wrappers[i]; i++)
        mp_map_add(&names, mp_wrappers[i], strlen(mp_wrappers[i]));
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        const char *name = mp_function_bare_name(&profile->functions[i], arena);

        functions[i] = mp_map_find(&names, name, strlen(name)) != MP_NO_ID;
    }
    return functions;
}

/* Adds to FUNCTIONS those whose name in the profile or in the view matches PATTERN. */
static bool
find_matching(const struct skipper *s, const char *pattern, bool *functions, struct mp_error *error)
{
    struct mp_pattern compiled;

    if (!compile(&compiled, pattern, error))
        return false;
    for (uint32_t i = 0; i < s->view->n_functions; i++)
        functions[i] |= mp_pattern_matches(&compiled, s->view->functions[i].text) ||
                        (i < s->profile->n_functions &&
                         mp_pattern_matches(&compiled, s->profile->functions[i].text));
    mp_pattern_free(&compiled);
    return true;
}

/* Returns the wrappers of the whole recording that are known by what they do. They are found once for all views. KNOWN
 * are those that are known by name. */
static const uint32_t *
wrappers_of(const struct mp_profile *whole, const bool *known)
{
    struct mp_profile *owner = (struct mp_profile *)(uintptr_t)whole;

    if (!owner->wrappers)
        owner->wrappers = mp_wrappers_find(whole, known, owner->arena);
    return owner->wrappers;
}

static bool
find_functions(struct skipper *s, const struct mp_skip *options, struct mp_error *error)
{
    bool *functions = mp_arena_alloc(s->arena, s->view->n_functions * sizeof *functions);

    if (options->wrappers) {
        const bool *known = mp_skip_wrappers(s->profile, s->arena);
        const uint32_t *found = options->by_name_only ? NULL : wrappers_of(s->whole, known);
        uint32_t *served = mp_arena_alloc(s->view->arena, s->view->n_functions * sizeof *served);

        for (uint32_t i = 0; i < s->profile->n_functions; i++) {
            served[i] = found && i < s->whole->n_functions ? found[i] : 0;
            functions[i] = known[i] || served[i] > 0;
        }
        s->view->served = served;
    }
    for (uint32_t i = s->profile->n_functions; options->runtime && i < s->view->n_functions; i++) {
        const uint32_t lisp = s->view->functions[i].lisp;

        functions[i] = lisp > 0 && lisp <= s->view->n_names && s->view->names[lisp - 1].builtin &&
                       !mp_name_is_programs(&s->view->names[lisp - 1]);
    }
    for (size_t i = 0; i < options->n; i++)
        if (!find_matching(s, options->patterns[i], functions, error))
            return false;
    s->functions = functions;
    return true;
}

/* ---------------------------------------------------------------- places */

static const struct mp_frame *
frame_of(const struct skipper *s, uint32_t context)
{
    return &s->view->frames[s->view->contexts[context].frame];
}

static uint32_t
function_at(const struct skipper *s, const struct mp_frame *frame, uint32_t number)
{
    return s->view->locations[frame->first_location + number].function;
}

/* ---------------------------------------------------------------- frames and contexts */

/* Returns the id of a copy of FRAME without the innermost SKIPPED functions. */
static uint32_t
shorter_frame(struct skipper *s, uint32_t frame, uint32_t skipped)
{
    struct mp_profile *view = s->view;
    uint32_t id = s->first_frame + mp_map_add_u64(&s->frames, (uint64_t)frame << 32 | skipped);

    if (id == view->n_frames) {
        view->frames[id] = view->frames[frame];
        view->frames[id].first_location += skipped;
        view->frames[id].n_locations -= skipped;
        view->n_frames++;
    }
    return id;
}

static uint32_t
context_at(struct skipper *s, struct mp_skip_place place)
{
    struct mp_profile *view = s->view;
    uint32_t parent, frame, id;

    if (place.skipped == 0)
        return place.context;
    parent = view->contexts[place.context].parent;
    frame = shorter_frame(s, view->contexts[place.context].frame, place.skipped);
    id = s->first_context + mp_map_add_u64(&s->contexts, (uint64_t)parent << 32 | frame);
    if (id == view->n_contexts)
        view->contexts[view->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
    return id;
}

/* Returns a copy of N items with capacity for CONTEXTS more. */
static void *
copy_with_room(struct skipper *s, const void *items, uint32_t n, uint32_t contexts, size_t size)
{
    void *copy = mp_arena_alloc(s->view->arena, ((size_t)n + contexts) * size);

    if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

static uint32_t
context_of_change(void *data, const struct mp_change *change)
{
    struct skipper *s = data;

    return context_at(s, s->places[change->context]);
}

/* Returns the outermost function that is skipped between CONTEXT and the context that shows its counts, or MP_NO_ID. */
static uint32_t
outermost_skipped(const struct skipper *s, uint32_t context)
{
    const struct mp_skip_place place = s->places[context];

    if (place.skipped > 0)
        return function_at(s, frame_of(s, place.context), place.skipped - 1);
    if (context == place.context)
        return MP_NO_ID;
    while (s->view->contexts[context].parent != place.context)
        context = s->view->contexts[context].parent;
    return function_at(s, frame_of(s, context), frame_of(s, context)->n_locations - 1);
}

/* Sets view->through: for each context, the skipped function that allocated most of its blocks. WAS, IS and ALLOCS have
 * an item for each of the N cells of the view: its context before and after it was moved, and its number of blocks. */
static void
note_through(struct skipper *s, const uint32_t *was, const uint32_t *is, const uint64_t *allocs, uint32_t n)
{
    uint32_t *through = mp_arena_alloc(s->view->arena, s->view->n_contexts * sizeof *through);
    uint64_t *sums = mp_arena_alloc(s->arena, n * sizeof *sums);
    uint64_t *most = mp_arena_alloc(s->arena, s->view->n_contexts * sizeof *most);
    struct mp_map pairs = {.arena = s->arena};

    memset(through, 0xff, s->view->n_contexts * sizeof *through);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t function = outermost_skipped(s, was[i]), pair;

        if (function == MP_NO_ID)
            continue;
        pair = mp_map_add_u64(&pairs, (uint64_t)is[i] << 32 | function);
        sums[pair] = mp_plus(sums[pair], allocs[i]);
        if (through[is[i]] != MP_NO_ID && sums[pair] <= most[is[i]])
            continue;
        through[is[i]] = function;
        most[is[i]] = sums[pair];
    }
    s->view->through = through;
}

/* Moves the cells to their places. At most one new frame and one new context is made for each existing context. */
static void
move_cells(struct skipper *s)
{
    struct mp_profile *view = s->view;
    const uint32_t more = view->n_contexts, n = view->n_cells;
    uint32_t *was = mp_arena_alloc(s->arena, n * sizeof *was), *is = mp_arena_alloc(s->arena, n * sizeof *is);
    uint64_t *allocs = mp_arena_alloc(s->arena, n * sizeof *allocs);

    s->first_frame = view->n_frames;
    s->first_context = view->n_contexts;
    view->frames = copy_with_room(s, view->frames, view->n_frames, more, sizeof *view->frames);
    view->contexts = copy_with_room(s, view->contexts, more, more, sizeof *view->contexts);
    if (view->cells == s->profile->cells)
        view->cells = copy_with_room(s, view->cells, n, 0, sizeof *view->cells);
    for (uint32_t i = 0; i < n; i++) {
        was[i] = view->cells[i].context;
        is[i] = view->cells[i].context = context_at(s, s->places[was[i]]);
        allocs[i] = view->cells[i].counts.allocs;
    }
    note_through(s, was, is, allocs, n);
    view->n_cells = mp_cells_merge(view->cells, n, view->arena);
    if (view->timeline)
        view->timeline = mp_timeline_map(view->timeline, context_of_change, s, view->arena);
}

/* ---------------------------------------------------------------- the list of skipped functions */

/* A name of skipped functions, and the number of allocations that lost such a function. */
struct tally {
    const char *name;
    uint64_t allocs;
};

/* By function of the view: whether it was skipped, and the number of allocations that lost it. */
struct skipped {
    bool *any;
    uint64_t *allocs;
};

/* Counts the functions skipped between CELL and its place. */
static void
count_skipped_of(const struct skipper *s, struct skipped *skipped, const struct mp_cell *cell)
{
    const struct mp_skip_place place = s->places[cell->context];

    for (uint32_t at = cell->context; at != 0; at = s->view->contexts[at].parent) {
        const struct mp_frame *frame = frame_of(s, at);
        uint32_t n = at == place.context ? place.skipped : frame->n_locations;

        for (uint32_t i = 0; i < n; i++) {
            skipped->any[function_at(s, frame, i)] = true;
            skipped->allocs[function_at(s, frame, i)] += cell->counts.allocs;
        }
        if (at == place.context)
            return;
    }
}

static int
compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    if (x->allocs != y->allocs)
        return mp_order(y->allocs, x->allocs);
    return strcmp(x->name, y->name);
}

static void
list_skipped(struct skipper *s)
{
    struct mp_profile *view = s->view;
    struct skipped skipped = {mp_arena_alloc(s->arena, view->n_functions * sizeof *skipped.any),
                              mp_arena_alloc(s->arena, view->n_functions * sizeof *skipped.allocs)};
    struct tally *tallies = mp_arena_alloc(s->arena, view->n_functions * sizeof *tallies);
    struct mp_map names = {.arena = s->arena};

    for (uint32_t i = 0; i < view->n_cells; i++)
        count_skipped_of(s, &skipped, &view->cells[i]);
    for (uint32_t i = 0; i < view->n_functions; i++) {
        const char *name;
        uint32_t id;

        if (!skipped.any[i])
            continue;
        name = i < s->profile->n_functions ? mp_function_bare_name(&s->profile->functions[i], s->arena)
                                           : view->functions[i].text;
        id = mp_map_add(&names, name, strlen(name));
        tallies[id].name = name;
        tallies[id].allocs += skipped.allocs[i];
    }
    if (names.count == 0)
        return;
    qsort(tallies, names.count, sizeof *tallies, compare_tallies);
    view->skipped = mp_arena_alloc(view->arena, names.count * sizeof *view->skipped);
    for (uint32_t i = 0; i < names.count; i++)
        view->skipped[view->n_skipped++] = mp_arena_strdup(view->arena, tallies[i].name);
}

bool
mp_skip(struct mp_profile *view, const struct mp_profile *profile, const struct mp_profile *whole,
        const struct mp_skip *options, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct skipper s = {.view = view, .profile = profile, .whole = whole, .arena = arena, .frames.arena = arena,
                        .contexts.arena = arena};
    bool ok = find_functions(&s, options, error);

    s.places = ok ? mp_skip_places(view, s.functions, arena) : NULL;
    if (s.places) {
        list_skipped(&s);
        if (view->n_skipped > 0)
            move_cells(&s);
    }
    mp_arena_free(arena);
    return ok;
}
