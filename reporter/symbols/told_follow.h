/*
 * told_follow.h -- follows a pointer through machine code from the call that returned it (told.h).
 */
#ifndef MP_SYMBOLS_TOLD_FOLLOW_H
#define MP_SYMBOLS_TOLD_FOLLOW_H

#include "binary.h"

/* One file whose code is followed, and memory that is reused for all files. */
struct mp_following;

/* Returns a new object in ARENA, which can be used for any number of files. */
struct mp_following *mp_following_new(struct mp_arena *arena);

/* Selects BINARY, which must be loaded, until it is closed. If its code is unavailable or the machine is
 * unsupported, only the return address itself is examined. */
void mp_following_open(struct mp_following *following, struct mp_binary *binary);
void mp_following_close(struct mp_following *following);

/* The result. A DIE without a value has addr NULL. */
struct mp_followed {
    Dwarf_Die object, byte;     /* types to which the pointer points; `byte` is a weaker result, a type of single
                                   bytes */
    bool returned;              /* the function returns the pointer */
};

/* Follows the pointer that a call returned to ADDRESS, an offset in the module. */
struct mp_followed mp_follow(struct mp_following *following, uint64_t address);

#endif
