/* SPDX-License-Identifier: MIT */
#include "unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <link.h>
#include <string.h>

#include "code.h"
#include "code_language.h"
#include "config.h"
#include "machine.h"
#include "module.h"
#include "runtime/language/name.h"
#include "runtime/system/gate.h"
#include "runtime/system/imports.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

/* libunwind's names are macros for the names of one machine, for example UNW_OBJ(step) for _ULx86_64_step. */
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

typedef int phdr_callback(struct dl_phdr_info *info, size_t size, void *data);

static struct {
    int (*init_local)(unw_cursor_t *, unw_context_t *);
    int (*step)(unw_cursor_t *);
    int (*get_reg)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
    int (*backtrace)(void **, int);
    int (*getcontext)(unw_context_t *);
    int (*set_caching_policy)(unw_addr_space_t, unw_caching_policy_t);
    void (*set_iterate_phdr)(unw_addr_space_t, int (*)(phdr_callback *, void *));   /* since 1.7; NULL before */
    unw_addr_space_t *local_space;
} unwind;

static bool ready;
static bool code_was_unloaded;          /* the cache of steps may be wrong */

#define MAX_OWN_FRAMES 64       /* frames of the monitor inside of the hook's caller */

/* The thread's walk by libunwind. */
static MP_TLS struct {
    void *guard[5];             /* where a fault leads, __builtin_setjmp() */
    size_t n;                   /* number of frames listed so far */
    bool cut;
} walk;

static size_t list(const void *hook_frame, uint64_t *keys, size_t room);

static struct mp_import iterate_phdr = { .name = "dl_iterate_phdr" };

/* Name of a file that does not exist. libunwind also searches for .debug_frame (aarch64), and would open and map
 * the object's file for that at each step. This name prevents it. */
static const char no_file[] = "/no-debug-frame";

/* Replaces dl_iterate_phdr() for libunwind. The first word of DATA is the address that libunwind's callback
 * searches for, in all versions so far. replace_iterate_phdr() tests once that this is so. */
static int
one_phdr(phdr_callback *callback, void *data)
{
    struct dl_phdr_info info;

    if (!mp_thread.unwinding) {         /* the program uses libunwind, too */
        int (*all)(phdr_callback *, void *);

        memcpy(&all, &iterate_phdr.theirs, sizeof all);
        return all(callback, data);
    }
    if (!mp_module_info(*(const uintptr_t *)data, &info))
        return 0;
    info.dlpi_name = no_file;
    return callback(&info, sizeof info, data);
}

/* Makes libunwind call one_phdr() if ONE, and dl_iterate_phdr() otherwise. Since 1.7, libunwind also has a copy of
 * the imported address. */
static void
set_iterate_phdr(bool one)
{
    int (*function)(phdr_callback *, void *);

    mp_imports_set(&iterate_phdr, 1, one);
    memcpy(&function, one ? &iterate_phdr.ours : &iterate_phdr.theirs, sizeof function);
    if (unwind.set_iterate_phdr)
        unwind.set_iterate_phdr(*unwind.local_space, function);
}

/* Makes LIBRARY, which is libunwind, call one_phdr(). Undoes that if libunwind then finds nothing. */
static void
replace_iterate_phdr(void *library)
{
    int (*ours)(phdr_callback *, void *) = one_phdr;
    struct link_map *map;
    uint64_t key;
    bool cut;

    memcpy(&iterate_phdr.ours, &ours, sizeof ours);
    iterate_phdr.theirs = dlsym(library, iterate_phdr.name);
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !iterate_phdr.theirs ||
        mp_imports_find(map, &iterate_phdr, 1) != 1)
        return;
    set_iterate_phdr(true);
    if (mp_unwind_list(__builtin_frame_address(0), &key, 1, &cut) == 0)
        set_iterate_phdr(false);
}

/* Looks up a function by dlsym(). That returns an object pointer, which may be a function's according to POSIX. */
static bool
find(void *library, const char *name, void *pointer)
{
    void *symbol = dlsym(library, name);

    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

#define HIGH_FD 100             /* first descriptor that programs are not likely to use */

/* Makes libunwind open its pipe now, while all low descriptors are taken. Otherwise it would open it when it is
 * first used. */
static void
first_use(void)
{
    int low[HIGH_FD];
    unsigned n = 0;
    uint64_t key;
    long fd;

    while (n < HIGH_FD && (fd = mp_sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)) >= 0) {
        low[n++] = (int)fd;
        if (fd >= HIGH_FD)
            break;
    }
    list(__builtin_frame_address(0), &key, 1);
    while (n > 0)
        mp_sys_close(low[--n]);
}

bool
mp_unwind_open(void)
{
    void *library;

    if (ready)
        return true;
    library = dlopen(MP_UNWIND_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    ready = find(library, TEXT(unw_init_local), &unwind.init_local) &&
            find(library, TEXT(unw_step), &unwind.step) &&
            find(library, TEXT(unw_get_reg), &unwind.get_reg) &&
            find(library, TEXT(unw_set_caching_policy), &unwind.set_caching_policy) &&
            find(library, TEXT(unw_local_addr_space), &unwind.local_space) &&
            find(library, "unw_backtrace", &unwind.backtrace);
#ifdef MP_MACHINE_GETCONTEXT
    ready = ready && find(library, TEXT(unw_tdep_getcontext), &unwind.getcontext);
#endif
    find(library, TEXT(UNW_OBJ(set_iterate_phdr_function)), &unwind.set_iterate_phdr);
    if (ready) {
        unwind.set_caching_policy(*unwind.local_space, UNW_CACHE_NONE);
        first_use();
        replace_iterate_phdr(library);
    }
    return ready;
}

bool
mp_unwind_calls(uintptr_t address)
{
    uintptr_t start, end;

    mp_module_loader(&start, &end);
    if (address >= start && address < end)
        return true;
    return ready && mp_module_same(address, (uintptr_t)unwind.step);
}

bool
mp_unwind_ready(void)
{
    return ready;
}

/* unw_getcontext() must be called in the function that uses the context. */
#ifdef MP_MACHINE_GETCONTEXT
#define GET_CONTEXT(context) unwind.getcontext(context)
#else
#define GET_CONTEXT(context) unw_getcontext(context)
#endif

static uint64_t
reg(unw_cursor_t *cursor, unw_regnum_t number)
{
    unw_word_t value = 0;

    unwind.get_reg(cursor, number, &value);
    return value;
}

/* Steps outwards to the frame of the hook's caller, with return address IP. Returns false if it is not found. */
static bool
go_to(unw_cursor_t *cursor, uint64_t ip)
{
    for (unsigned i = 0; reg(cursor, UNW_REG_IP) != ip; i++)
        if (i == MAX_OWN_FRAMES || unwind.step(cursor) <= 0)
            return false;
    return true;
}

static MP_NOINLINE size_t
list(const void *hook_frame, uint64_t *keys, size_t room)
{
    unw_context_t context;
    unw_cursor_t cursor;
    uint64_t sp = 0, interpreted;
    unsigned jumps = 0;
    size_t n = 0;

    GET_CONTEXT(&context);
    if (unwind.init_local(&cursor, &context) < 0 ||
        !go_to(&cursor, mp_machine_caller_key(hook_frame)))
        return 0;
    do {
        const uint64_t ip = reg(&cursor, UNW_REG_IP), caller_sp = reg(&cursor, UNW_REG_SP);

        if (ip == 0)
            break;
        if (caller_sp <= sp && jumps++ == MP_MAX_JUMPS) {
            walk.cut = true;
            break;
        }
        if (n > 0 && mp_code_in_interpreter(keys[n - 1]) &&
            (interpreted = mp_code_interpreted(keys[n - 1], sp, caller_sp)))
            keys[n - 1] = interpreted;
        sp = caller_sp;
        keys[n++] = mp_code_address(ip);
        walk.n = n;
    } while (n < room && unwind.step(&cursor) > 0);
    return n;
}

/* Removes the monitor's frames from the N addresses in KEYS, which unw_backtrace() stored there, and makes keys of the
 * others. Returns their number. On some machines (aarch64), unw_backtrace() stores one less than the return address,
 * except for frames that a signal interrupted. */
static size_t
keep_callers(const void *hook_frame, uint64_t *keys, size_t n)
{
    uint64_t caller = mp_machine_caller_key(hook_frame);
    size_t from = 0, i;
    bool one_less;

    while (from < n && keys[from] != caller && keys[from] + 1 != caller)
        from++;
    one_less = from < n && keys[from] != caller;
    for (i = from; i < n && keys[i]; i++) {
        bool called = i == from || !mp_code_is_signal_return(keys[i - from - 1]);

        keys[i - from] = mp_code_address(keys[i]) + (one_less && called);
    }
    return i - from;
}

/* Does what list() does, with the cache. Returns ROOM if the chain may be longer. */
static size_t
list_cached(const void *hook_frame, uint64_t *keys, size_t room)
{
    const int n = unwind.backtrace((void **)keys, room < INT32_MAX ? (int)room : INT32_MAX);

    return (size_t)n == room ? room : keep_callers(hook_frame, keys, (size_t)n);
}

#ifdef MP_MACHINE_LOAD
static void
leave_libunwind(void)
{
    __builtin_longjmp(walk.guard, 1);
}

bool
mp_unwind_recover(ucontext_t *context, uintptr_t ip)
{
    if (!ready || !mp_thread.unwinding || !mp_module_same(ip, (uintptr_t)unwind.step))
        return false;
    mp_machine_call(context, leave_libunwind);
    return true;
}
#endif

/* Calls LISTER as work of the monitor. libunwind allocates thread-local storage at its first use in a thread, which
 * is not the program's. Therefore the thread has no valid generation meanwhile, so that a sampled recording does not
 * count it. Preserves errno, because libunwind does not. */
static size_t
guarded(size_t (*lister)(const void *, uint64_t *, size_t), const void *hook_frame, uint64_t *keys,
        size_t room, bool *cut)
{
    const int error = errno;
    const uint32_t generation = mp_thread.generation;
    size_t n;

    *cut = true;
    if (!ready || !mp_sandbox_enter())  /* libunwind also makes system calls */
        return 0;
    walk.n = 0;
    walk.cut = false;
    mp_thread.unwinding++;
    mp_thread.generation = UINT32_MAX;
    if (__builtin_setjmp(walk.guard) == 0) {
        n = lister(hook_frame, keys, room);
    } else {
        n = walk.n;
        walk.cut = true;
    }
    mp_thread.generation = generation;
    mp_thread.unwinding--;
    mp_sandbox_leave();
    errno = error;
    *cut = walk.cut;
    return n;
}

size_t
mp_unwind_list(const void *hook_frame, uint64_t *keys, size_t room, bool *cut)
{
    return guarded(list, hook_frame, keys, room, cut);
}

void
mp_unwind_code_unloaded(void)
{
    MP_LOCK_HELD();
    code_was_unloaded = true;
}

/* Lists the chain with the cache although libunwind will probably run into memory that is not readable. */
static size_t
list_up_to_fault(const void *hook_frame, uint64_t *keys, size_t room, bool *cut)
{
    size_t n;

    memset(keys, 0, room * sizeof *keys);       /* so that the number of frames is known after the fault */
    n = guarded(list_cached, hook_frame, keys, room, cut);
    if (!*cut)
        return n;
    while (n < room && keys[n])
        n++;
    return keep_callers(hook_frame, keys, n);
}

size_t
mp_unwind_list_fast(const void *hook_frame, uint64_t *keys, size_t room, bool *cut)
{
    size_t n;

    if (code_was_unloaded || mp_language)
        return mp_unwind_list(hook_frame, keys, room, cut);
    n = guarded(list_cached, hook_frame, keys, room, cut);
    if (*cut && ready)
        n = list_up_to_fault(hook_frame, keys, room, cut);
    if (n == room)              /* perhaps a chain that goes in circles, which the cache does not notice */
        n = mp_unwind_list(hook_frame, keys, room, cut);
    return n;
}
