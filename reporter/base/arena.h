/* SPDX-License-Identifier: MIT */
/*
 * arena.h -- memory that is released as a whole, and the policy for running out of memory.
 *
 * Callers do not check whether there was memory. Arenas, growing lists, buffers and streams call mp_no_memory() if
 * there is no more, and mp_need() does so for the result of malloc(). Commands then end with a message. Functions of
 * reporter/api.h, which other programs call, jump back and return an error, because they must neither end the program
 * nor print anything. mprof run stops observing or sealing, but returns the status of its program.
 *
 * MP_ERR_MEMORY is an error of one file, which is too large to be read or written. A command can go on with others.
 */
#ifndef MP_ARENA_H
#define MP_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct mp_arena;

struct mp_arena *mp_arena_new(void);
void mp_arena_free(struct mp_arena *arena);     /* ARENA may be NULL */

/* Returns SIZE zeroed bytes, aligned for any C type. */
void *mp_arena_alloc(struct mp_arena *arena, size_t size);

/* Releases MEMORY, SIZE bytes from mp_arena_alloc(), early. Large blocks are returned at once; small ones remain
 * in the arena. MEMORY may be NULL. */
void mp_arena_drop(void *memory, size_t size);

/* Returns LIST, of COUNT items of SIZE bytes, with capacity for one more. *ROOM is its present capacity,
 * initially 0. If it is full, returns a copy of twice the capacity. */
void *mp_arena_grow(struct mp_arena *arena, void *list, uint32_t count, uint32_t *room,
                    size_t size);

char *mp_arena_strdup(struct mp_arena *arena, const char *text);
char *mp_arena_printf(struct mp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *mp_arena_vprintf(struct mp_arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Ends the process with a message, or jumps to the place that this thread set with mp_when_no_memory(). A jump
 * leaks what was allocated meanwhile. */
_Noreturn void mp_no_memory(void);
void mp_when_no_memory(jmp_buf *to);    /* TO may be NULL, to end the process (the default) */

/* Returns MEMORY, a result of malloc(). If it is NULL, calls mp_no_memory(). */
void *mp_need(void *memory);

/* Does what mp_arena_grow() does, with a LIST from malloc(), which it replaces. */
void *mp_grow(void *list, uint32_t count, uint32_t *room, size_t size);

#endif
