/* SPDX-License-Identifier: MIT */
/*
 * store.h -- the live file: memory for everything that the monitor records.
 *
 * This directory owns the live file: its name, its growth, its end, and the ids of all records. It knows nothing
 * of what the records mean. The directories of runtime/ after it in ARCHITECTURE.md call it.
 *
 * The records of one kind are stored in one row of addresses (store_rows.h), indexed by id. As a row grows, parts
 * of the file (extents) are mapped into it. A later file (restart, fork) continues after the end of the rows, so
 * that ids of an earlier file do not occur again.
 *
 * Callers hold the gate's lock, except for mp_store_path(), mp_store_number(), mp_store_is_open() and
 * mp_store_push(). mp_store_make_private() is called in the child of a fork, which has one thread and needs no
 * lock. Any thread reads mp_store and the records without the lock.
 */
#ifndef MP_STORE_H
#define MP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/system/sys.h"

#define MP_CELL_ID_BITS 28u     /* bits of a cell's id */

struct mp_store {
    struct mp_live_header *header;      /* header of the present file; NULL if none */
    uint32_t *contexts;                 /* rows, indexed by id; for contexts see record/cct_slots.h */
    struct mp_live_cell *cells;
    struct mp_live_mixed *mixed;
    struct mp_live_frame *frames;
    struct mp_live_module *modules;
    struct mp_live_recorder *recorders;
    struct mp_live_name *names;
    struct mp_live_kind *object_kinds;
    struct mp_live_ages *ages;
    struct mp_live_mark *marks;
    struct mp_live_former *former;
    struct mp_live_resized *resized;
    struct mp_live_lifetimes *lifetimes;
    struct mp_live_trace *traces;
    struct mp_live_event *events;
    struct mp_live_mapper *mappers;
    struct mp_live_range *ranges;
    char *strings;
    uint32_t *context_links;            /* a link for each slot of a context, not in the file; see
                                           record/cct_slots.h */
    uintptr_t *frame_starts;            /* start of each frame's function, not in the file; 0 if unknown, or
                                           MP_OWN_FUNCTION */
    uint32_t first_cell, first_frame;   /* smaller ids belong to earlier files */
};

#define MP_OWN_FUNCTION UINTPTR_MAX

extern MP_HIDDEN struct mp_store mp_store;

/* mp_store_create() creates the file PATH with its header and makes it the present one. If REPLACE, it replaces
 * an existing data file. It returns 0 or -errno, like mp_claim(). mp_store_settled() is called when the header
 * identifies the writer. Until then, no other process can take the name. */
int mp_store_create(const char *path, int replace);
void mp_store_settled(void);

/* Returns 0 if the present file has a name. Otherwise the process could not create a file of that name and is to hand
 * the file over to mprof run. Then returns -errno of the failure. */
int mp_store_unnamed(void);

/* Returns the path of the present or last file, or "" if no file was ever made. */
const char *mp_store_path(void);

/* Closes the present file, unless the program has closed it. The recorded data stay in it. */
void mp_store_close(void);

/* mp_store_give_up() and mp_store_push() are the two steps of mp_store_close(), for callers who want the file on
 * disk, which takes long. After mp_store_give_up() there is no present file. mp_store_push() is called without
 * the lock. It writes the file to disk and closes it. */
struct mp_store_file {
    int fd;                     /* -1 if none */
    struct mp_file_id id;
};
struct mp_store_file mp_store_give_up(void);
void mp_store_push(const struct mp_store_file *file);

/* Makes the pages of the parent's file private in the child of a fork, so that hooks in progress do not write to
 * the parent's file. */
void mp_store_make_private(void);

/* Enlarges the file, so that recording can probably continue without a system call. Called before the process is
 * sandboxed (sandbox.h). */
void mp_store_reserve(void);

/* Removes the present file. In a sandboxed process (sandbox.h), notes in the file that it is to be removed. */
void mp_store_remove(void);

/* Takes COUNT zeroed records of KIND with consecutive ids. Returns the first id, or 0 if there is no space. In
 * that case the file's state is MP_STATE_FULL afterwards. */
uint32_t mp_store_take(enum mp_extent_kind kind, uint32_t count);

/* Does what mp_store_take() does, but returns 0 without ending the recording if mp_store_has_room() is false. */
uint32_t mp_store_take_if_room(enum mp_extent_kind kind, uint32_t count);

/* Returns whether mp_store_take() could take COUNT records of KIND without ending the recording. It could not if
 * the process is sandboxed (sandbox.h) and the present extent is too small, or if all extents or all ids are
 * used. */
bool mp_store_has_room(enum mp_extent_kind kind, uint32_t count);

/* Returns the number of records of KIND taken in the present file. */
uint32_t mp_store_taken(enum mp_extent_kind kind);

/* Returns the id of the next record of KIND. */
uint32_t mp_store_next(enum mp_extent_kind kind);

/* Store the SIZE bytes of TEXT, at most 65536, and a NUL. Return the string's id, or 0 if there is no space.
 * mp_store_string_if_room() then behaves like mp_store_take_if_room(). */
uint32_t mp_store_string(const char *text, size_t size);
uint32_t mp_store_string_if_room(const char *text, size_t size);

/* Changes the file's state to STATE unless it is MP_STATE_FULL, and stores the time of the end. STATUS is the
 * exit status, or -1. ERROR is an errno value or 0. */
void mp_store_finish(enum mp_live_state state, int status, int error);

/* Returns the descriptor of the present file, and reopens the file if the program closed it. Returns -errno on
 * failure. */
int mp_store_descriptor(void);

/* mp_store_number() returns the number of the file's descriptor, or -1 if no file is open. mp_store_is_open()
 * returns whether this number still refers to the file. */
int mp_store_number(void);
bool mp_store_is_open(void);

/* Moves the file to another descriptor, because the program is about to use the present number for its own file. */
void mp_store_move(void);

/* ---- Somebody may truncate or overwrite the live file, and the program may unmap or protect the monitor's memory.
 * Then the recording is *lost*: it ends as if the disk were full, one message is printed, and the program continues.
 * Missing pages are replaced by zeroed memory, one by one, when they are touched, and access to forbidden pages is
 * allowed again. */

/* Repairs the page of ADDRESS, in the handler of FAULT there. Returns false if the page is not the monitor's.
 * Otherwise the page is accessible, and the recording is lost. Async-signal-safe. */
bool mp_store_repair(uintptr_t address, enum mp_sys_fault fault);

/* Returns whether the present file's recording is lost. Checks the file's header, which others may have
 * overwritten. Lock held. */
bool mp_store_is_lost(void);

/* Returns whether the path of the present file still leads to it. Lock held. */
bool mp_store_has_name(void);

/* Appends the content of the file FROM to the present file as the snapshot of the end. Returns 0 or -errno. Lock
 * held. */
long mp_store_keep_scan(int from);

/* Returns whether this process made the present file, also if its header was overwritten since. */
bool mp_store_is_ours(void);

/* Returns whether the addresses from START to END overlap the header or the mapped part of a row. */
bool mp_store_overlaps(uint64_t start, uint64_t end);

#endif
