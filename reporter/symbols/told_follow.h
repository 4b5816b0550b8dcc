/*
 * told_follow.h -- a pointer is followed through machine code from where a call has returned it (told.h).
 */
#ifndef MP_SYMBOLS_TOLD_FOLLOW_H
#define MP_SYMBOLS_TOLD_FOLLOW_H

#include "binary.h"

/* One file whose code is followed; room that is used again and again. */
struct mp_following;

/* In ARENA, for any number of files. */
struct mp_following *mp_following_new(struct mp_arena *arena);

/* BINARY, loaded, is followed until it is closed.  Where its code cannot be had, or the machine's is not known, only
 * the return address is asked. */
void mp_following_open(struct mp_following *following, struct mp_binary *binary);
void mp_following_close(struct mp_following *following);

/* What is told; a DIE that is none has no addr. */
struct mp_followed {
    Dwarf_Die object, byte;     /* what the pointer points to; `byte`, a weaker answer: that it is bytes */
    bool returned;              /* the function returns the pointer */
};

/* Of the pointer that a call returned to ADDRESS, an offset in the module. */
struct mp_followed mp_follow(struct mp_following *following, uint64_t address);

#endif
