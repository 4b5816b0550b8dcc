#include "layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/heap/heap.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "tables.h"

#define MAX_DEPTH  1000000u     /* maximum number of the interpreter's frames, and maximum length of a list */
#define MAX_BINDINGS (1u << 24)

bool mp_layout_checked;

/* ------------------------------------------------------------------ the table */

static const char *const builds[] = {
#define BUILDS(...) __VA_ARGS__
#define MEMBER(name, ...)
#include "layout.def"
#undef BUILDS
#undef MEMBER
};
#define N_BUILDS (sizeof builds / sizeof *builds)

static const uint16_t members[][N_BUILDS] = {
#define BUILDS(...)
#define MEMBER(name, ...) { __VA_ARGS__ },
#include "layout.def"
#undef BUILDS
#undef MEMBER
};
#define N_MEMBERS (sizeof members / sizeof *members)

static void
take(unsigned build)
{
    uint16_t column[N_MEMBERS];

    _Static_assert(sizeof column == sizeof mp_ecl.at, "a column is a layout");
    for (unsigned i = 0; i < N_MEMBERS; i++)
        column[i] = members[i][build];
    memcpy(&mp_ecl.at, column, sizeof mp_ecl.at);
}

/* ------------------------------------------------------------------ reading memory that may be unmapped */

/* Copies SIZE bytes from ADDRESS. Returns false if they cannot be read. If the kernel does not allow a process to
 * read itself, only memory of libecl and blocks of libgc are read. */
static bool
copy(uintptr_t address, void *to, size_t size)
{
    const long result = mp_sys_peek(address, to, size);

    if (result == 0)
        return true;
    if (result == -EFAULT ||
        (!mp_within(&mp_ecl.libecl_code, address) && !mp_ecl.gc_base((void *)address)))
        return false;
    memcpy(to, (const void *)address, size);
    return true;
}

/* Returns the word OFFSET bytes after BASE, or 0 if it cannot be read. */
static uintptr_t
word(uintptr_t base, size_t offset)
{
    uintptr_t value;

    return base && copy(base + offset, &value, sizeof value) ? value : 0;
}

static bool
is_text(uintptr_t address, const char *text)
{
    char there[32];
    const size_t n = strlen(text) + 1;

    return n <= sizeof there && copy(address, there, n) && memcmp(there, text, n) == 0;
}

static bool
is(uintptr_t object, cl_type type)
{
    struct ecl_dummy header;

    return object && object % sizeof(uintptr_t) == 0 && copy(object, &header, sizeof header) && header.t == (int)type;
}

/* Returns whether OBJECT is a string with the characters TEXT. */
static bool
is_string(uintptr_t object, const char *text)
{
    const size_t n = strlen(text);
    const bool wide = is(object, t_string), string = wide || is(object, t_base_string);
    struct ecl_base_string it;          /* strings of wide characters have the same layout */
    ecl_character characters[32];
    unsigned char bytes[32];

    if (!string || !copy(object, &it, sizeof it) || it.fillp != n || n > sizeof bytes ||
        !copy((uintptr_t)it.self, wide ? (void *)characters : bytes, n * (wide ? sizeof *characters : 1)))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((wide ? characters[i] : bytes[i]) != text[i])
            return false;
    return true;
}

static uintptr_t
symbol(size_t i)
{
    return mp_ecl.symbols.start + i * mp_ecl.at.symbol_size;
}

/* ------------------------------------------------------------------ before ECL starts */

/* Returns whether symbol I is called NAME. Before ECL starts, the first word of a symbol is a C string. */
static bool
is_called(size_t i, const char *name)
{
    return is_text(word(symbol(i), 0), name) ||
           (is(symbol(i), t_symbol) && is_string(word(symbol(i), mp_ecl.at.symbol_name), name));
}

/* Finds the build with matching properties and selects its layout. Returns its name, or NULL. */
static const char *
find_build(void)
{
    for (unsigned i = 0; i < N_BUILDS; i++) {
        take(i);
        if (mp_ecl.core_words.size == mp_ecl.at.core_size && mp_ecl.symbols.size % mp_ecl.at.symbol_size == 0 &&
            is_called(0, "NIL") && is_called(1, "T"))
            return builds[i];
    }
    return NULL;
}

/* Returns the version in the library's file name: "24.5.10" for libecl.so.24.5.10, to which libecl.so.24.5 may be a
 * link. Else returns BUILD. */
static const char *
version(const char *build, char *path, size_t size)
{
    static const char prefix[] = "libecl.so.";
    const long n = mp_sys_readlink(mp_ecl.path, path, size - 1);
    const char *name = mp_ecl.file, *slash;

    if (n > 0) {
        path[n] = '\0';
        slash = strrchr(path, '/');
        name = slash ? slash + 1 : path;
    }
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && name[sizeof prefix - 1] ? name + sizeof prefix - 1 : build;
}

void
mp_layout_open(void)
{
    const char *build = mp_ecl.complete ? find_build() : NULL;
    char path[256];

    if (!build) {               /* empty ranges, so that the hooks do not distinguish callers */
        mp_ecl.cons = mp_ecl.list1 = mp_ecl.alloc_object = mp_ecl.alloc_compact_object = mp_ecl.make_weak_pointer =
            mp_ecl.alloc_instance = (struct mp_range){ 0, 0 };
        mp_layout_refuse();
        return;
    }
    mp_ecl.known = mp_ecl.threads_known = true;
    if (mp_ecl.at.core_setf_definitions)
        mp_ecl.setf_definitions = (cl_object *)((char *)mp_ecl.core + mp_ecl.at.core_setf_definitions);
    snprintf(mp_ecl.name, sizeof mp_ecl.name, "ECL %.40s", version(build, path, sizeof path));
}

/* ------------------------------------------------------------------ objects */

bool
mp_layout_has_size(cl_type type, size_t size)
{
    const uint16_t sizes[t_end] = {
        [t_symbol] = mp_ecl.at.symbol_size, [t_bytecodes] = mp_ecl.at.bytecodes_size,
        [t_package] = sizeof(struct ecl_package),
        [t_vector] = sizeof(struct ecl_vector), [t_string] = sizeof(struct ecl_string),
        [t_base_string] = sizeof(struct ecl_base_string),
        [t_pathname] = sizeof(struct ecl_pathname),
        [t_bclosure] = sizeof(struct ecl_bclosure), [t_cfun] = sizeof(struct ecl_cfun),
        [t_cfunfixed] = sizeof(struct ecl_cfunfixed),
        [t_cclosure] = sizeof(struct ecl_cclosure), [t_instance] = sizeof(struct ecl_instance),
    };

    return !sizes[type] || sizes[type] == size;
}

static bool
is_package(cl_object package, const char *name)
{
    return is((uintptr_t)package, t_package) &&
           is_string(word((uintptr_t)package, offsetof(struct ecl_package, name)), name);
}

/* Returns whether LIST contains OBJECT. */
static bool
is_member(cl_object object, cl_object list)
{
    for (unsigned n = 0; n < MAX_DEPTH && list && ECL_CONSP(list); n++) {
        if (word((uintptr_t)MP_CONS(list), offsetof(struct ecl_cons, car)) == (uintptr_t)object)
            return true;
        list = (cl_object)word((uintptr_t)MP_CONS(list), offsetof(struct ecl_cons, cdr));
    }
    return false;
}

static bool
is_list(uintptr_t object)
{
    return ECL_IMMEDIATE(object) == t_list;
}

/* Returns whether AT is the address of a symbol of COMMON-LISP called NAME. */
static bool
is_symbol(uintptr_t at, const char *name)
{
    return is(at, t_symbol) && is_string(word(at, mp_ecl.at.symbol_name), name) &&
           word(at, mp_ecl.at.symbol_hpack) == (uintptr_t)mp_ecl.core->lisp_package &&
           is_list(word(at, mp_ecl.at.symbol_plist));
}

static bool
external_has(cl_object package, uintptr_t name)
{
    const uintptr_t table = word((uintptr_t)package, offsetof(struct ecl_package, external));
    const uintptr_t entries = is(table, t_hashtable) ? word(table, offsetof(struct ecl_hashtable, data)) : 0;

    return entries && mp_ecl.gc_base((void *)entries) == (void *)entries &&
           mp_lisp_table_has((cl_object)table, (cl_object)name);
}

/* Returns whether FUNCTION, the function of the symbol at AT, has this name and its code in libecl. */
static bool
is_function_of(uintptr_t function, uintptr_t at)
{
    const bool fixed = is(function, t_cfunfixed);
    const uintptr_t name = word(function, fixed ? offsetof(struct ecl_cfunfixed, name)
                                                : offsetof(struct ecl_cfun, name));
    const uintptr_t entry = word(function, fixed ? offsetof(struct ecl_cfunfixed, entry_fixed)
                                                 : offsetof(struct ecl_cfun, entry));

    return name == at && mp_within(&mp_ecl.libecl_code, entry);
}

/* Checks the first of ECL's own symbols that has a compiled function. */
static bool
function_is_right(void)
{
    const size_t n = mp_ecl.symbols.size / mp_ecl.at.symbol_size;

    for (size_t i = 0; i < n; i++) {
        const uintptr_t function = word(symbol(i), offsetof(struct ecl_symbol, gfdef));

        if (is(function, t_cfunfixed) || is(function, t_cfun))
            return is_function_of(function, symbol(i)) &&
                   (!mp_ecl.at.symbol_setf || is_list(word(symbol(i), mp_ecl.at.symbol_setf)));
    }
    return false;
}

static bool
sizes_are_right(void)
{
    for (unsigned t = t_symbol; t < t_weak_pointer; t++)
        if (!mp_layout_has_size((cl_type)t, mp_ecl.object_size((cl_type)t)))
            return false;
    return true;
}

static bool
objects_are_right(void)
{
    const struct cl_core_struct *core = mp_ecl.core;

    return sizes_are_right() && is_package(core->lisp_package, "COMMON-LISP") &&
           is_package(core->user_package, "COMMON-LISP-USER") && is_package(core->keyword_package, "KEYWORD") &&
           is_member(core->lisp_package, core->packages) && is_symbol(symbol(0), "NIL") && is_symbol(symbol(1), "T") &&
           external_has(core->lisp_package, symbol(1)) && function_is_right() &&
           (!mp_ecl.setf_definitions || is((uintptr_t)*mp_ecl.setf_definitions, t_hashtable));
}

/* ------------------------------------------------------------------ environments */

/* Returns whether the indices of the interpreter's frames decrease by 1 from the newest to the oldest, which has
 * index 0. */
static bool
history_is_right(uintptr_t newest)
{
    struct ecl_ihs_frame frame;
    cl_index index = 0;

    for (unsigned n = 0; n < MAX_DEPTH; n++) {
        if (!copy(newest, &frame, sizeof frame) || (n > 0 && frame.index != index - 1))
            return false;
        if (frame.index == 0)
            return true;
        index = frame.index;
        newest = (uintptr_t)frame.next;
    }
    return false;
}

/* Returns whether a stack at ORG is readable, and TOP, its last used frame of SIZE bytes, lies between the frame before
 * ORG and LIMIT. */
static bool
is_stack(uintptr_t org, uintptr_t top, uintptr_t limit, size_t size)
{
    char first;

    return copy(org, &first, 1) && org < limit && top + size >= org && top <= limit;
}

static bool
process_has(uintptr_t process, uintptr_t env)
{
    for (unsigned i = 1; i < MP_PROCESS_WORDS; i++)
        if (word(process, i * sizeof env) == env)
            return true;
    return false;
}

static bool
environment_is_right(uintptr_t env)
{
    const uintptr_t process = word(env, mp_ecl.at.env_own_process);
    const uintptr_t bindings = word(env, mp_ecl.at.env_bindings), n = word(env, mp_ecl.at.env_bindings_size);
    char last;

#define OF(member) word(env, mp_ecl.at.member)
    return copy(env + mp_ecl.at.env_size - 1, &last, 1) && is(process, t_process) && process_has(process, env) &&
           history_is_right(OF(env_ihs_top)) &&
           is_stack(OF(env_stack), OF(env_stack_top), OF(env_stack_limit), 0) &&
           is_stack(OF(env_bds_org), OF(env_bds_top), OF(env_bds_limit), MP_BDS_FRAME) &&
           is_stack(OF(env_frs_org), OF(env_frs_top), OF(env_frs_limit), MP_FRS_FRAME) &&
           n < MAX_BINDINGS && (n == 0 || copy(bindings + n * sizeof bindings - 1, &last, 1)) &&
           copy(OF(env_cs_org) - 1, &last, 1);
#undef OF
}

/* ------------------------------------------------------------------ after ECL has started */

void
mp_layout_refuse(void)
{
    mp_ecl.known = mp_ecl.threads_known = false;
    snprintf(mp_ecl.name, sizeof mp_ecl.name, "ECL, not known to mprof (%.40s%s): no types, no Lisp names",
             mp_ecl.file, mp_ecl.stripped ? ", which is stripped" : "");
    mp_heap_rename();
}

static void
refuse_threads(void)
{
    const size_t n = strlen(mp_ecl.name);

    mp_ecl.threads_known = false;
    snprintf(mp_ecl.name + n, sizeof mp_ecl.name - n, ", its threads not known to mprof");
    mp_heap_rename();
}

void
mp_layout_check_now(void)
{
    const uintptr_t env = (uintptr_t)mp_ecl.process_env();

    if (!env || !mp_ecl.option(ECL_OPT_BOOTED) || !mp_sandbox_enter())
        return;
    mp_layout_checked = true;
    if (!objects_are_right())
        mp_layout_refuse();
    else if (!environment_is_right(env))
        refuse_threads();
    mp_sandbox_leave();
}
