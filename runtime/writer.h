/* SPDX-License-Identifier: MIT */
/*
 * writer.h -- finds out which process writes a live file and whether it is running. Used by the monitor and the
 * reporter.
 *
 * A process is identified by its pid and start time. The pid is valid in one pid namespace only. In another
 * namespace one can only test whether any process has the file open for writing; a mapping keeps it open. For
 * that, F_SETLEASE of fcntl(2) grants a read lease only if no process has it open for writing, in whatever
 * namespace.
 */
#ifndef MP_WRITER_H
#define MP_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/decimal.h"
#include "format.h"

#define MP_PID_NAMESPACE "/proc/self/ns/pid"

enum mp_writer {
    MP_WRITER_GONE,
    MP_WRITER_RUNS,
    MP_WRITER_UNSEEN            /* unknown, because its pid belongs to another namespace */
};

/* The pids that /proc shows to the caller. */
struct mp_writer_view {
    uint64_t namespace;         /* pid namespace of the caller; 0 if /proc shows another one or none */
    uint64_t (*start_ticks)(uint32_t pid);      /* returns a process's start time in clock ticks since boot, or 0
                                                   if it does not exist or has ended */
};

/* Returns the decimal number at TEXT. */
static inline uint64_t
mp_writer_number(const char *text)
{
    return mp_take_decimal(&text);
}

/* Returns the inode number in LINK, the target of MP_PID_NAMESPACE. For example, 4026531836 for
 * "pid:[4026531836]". Returns 0 if LINK contains no number. */
static inline uint64_t
mp_writer_namespace(const char *link)
{
    const char *bracket = strchr(link, '[');

    return bracket ? mp_writer_number(bracket + 1) : 0;
}

/* Returns field 22 of STAT, the text of /proc/PID/stat, "pid (name) state ...": the start time in clock ticks
 * since boot. The name may contain spaces and parentheses. Returns 0 if the process has ended. */
static inline uint64_t
mp_writer_start_ticks(const char *stat)
{
    const char *at = strrchr(stat, ')');

    if (!at || at[1] != ' ' || strchr("ZXx", at[2]))
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? mp_writer_number(at + 1) : 0;
}

/* Finds out whether the process that writes the file is running, judged by its pid only. */
static inline enum mp_writer
mp_writer_by_number(const struct mp_live_header *header, const struct mp_writer_view *view)
{
    if (header->start_ticks == 0 ||
        (header->pid_namespace != 0 && header->pid_namespace != view->namespace))
        return MP_WRITER_UNSEEN;
    return view->start_ticks(header->pid) == header->start_ticks ? MP_WRITER_RUNS : MP_WRITER_GONE;
}

/* Returns whether the process has stopped writing to this file, even if it is running. */
static inline bool
mp_writer_has_left(const struct mp_live_header *header)
{
    return header->state == MP_STATE_EXEC || header->state == MP_STATE_SNAPSHOT ||
           header->control.followed == 1;
}

/* Returns whether the mprof run that will seal the file is running. */
static inline bool
mp_writer_is_waited_for(const struct mp_live_header *header, const struct mp_writer_view *view)
{
    return header->run_start_ticks != 0 &&
           view->start_ticks(header->run_pid) == header->run_start_ticks;
}

#endif
