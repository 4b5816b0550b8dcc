/* SPDX-License-Identifier: MIT */
#include "lisp.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector.h"
#include "deferred.h"
#include "ecl.h"
#include "graph_snapshot.h"
#include "ecl_hooks.h"
#include "kinds.h"
#include "layout.h"
#include "libgc.h"
#include "names.h"
#include "print_object.h"
#include "runtime/compiler.h"
#include "runtime/heap/heap_record.h"
#include "runtime/heap_format.h"
#include "runtime/monitor.h"
#include "runtime/session/session.h"
#include "runtime/session/session_checkpoint.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"

/* ------------------------------------------------------------------ the interpreter's frames */

/* Returns the address of the word that contains the interpreted function in the frame between SP and CFA, or 0.
 * ecl_interpret() has an ecl_ihs_frame among its local variables and first links it into the list in the thread's
 * environment. */
static uintptr_t
function_word(uintptr_t sp, uintptr_t cfa)
{
    struct cl_env_struct *env = mp_ecl.threads_known ? mp_ecl.process_env() : NULL;
    struct ecl_ihs_frame *record = env ? (void *)MP_MEMBER(env, env_ihs_top) : NULL;

    while (record && (uintptr_t)record < sp && record->next != record)
        record = record->next;
    if (!record || (uintptr_t)record < sp || (uintptr_t)(record + 1) > cfa)
        return 0;
    return (uintptr_t)&record->function;
}

/* Returns "thread NAME" for a thread that Lisp created or knows, and "" for the main thread or if threads are
 * unknown. Returns NULL if the thread's process object is missing. */
static const char *
thread_name(char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    struct cl_env_struct *env;
    cl_object process;

    if (!mp_ecl.threads_known)
        return "";
    env = mp_ecl.process_env();
    process = env ? MP_MEMBER(env, env_own_process) : NULL;
    if (!mp_lisp_is(process, t_process))
        return NULL;
    if (mp_sys_gettid() == mp_sys_getpid())
        return "";
    mp_text_put(&text, "thread ");
    mp_text_princ(&text, process->process.name);
    return room;
}

static enum mp_event
treated(const void *block)
{
    size_t size;
    const int kind = mp_ecl.gc_kind ? mp_ecl.gc_kind(block, &size) : MP_GC_NORMAL;

    return kind == MP_GC_ATOMIC ? MP_EVENT_ATOMIC : kind == MP_GC_NORMAL ? MP_EVENT_POINTERS : MP_EVENT_UNCOLLECTABLE;
}

static uint64_t
allocated(void)
{
    return mp_ecl.gc_total();
}

static uint64_t
collector(struct mp_live_header *header)
{
    header->collector_divisor = mp_ecl.gc_divisor ? (uint32_t)mp_ecl.gc_divisor() : 0;
    header->collector_flags = mp_ecl.gc_is_incremental && mp_ecl.gc_is_incremental()
                                  ? MP_COLLECTOR_INCREMENTAL : 0;
    return mp_ecl.gc_heap_size ? mp_ecl.gc_heap_size() : 0;
}

static bool is_open, is_on, is_preloaded;

static struct mp_language language = {
    .name = mp_ecl.name,
    .treated = treated,
    .allocated = allocated,
    .collector = collector,
    .settle = mp_lisp_settle_methods,
    .thread = thread_name,
    .describe = mp_lisp_describe,
    .resolve = mp_lisp_resolve,
    .owner = mp_lisp_owner,
    .family = { MP_LISP_KIND(t_array), t_bitvector - t_array + 1 },
    .disputed = mp_lisp_is_provisional,
    .describe_kind = mp_lisp_describe_kind,
};

/* ------------------------------------------------------------------ attach */

static int
open_bridge(void)
{
    const struct mp_range *parts[MP_LANGUAGE_PARTS] = { &mp_ecl.libecl_code, &mp_ecl.libgc_code,
                                                        &mp_ecl.libgmp_code, &mp_ecl.program_code };
    enum mp_ecl_found found = mp_ecl_find();

    if (is_open)
        return 0;
    if (found == MP_ECL_ABSENT)
        return -ENOENT;
    if (found == MP_ECL_FOUND) {
        mp_layout_open();
        if (!mp_lisp_hooks_find())
            found = MP_ECL_INCOMPLETE;
    }
    if (found == MP_ECL_INCOMPLETE) {
        mp_heap_unrecorded(mp_ecl.name);
        return -ENOTSUP;
    }
    if (mp_ecl.known) {
        for (unsigned i = 0; i < MP_LANGUAGE_PARTS; i++) {
            language.runtime[i].start = parts[i]->start;
            language.runtime[i].size = parts[i]->size;
        }
        language.interpreters[0] = (struct mp_interpreter){ mp_ecl.interpret.start,
                                                            mp_ecl.interpret.size, function_word };
        mp_lisp_dispatch_open(&language.interpreters[1]);
        mp_lisp_owners_open();
    }
    if (!mp_lisp_kinds_open() || mp_heap_open(&language) != 0)
        return -ENOMEM;
    if (mp_ecl.known)
        mp_lisp_name_runtime();
    mp_lisp_name_files();
    mp_lisp_graph_open();
    mp_lisp_collector_open();
    is_open = true;
    mp_layout_check();
    return 0;
}

static void
set(bool on)
{
    if (is_on == on)
        return;
    is_on = on;
    mp_lisp_hooks_set(on);
    mp_lisp_dispatch_set(on);
    if (!on) {
        mp_layout_check();
        mp_lisp_finish();
        mp_heap_look();
    }
}

void
mp_lisp_open(void)
{
    uint32_t saved = mp_monitor_pause();
    int result = open_bridge();

    is_preloaded = true;
    if (result == 0)
        set(true);
    mp_monitor_resume(saved);
}

void
mp_lisp_exit(void)
{
    if (!is_on)
        return;
    mp_layout_check();
    mp_lisp_finish();
    mp_heap_look();
}

/* ------------------------------------------------------------------ functions for the Lisp module */

static int
open_first(void)
{
    uint32_t saved = mp_monitor_pause();
    int result = open_bridge();

    mp_monitor_resume(saved);
    return result;
}

/* `wanted` is the value that mp_lisp_recorded has while hold() does not suspend recording. `noted` is the field
 * one_thread of the file's header. */
static uint32_t wanted, noted;

static void
hold(bool on)
{
    mp_lisp_recorded = on ? MP_LISP_NONE : wanted;
}

/* Notes in the file that objects of the thread TID are recorded from now on, or of all threads if TID is 0. */
static void
note_thread(uint32_t tid)
{
    noted = noted == 0 || noted == tid ? tid : MP_SOME_THREADS;
    mp_heap_only_thread(noted);
}

static int
start(const char *file, const struct mprof_lisp_wish *wish)
{
    uint32_t saved = mp_monitor_pause();
    int result = open_bridge();

    if (result == 0)
        result = mp_monitor_begin(file, wish->depth, wish->fold, wish->sample);
    if (result == 0) {
        if (!wish->again) {
            mp_lisp_recording++;
            noted = 0;
        }
        mp_heap_only_thread(noted);
        wanted = wish->joined ? MP_LISP_JOINED : MP_LISP_ALL;
        hold(false);
        set(true);
    }
    mp_monitor_resume(saved);
    return result;
}

static void
join(void)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;

    if (self->recording != mp_lisp_recording) {
        self->recording = mp_lisp_recording;
        self->joins = 0;
    }
    self->joins++;
    if (wanted == MP_LISP_JOINED)
        note_thread((uint32_t)mp_sys_gettid());
}

static void
part(void)
{
    struct mp_lisp_thread *self = &mp_lisp_thread;

    if (self->recording == mp_lisp_recording && --self->joins == 0)
        self->recording = 0;
}

static void
widen(void)
{
    if (wanted == MP_LISP_ALL)
        return;
    wanted = MP_LISP_ALL;
    note_thread(0);
    if (mp_lisp_recorded != MP_LISP_NONE)
        hold(false);
}

static void
stop(void)
{
    uint32_t saved = mp_monitor_pause();

    if (is_on) {
        mp_lisp_hooks_set(false);
        mp_monitor_resume(saved);
        mp_lisp_finish();
        saved = mp_monitor_pause();
        set(false);
        wanted = MP_LISP_ALL;
        hold(false);
    }
    mp_session_end();
    mp_monitor_resume(saved);
}

/* First determines the classes of the thread's last objects, because objects cannot change their kind while recording
 * pauses. */
static uint32_t
pause_recording(void)
{
    if (is_on)
        mp_lisp_finish();
    return mp_monitor_pause();
}

static void
form(void)
{
    if (is_on)
        mp_heap_form(__builtin_frame_address(0));
}

/* Sets a checkpoint. First determines the classes of this thread's last objects. */
static bool
checkpoint(const char *name)
{
    if (is_on)
        mp_lisp_finish();
    return mp_session_checkpoint(name, __builtin_frame_address(0));
}

static uint32_t
recorder(void)
{
    return mp_heap_recorder(__builtin_frame_address(0));
}

/* Takes a heap snapshot. First determines the classes of this thread's last objects. */
static long
heap(const char *name, const char *file, bool collect, bool in_place, bool wait, bool strings, char *path, size_t size)
{
    const struct mp_lisp_graph_wish wish = { .trigger = MP_TRIGGER_CALL, .name = name, .file = file, .collect = collect,
                                             .in_place = in_place, .wait = wait, .strings = strings };

    if (is_on)
        mp_lisp_finish();
    return mp_lisp_graph_make(&wish, path, size);
}

static long
heap_to_read(const char *file, char *path, size_t size)
{
    const struct mp_lisp_graph_wish wish = { .trigger = MP_TRIGGER_CALL, .file = file, .collect = true, .wait = true,
                                             .passing = true, .strings = true };

    if (is_on)
        mp_lisp_finish();
    return mp_lisp_graph_make(&wish, path, size);
}

static void
totals(struct mp_heap_sums *sums, bool this_thread)
{
    mp_heap_totals(sums, this_thread, __builtin_frame_address(0));
}

static bool
preloaded(void)
{
    return is_preloaded;
}

static void
name_function(void *object)
{
    if (is_open)
        mp_lisp_name_function(object);
}

static void
name_method(void *object)
{
    if (is_open)
        mp_lisp_name_method(object);
}

static bool
finalize(bool on)
{
    const bool before = mp_ecl.gc_set_on_demand && mp_ecl.gc_on_demand && !mp_ecl.gc_on_demand();

    if (before != on && mp_ecl.gc_set_on_demand)
        mp_ecl.gc_set_on_demand(!on);
    return before;
}

MP_PUBLIC const struct mprof_lisp mprof_lisp = {
    .size = sizeof(struct mprof_lisp),
    .open = open_first,
    .start = start,
    .join = join,
    .part = part,
    .widen = widen,
    .stop = stop,
    .active = mp_session_active,
    .preloaded = preloaded,
    .file = mp_monitor_file,
    .totals = totals,
    .name_function = name_function,
    .name_method = name_method,
    .finalize = finalize,
    .at_collection = mp_lisp_collector_tell,
    .form = form,
    .hold = hold,
    .pause = pause_recording,
    .resume = mp_monitor_resume,
    .checkpoint = checkpoint,
    .recorder = recorder,
    .heap = heap,
    .heap_to_read = heap_to_read,
    .heap_left = mp_lisp_graph_left,
    .own_places = mp_graph_own_places,
};
