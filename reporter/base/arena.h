/*
 * arena.h -- memory that is released as a whole, and what happens when there is none.
 *
 * Whatever allocates from an arena never sees NULL: it ends by mp_no_memory().
 */
#ifndef MP_ARENA_H
#define MP_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct mp_arena;

struct mp_arena *mp_arena_new(void);
void mp_arena_free(struct mp_arena *arena);     /* NULL is allowed */

/* SIZE bytes, zeroed, aligned for whatever C has. */
void *mp_arena_alloc(struct mp_arena *arena, size_t size);

/* MEMORY of SIZE bytes, from mp_arena_alloc(), is not needed any more: what is large goes at once.  NULL is
 * allowed. */
void mp_arena_drop(void *memory, size_t size);

/* LIST with room for one more than COUNT items of SIZE bytes; *ROOM is its present room, 0 at first.
 * Grows by doubling into a copy. */
void *mp_arena_grow(struct mp_arena *arena, void *list, uint32_t count, uint32_t *room,
                    size_t size);

char *mp_arena_strdup(struct mp_arena *arena, const char *text);
char *mp_arena_printf(struct mp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* End the process with a message: a command has nothing better to do.  Or go where this thread
 * wants to go; what was allocated on the way is lost. */
_Noreturn void mp_no_memory(void);
void mp_when_no_memory(jmp_buf *to);    /* NULL: end the process */

/* MEMORY, which malloc() gave; NULL is mp_no_memory(). */
void *mp_need(void *memory);

#endif
