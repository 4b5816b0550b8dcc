/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "print_object.h"
#include "runtime/heap/heap_record.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "hash_tables.h"

#define WORD sizeof(cl_object)
#define MAX_DEPTH  1000000u     /* maximum number of the interpreter's frames, and maximum length of a list */
#define MAX_BINDINGS (1u << 24)

bool mp_layout_checked;

/* ------------------------------------------------------------------ reading memory that may be unmapped */

/* Copies SIZE bytes from ADDRESS. Returns false if they cannot be read. If the kernel does not allow a process to
 * read itself, or the process is sandboxed, only memory of libecl and blocks of libgc are read. */
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

/* Returns whether the symbol at AT is called NAME. Before ECL starts, the first word of a symbol is a C string. */
static bool
is_called(uintptr_t at, const char *name)
{
    return is_text(word(at, 0), name) || (is(at, t_symbol) && is_string(word(at, mp_ecl.at.symbol_name), name));
}

/* Finds the size of symbols: the distance from NIL to T in the table of ECL's own symbols. */
static bool
find_symbols(void)
{
    const uintptr_t nil = mp_ecl.symbols.start;

    for (size_t size = 0; size <= UINT8_MAX; size += WORD)
        if (mp_places_of_symbols(&mp_ecl.at, size) && mp_ecl.symbols.size % size == 0 && is_called(nil, "NIL") &&
            is_called(nil + size, "T"))
            return true;
    return false;
}

/* Names ECL by the version in the library's file name: "ECL 24.5.10" for libecl.so.24.5.10, to which libecl.so.24.5
 * may be a link; else by the file that contains ECL. */
static void
put_name(void)
{
    static const char prefix[] = "libecl.so.";
    struct mp_text text = mp_text_begin(mp_ecl.name, sizeof mp_ecl.name);
    char path[256];
    const long n = mp_sys_readlink(mp_ecl.path, path, sizeof path - 1);
    const char *name = mp_ecl.file, *slash;

    mp_text_put(&text, "ECL");
    if (n > 0) {
        path[n] = '\0';
        slash = strrchr(path, '/');
        name = slash ? slash + 1 : path;
    }
    if (strncmp(name, prefix, sizeof prefix - 1) == 0 && name[sizeof prefix - 1]) {
        mp_text_put(&text, " ");
        mp_text_put(&text, name + sizeof prefix - 1);
    } else {
        mp_text_put(&text, " in ");
        mp_text_put(&text, mp_ecl.file);
    }
}

void
mp_layout_open(void)
{
    if (!mp_ecl.complete || !find_symbols()) {  /* empty ranges, so that the hooks do not distinguish callers */
        mp_ecl.cons = mp_ecl.list1 = mp_ecl.alloc_object = mp_ecl.alloc_compact_object = mp_ecl.make_weak_pointer =
            mp_ecl.alloc_instance = (struct mp_range){ 0, 0 };
        mp_layout_refuse();
        return;
    }
    mp_ecl.known = true;
    put_name();
}

/* ------------------------------------------------------------------ objects */

bool
mp_layout_has_size(cl_type type, size_t size)
{
    const uint16_t sizes[t_end] = {
        [t_symbol] = mp_ecl.at.symbol_size, [t_package] = sizeof(struct ecl_package),
        [t_vector] = sizeof(struct ecl_vector), [t_string] = sizeof(struct ecl_string),
        [t_base_string] = sizeof(struct ecl_base_string),
        [t_pathname] = sizeof(struct ecl_pathname),
        [t_bclosure] = sizeof(struct ecl_bclosure), [t_cfun] = sizeof(struct ecl_cfun),
        [t_cfunfixed] = sizeof(struct ecl_cfunfixed),
        [t_cclosure] = sizeof(struct ecl_cclosure), [t_instance] = sizeof(struct ecl_instance),
        [t_codeblock] = sizeof(struct ecl_codeblock),
    };

    return type >= t_end || !sizes[type] || sizes[type] == size;
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

/* Returns whether AT is the address of a symbol of COMMON-LISP called NAME. ECL fills its own symbols before it makes
 * any function. */
static bool
is_symbol(uintptr_t at, const char *name)
{
    return is(at, t_symbol) && is_string(word(at, mp_ecl.at.symbol_name), name) &&
           word(at, mp_ecl.at.symbol_hpack) == (uintptr_t)mp_ecl.core->lisp_package &&
           is_list(word(at, mp_ecl.at.symbol_plist)) &&
           (!mp_ecl.at.symbol_setf || is_list(word(at, mp_ecl.at.symbol_setf)));
}

static bool
sizes_are_right(void)
{
    for (unsigned t = t_symbol; t < t_weak_pointer; t++)
        if (!mp_layout_has_size((cl_type)t, mp_ecl.object_size((cl_type)t)))
            return false;
    return mp_places_of_bytecodes(&mp_ecl.at, mp_ecl.object_size(t_bytecodes));
}

static bool
symbols_are_right(void)
{
    return is_package(mp_ecl.core->lisp_package, "COMMON-LISP") && is_symbol(symbol(0), "NIL") &&
           is_symbol(symbol(1), "T") && sizes_are_right();
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
            return is_function_of(function, symbol(i));
    }
    return false;
}

/* Finds the hash table of functions with names like (SETF FOO), unless symbols have these functions themselves. It is
 * the second of the only two hash tables in cl_core that are neighbours; the first is the table of property lists.
 * Returns false if it is not found. */
static bool
find_setf_definitions(void)
{
    const uintptr_t core = mp_ecl.core_words.start;

    if (mp_ecl.at.symbol_setf || !mp_ecl.at.symbol_whole)
        return true;
    for (size_t at = WORD; at < mp_ecl.core_words.size && !mp_ecl.setf_definitions; at += WORD)
        if (is(word(core, at), t_hashtable) && is(word(core, at - WORD), t_hashtable))
            mp_ecl.setf_definitions = (const cl_object *)(core + at);
    return mp_ecl.setf_definitions;
}

static bool
objects_are_right(void)
{
    const struct cl_core_struct *core = mp_ecl.core;

    return mp_ecl.symbols_known && is_package(core->user_package, "COMMON-LISP-USER") &&
           is_package(core->keyword_package, "KEYWORD") && is_member(core->lisp_package, core->packages) &&
           external_has(core->lisp_package, symbol(1)) && function_is_right() && find_setf_definitions();
}

/* ------------------------------------------------------------------ environments */

/* Returns whether word PLACE of the interpreter's frames is their index, which decreases by 1 from the newest to the
 * oldest, whose index is 0. */
static bool
are_indices(uintptr_t newest, unsigned place)
{
    uintptr_t frame[MP_IHS_WORDS], index = 0;

    for (unsigned n = 0; n < MAX_DEPTH; n++) {
        if (!copy(newest, frame, (place + 1) * WORD) || (n > 0 && frame[place] != index - 1))
            return false;
        if (frame[place] == 0)
            return true;
        index = frame[place];
        newest = frame[0];
    }
    return false;
}

static bool
history_is_right(uintptr_t newest)
{
    for (unsigned place = sizeof(struct ecl_ihs_frame) / WORD; place < MP_IHS_WORDS; place++)
        if (are_indices(newest, place))
            return true;
    return false;
}

/* Returns whether a stack at ORG with frames of SIZE bytes is readable, and TOP, its last used frame, is at most LIMIT.
 * If no frame is in use, TOP is the frame before ORG. */
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
environment_is_right(uintptr_t env, const struct mp_ecl_layout *at)
{
    const uintptr_t process = word(env, at->env_own_process);
    const uintptr_t bindings = word(env, at->env_bindings), n = word(env, at->env_bindings_size);
    char last;

#define OF(member) word(env, at->member)
    return copy(env + at->env_size - 1, &last, 1) && is(process, t_process) && process_has(process, env) &&
           history_is_right(OF(env_ihs_top)) &&
           is_stack(OF(env_stack), OF(env_stack_top), OF(env_stack_limit), 0) &&
           is_stack(OF(env_bds_org), OF(env_bds_top), OF(env_bds_limit), MP_BDS_FRAME) &&
           is_stack(OF(env_frs_org), OF(env_frs_top), OF(env_frs_limit), MP_FRS_FRAME) &&
           n < MAX_BINDINGS && (n == 0 || copy(bindings + n * sizeof bindings - 1, &last, 1)) &&
           copy(OF(env_cs_org) - 1, &last, 1);
#undef OF
}

/* Chooses the column of environments.def with which the calling thread's environment at ENV agrees. */
static bool
find_environment(uintptr_t env)
{
    struct mp_ecl_layout at;

    for (unsigned i = 0; mp_places_of_environment(&at, i); i++)
        if (environment_is_right(env, &at))
            return mp_places_of_environment(&mp_ecl.at, i);
    return false;
}

/* ------------------------------------------------------------------ the check */

static void
refuse(void)
{
    mp_ecl.known = mp_ecl.symbols_known = mp_ecl.threads_known = mp_ecl.references_known = false;
    snprintf(mp_ecl.name, sizeof mp_ecl.name, "ECL, not known to mprof (%.40s%s): no types, no Lisp names",
             mp_ecl.file, mp_ecl.stripped ? ", which is stripped" : "");
}

void
mp_layout_refuse(void)
{
    struct mp_gate_hold hold;
    const bool locked = mp_gate_lock(&hold);

    refuse();
    mp_gate_unlock(&hold);
    if (locked)
        mp_heap_rename();
}

/* Appends the parts of ECL that mprof does not know to ECL's name. */
static void
put_unknown(void)
{
    const size_t n = strlen(mp_ecl.name);

    if (!mp_ecl.references_known)
        snprintf(mp_ecl.name + n, sizeof mp_ecl.name - n, ", %s not known to mprof",
                 mp_ecl.threads_known ? "some members of its objects" : "its threads");
}

/* Sets a flag of mp_ecl. A thread that sees it also sees what was written before. */
static void
set(bool *known, bool value)
{
    __atomic_store_n(known, value, __ATOMIC_RELEASE);
}

/* Verifies the members that can be verified only after ECL has started. */
static void
check_all(uintptr_t env)
{
    if (objects_are_right()) {
        set(&mp_ecl.threads_known, find_environment(env));
        set(&mp_ecl.references_known, mp_ecl.threads_known && mp_ecl.at.symbol_whole && mp_ecl.at.bytecodes_whole);
        put_unknown();
    } else {
        refuse();
    }
    set(&mp_layout_checked, true);
}

/* Verifies the members of mp_ecl that are not verified yet. Most of them must wait until ECL has STARTED. */
static void
check(uintptr_t env, bool started)
{
    if (!mp_ecl.symbols_known)
        set(&mp_ecl.symbols_known, symbols_are_right());
    if (started)
        check_all(env);
    else if (mp_ecl.symbols_known && !mp_ecl.threads_known)
        set(&mp_ecl.threads_known, find_environment(env));
}

void
mp_layout_check_now(void)
{
    const uintptr_t env = (uintptr_t)mp_ecl.process_env();
    const bool started = mp_ecl.option(ECL_OPT_BOOTED) != 0;
    struct mp_gate_hold hold;

    if (!env || (mp_ecl.threads_known && !started))
        return;
    if (mp_gate_lock(&hold) && mp_ecl.known && !mp_layout_checked)
        check(env, started);
    mp_gate_unlock(&hold);
    if (mp_layout_checked)
        mp_heap_rename();
}
