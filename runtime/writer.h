/*
 * writer.h -- who writes a live file, and whether that process still runs: what monitor and reporter
 * share.
 *
 * A process is its number and when it started.  The number counts in one pid namespace: where another
 * one is seen, it says nothing, and what tells is whether anybody has the file open for writing, which
 * a mapping keeps it.  A lease for reading is granted only if nobody has (F_SETLEASE of fcntl(2)),
 * wherever those processes are.
 */
#ifndef MP_WRITER_H
#define MP_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format.h"

#define MP_PID_NAMESPACE "/proc/self/ns/pid"

enum mp_writer {
    MP_WRITER_GONE,
    MP_WRITER_RUNS,
    MP_WRITER_UNSEEN            /* its number says nothing here */
};

/* Which process's numbers /proc has here, and what it says. */
struct mp_writer_view {
    uint64_t namespace;         /* of the caller, 0: /proc shows another, or none */
    uint64_t (*start_ticks)(uint32_t pid);      /* 0: there is none, or it has ended */
};

/* The decimal number at TEXT. */
static inline uint64_t
mp_writer_number(const char *text)
{
    uint64_t number = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

/* The inode number in "pid:[4026531836]", which MP_PID_NAMESPACE links to; 0: there is none. */
static inline uint64_t
mp_writer_namespace(const char *link)
{
    const char *bracket = strchr(link, '[');

    return bracket ? mp_writer_number(bracket + 1) : 0;
}

/* Field 22 of /proc/PID/stat, "pid (name) state ...": when it started, in clock ticks since boot.  The
 * name may hold spaces and parentheses.  0: it has ended. */
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

/* Whether the process that writes the file runs, by its number alone. */
static inline enum mp_writer
mp_writer_by_number(const struct mp_live_header *header, const struct mp_writer_view *view)
{
    if (header->start_ticks == 0 ||
        (header->pid_namespace != 0 && header->pid_namespace != view->namespace))
        return MP_WRITER_UNSEEN;
    return view->start_ticks(header->pid) == header->start_ticks ? MP_WRITER_RUNS : MP_WRITER_GONE;
}

/* Is nothing more written to the file, although its process may run? */
static inline bool
mp_writer_has_left(const struct mp_live_header *header)
{
    return header->state == MP_STATE_EXEC || header->state == MP_STATE_SNAPSHOT ||
           header->control.followed == 1;
}

/* Is the mprof run there that will seal the file? */
static inline bool
mp_writer_is_waited_for(const struct mp_live_header *header, const struct mp_writer_view *view)
{
    return header->run_start_ticks != 0 &&
           view->start_ticks(header->run_pid) == header->run_start_ticks;
}

#endif
