/*
 * monitor.h -- all that a bridge calls.
 *
 * HOOK_FRAME is __builtin_frame_address(0) of the function that the program called; it must be
 * compiled with a frame pointer (-fno-omit-frame-pointer), and its caller is the innermost frame
 * of the chain.  None of these functions changes errno, allocates with malloc, or takes a lock on
 * its common way; all may be called in signal handlers, at any time, in any thread.
 */
#ifndef MP_MONITOR_H
#define MP_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Least distance of two blocks of the program's allocator: 8, 16 or 32 bytes.  To be set before
 * the first call. */
extern unsigned mp_monitor_block_distance;

/* A block of SIZE bytes at BLOCK was allocated; KIND as in sizeclass.h.  Before the program gets it. */
void mp_alloc(const void *block, size_t size, unsigned kind, const void *hook_frame);

/* BLOCK is about to be freed; false: it was not recorded. */
bool mp_free(const void *block, const void *hook_frame);

/* realloc is a free and an allocation.  Before it the record of the old block is taken away; after
 * it, mp_realloc_done() counts both, or mp_realloc_failed() puts the record back. */
uint64_t mp_realloc_begin(const void *old);
void mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size,
                     unsigned kind, const void *hook_frame);
void mp_realloc_failed(const void *old, uint64_t record);

/* From a constructor, an exit function, and around fork and exec: see session.h. */
void mp_monitor_open(void);
void mp_monitor_open_late(void);        /* loaded into a program that runs: not yet recording */
void mp_monitor_operator_new(void);
void mp_monitor_own_malloc(void);
void mp_monitor_library(void);          /* one is loaded whose calls of malloc may not be seen */
void mp_monitor_exit(int status);
void mp_monitor_exec(bool profiled);
void mp_monitor_exec_failed(bool profiled);
void mp_monitor_spawned(bool profiled);
void mp_monitor_forked(void);
void mp_monitor_forked_child(void);
void mp_monitor_code_unloaded(void);

/* The program is about to install a seccomp filter: from now on no system call is made.  To be followed
 * by mp_monitor_shut_done(); FAILED, if this returned true and there is no filter. */
bool mp_monitor_shut(const void *hook_frame);
void mp_monitor_shut_done(bool failed);

/* The program's own system call, by the kernel's number: what the kernel returns. */
long mp_monitor_call(long number, long a, long b, long c, long d, long e, long f);

/* A bridge's own system calls stand between these; false: none may be made, and nothing is to end. */
bool mp_monitor_call_begin(void);
void mp_monitor_call_end(void);

/* The program limits its addresses to BYTES (RLIMIT_AS): what is reserved here is not to use them up. */
void mp_monitor_limit(uint64_t bytes);

/* The allocator was asked to give back to the system what it can: so does the monitor. */
void mp_monitor_trimmed(void);

/* The descriptor of the data file, -1: none; it is far from those that programs count on.  Is it still
 * the file's, or has the program that number for a file of its own?  And: take another number. */
int mp_monitor_descriptor(void);
bool mp_monitor_has_file_open(void);
void mp_monitor_move_descriptor(void);

/* Programs that are started are to be profiled too: not from behind a filter.  And: if one is started
 * now, could its monitor make a data file? */
bool mp_monitor_follows(void);
bool mp_monitor_can_begin(void);

/* Between these two, what the thread does is the bridge's own and not recorded; SAVED is what the
 * first one returned. */
uint32_t mp_monitor_pause(void);
void mp_monitor_resume(uint32_t saved);

/* Record into FILE (NULL: as in the environment) from now on, chains of at most DEPTH frames (0:
 * whole), of recursion the first round only if FOLD; 0 or -errno, of which nothing is said.  And
 * end it. */
int mp_monitor_begin(const char *file, unsigned depth, bool fold);
void mp_monitor_end(void);
bool mp_monitor_active(void);

/* Path of the present or last data file; "": there was none. */
const char *mp_monitor_file(void);

/* ---- a language that has a collected heap and names of its own */

/* What the runtime calls a function. */
struct mp_function_name {
    const char *name, *file;    /* file NULL: not known */
    int64_t position;           /* in the file, characters; -1 not known */
    uint32_t flags;             /* MP_LIVE_NAME_* of format.h, MP_NAME_WEAK */
    uintptr_t outer;            /* start of the function that it lies in ("INNER in OUTER"), or 0;
                                   with an empty name: it is a part of that function */
};
#define MP_NAME_WEAK   (1u << 31)       /* to be replaced by any other name */
#define MP_NAME_OBJECT (1u << 30)       /* it is that of an object of the heap, which may die */
#define MP_NAME_FORMS  (1u << 29)       /* no function, but what makes the functions of a file */
#define MP_NAME_SETTLED (1u << 28)      /* the monitor's own: see mp_name_place() */

/* What kind of objects a kind is; see struct mp_live_kind. */
struct mp_kind_name {
    const char *name;
    unsigned base;
    char category;
};

#define MP_LANGUAGE_PARTS 4
#define MP_INTERPRETERS   2

/* The functions are called on the slow way of any allocation, mostly with the monitor's lock held:
 * they must not allocate (malloc or collected), lock, or unwind. */
struct mp_language {
    const char *name;           /* "ECL 21.2.1" */
    struct { uintptr_t start, size; } runtime[MP_LANGUAGE_PARTS];   /* addresses of its code */

    /* Code whose frames each stand for a function that a word of the frame holds: the function that
     * runs interpreted ones, and the bridge's own.  FUNCTION_WORD: in the frame between SP and CFA,
     * where that word is; always at the same distance from CFA.  0: not found. */
    struct mp_interpreter {
        uintptr_t start, size;
        uintptr_t (*function_word)(uintptr_t sp, uintptr_t cfa);
    } interpreters[MP_INTERPRETERS];

    uint64_t (*allocated)(void);        /* bytes ever allocated in the heap, as the runtime counts */

    /* What the calling thread is called, in ROOM: its chains begin with that.  "": nothing; NULL: that
     * is not known yet.  The lock is not held. */
    const char *(*thread)(char *room, size_t size);

    /* Put the name of interpreted FUNCTION into *NAME, with ROOM for strings. */
    void (*describe)(uintptr_t function, struct mp_function_name *name, char *room, size_t size);

    /* A name is about to be looked for: tell those that have become known (mp_name_tell_held()). */
    void (*settle)(void);

    /* Put a better name for a function than PRESENT into ROOM; false: there is none. */
    bool (*resolve)(const char *present, char *room, size_t size);

    /* The kind that owns the blocks of CONTEXT that are no objects.  The lock is not held. */
    unsigned (*owner)(uint32_t context);

    /* Kinds from first on, n of them, whose data is allocated in the same places: it belongs to the
     * kind of the object that the thread allocated last. */
    struct { unsigned first, n; } family;

    /* May mp_heap_change_kind() be called for objects of KIND? */
    bool (*disputed)(unsigned kind);

    /* Describe KIND. */
    void (*describe_kind)(unsigned kind, struct mp_kind_name *name);
};

/* From now on LANGUAGE is recorded too; it stays for good.  0 or -errno. */
int mp_monitor_language(const struct mp_language *language);

/* The function whose code starts at START has NAME (strings are copied).  Takes the lock. */
void mp_name_tell(uintptr_t start, const struct mp_function_name *name);
bool mp_name_known(uintptr_t start);

/* The same, and what was told of START (NULL: nothing), for who holds the lock. */
void mp_name_tell_held(uintptr_t start, const struct mp_function_name *name);
const char *mp_name_told_held(uintptr_t start);

/* Forget the names of objects (MP_NAME_OBJECT) that are not ALIVE.  Lock held. */
void mp_name_forget_dead(bool (*alive)(const void *object));

/* The compiler made the function that is told under TWIN one with that at START.  TWIN is where that
 * function begins, or, if it begins there too, an address in it that is nobody else's.  Takes the
 * lock. */
enum mp_twin {
    MP_TWIN_CALLED,             /* frames at START may be of either: "A or B" */
    MP_TWIN_COPIED,             /* copies of START's code in other functions may be */
    MP_TWIN_BOTH                /* frames at TWIN, too */
};
void mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how);

/* Functions from START to END may have been copied into each other, and debug information says where:
 * their names are to be in the file though they may be on no chain.  Takes the lock. */
void mp_name_copies(uintptr_t start, uintptr_t end);

/* The function at START has no better name than it has; FILE is where it was defined, NULL: not known.
 * mp_name_settled(): that was told, or the name is not a weak one. */
void mp_name_place(uintptr_t start, const char *file);
bool mp_name_settled(uintptr_t start);

/* Where the function of the code at IP starts; 0: not known. */
uintptr_t mp_monitor_function(uintptr_t ip);

/* The caller of CONTEXT's innermost frame, and in *IP that frame's address; 0: that was the last.
 * Frames that name a generic function or a thread are passed over. */
uint32_t mp_monitor_outer(uint32_t context, uintptr_t *ip);

/* An object or block of SIZE bytes (REQUESTED were asked for) in the collected heap at BLOCK.  KIND
 * as in sizeclass.h; or MP_KIND_OF_OWNER + the kind of the thread's last object: payload, whose
 * owner the language tells.  The cell that counts it, 0: not recorded. */
#define MP_KIND_OF_OWNER 0x10000u
uint32_t mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
                       const void *hook_frame);

/* BLOCK, which was counted in CELL by this thread, turns out to be of KIND. */
void mp_heap_change_kind(const void *block, uint32_t cell, size_t requested, unsigned kind,
                         const void *hook_frame);

/* The context of the objects that CELL counts. */
uint32_t mp_heap_context(uint32_t cell);

/* Does the table say that there is a block at BLOCK that CELL counts? */
bool mp_heap_holds(const void *block, uint32_t cell);

/* BLOCK is freed by hand. */
void mp_heap_free(const void *block);

/* Before the program that the collector stopped goes on, or at least before it can be given again
 * what was collected: take all dead blocks out of the table.  IN_USE: is the block of memory around
 * BLOCK still in use at all (asked once for each 4096 bytes); MARKED: if so, is BLOCK alive; ALIVE:
 * both. */
struct mp_collector {
    bool (*in_use)(const void *block), (*alive)(const void *block);
    int (*marked)(const void *block);   /* 0: no */
};
/* False: nothing is recorded now, and the table still has what died. */
bool mp_heap_sweep(const struct mp_collector *collector);

/* Note in the file how much was allocated in the heap until now. */
void mp_heap_look(void);

/* A form begins to be recorded: the caller of the hook, and what belongs to the same ELF object or to
 * the runtime outwards from there, enter it for the function that it stands in. */
void mp_heap_form(const void *hook_frame);

/* Only the thread TID is recorded (0: all): a remark in the file. */
void mp_heap_only_thread(uint32_t tid);

/* Sums since the recording began, of all threads or of the calling one alone; what is live after
 * the last collection is known of all threads together only.  Payload is not counted as objects. */
struct mp_heap_sums {
    uint64_t objects, bytes, live_objects, live_bytes;
};
void mp_heap_totals(struct mp_heap_sums *sums, bool this_thread);

/* Call WHAT with DATA and the monitor's lock: it waits for nobody and allocates nothing.  Behind a
 * seccomp filter the lock may not be had: then it is not called. */
void mp_monitor_locked(void (*what)(void *data), void *data);

/* Addresses of the dynamic loader: a free() from there may be a dlclose(). */
void mp_monitor_loader(uintptr_t *start, uintptr_t *end);

/* Do both addresses lie in one ELF object?  At any time, also before the monitor is open. */
bool mp_monitor_same_object(uintptr_t a, uintptr_t b);

#endif
