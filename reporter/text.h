/* text.h -- strings out of a file, made fit to be printed anywhere. */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "profile.h"

/* A copy of LENGTH bytes in ARENA in which control characters (C0, DEL, C1) and every byte that
 * is not part of valid UTF-8 stand as \xNN.  What comes out stays as it is if it goes in again. */
const char *mp_text_clean(struct mp_arena *arena, const char *bytes, size_t length);

/* The last component of PATH, a pointer into it. */
const char *mp_text_basename(const char *path);

/* Print TEXT as one would type it to a shell: in quotes if need be. */
void mp_text_shell(FILE *out, const char *text);

#endif
