/*
 * store.h -- the live file: the monitor's memory for everything that is to be read later.
 *
 * Records of one kind stand in one row of addresses (store_rows.h), so that an id is an index; the row is
 * filled with pieces of the file (extents) as it grows.  A file made later (restart, fork) goes on where the
 * row ends, so that ids of an earlier file are never met again.
 *
 * All functions but mp_store_number() and mp_store_is_open() are called with the gate's lock held; what
 * mp_store points to is read without it.
 */
#ifndef MP_STORE_H
#define MP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compiler.h"
#include "runtime/format.h"
#include "runtime/system/sys.h"

#define MP_CELL_ID_BITS 28u     /* ids of cells have no more */

struct mp_store {
    struct mp_live_header *header;      /* of the present file; NULL: none */
    uint32_t *contexts;                 /* rows, indexed by id; contexts: record/cct_slots.h */
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
    char *strings;
    uint32_t *context_links;            /* private, one for each slot: see record/cct_slots.h */
    uintptr_t *frame_starts;            /* private: where the function of each frame starts, 0 none */
    uint32_t first_cell, first_frame;   /* ids below belong to earlier files */
};

extern MP_HIDDEN struct mp_store mp_store;

/* Make the file PATH with the header and the first extents; a data file that is there already is
 * replaced if REPLACE.  0 or -errno, as mp_claim().  Nobody else takes the name until the header says
 * whose it is, and mp_store_settled() that it does. */
int mp_store_create(const char *path, int replace);
void mp_store_settled(void);

/* Path of the present or last file, "": none yet. */
const char *mp_store_path(void);

/* Close the present file, if the program has not, and have none any more; what was recorded stays in it. */
void mp_store_close(void);

/* The same in two steps, for who wants the file on the disk, which takes long: there is no present file any
 * more, and then, without the lock, the one GIVEN up is written to the disk and closed. */
struct mp_store_file {
    int fd;                     /* -1: none */
    struct mp_file_id id;
};
struct mp_store_file mp_store_give_up(void);
void mp_store_push(const struct mp_store_file *file);

/* In the child of a fork: the pages of the parent's file become private, so that what a hook still writes
 * there does not reach the file. */
void mp_store_make_private(void);

/* The process is about to be shut off (sandbox.h): make the file so large that what is likely to come needs no
 * system call. */
void mp_store_lay_by(void);

/* Remove the present file; shut off (sandbox.h), note that it is to be removed. */
void mp_store_remove(void);

/* Take COUNT records of KIND with consecutive ids, zeroed; the first id, or 0: no space (then the
 * file's state is MP_STATE_FULL). */
uint32_t mp_store_take(enum mp_extent_kind kind, uint32_t count);

/* The same, but where that would need the file to grow and it cannot, because the process is shut off
 * (sandbox.h), nothing else happens. */
uint32_t mp_store_take_if_room(enum mp_extent_kind kind, uint32_t count);

/* Can COUNT records of KIND be taken without that the recording ends for want of system calls, or because the
 * program wrote over the header, which then also says that a checkpoint was? */
bool mp_store_has_room(enum mp_extent_kind kind, uint32_t count);

/* How many records of KIND the present file has handed out. */
uint32_t mp_store_taken(enum mp_extent_kind kind);

/* The id that the next record of KIND will have. */
uint32_t mp_store_next(enum mp_extent_kind kind);

/* Store TEXT (SIZE bytes and a NUL); its id, 0 if there is no space.  And: as mp_store_take_if_room(). */
uint32_t mp_store_string(const char *text, size_t size);
uint32_t mp_store_string_if_room(const char *text, size_t size);

/* Leave RUNNING for STATE, once.  STATUS: exit status or -1. */
void mp_store_finish(enum mp_live_state state, int status, int error);

/* The descriptor of the present file, opened anew if the program closed it; or -errno. */
int mp_store_descriptor(void);

/* Its number, without the lock; -1: there is none.  Is the file still open under it? */
int mp_store_number(void);
bool mp_store_is_open(void);

/* The program is about to use this number for a file of its own: have another one. */
void mp_store_move(void);

#endif
