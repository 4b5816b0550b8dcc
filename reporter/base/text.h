/* text.h -- strings out of a file, made fit to be printed anywhere. */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"

/* A copy of LENGTH bytes in ARENA in which control characters (C0, DEL, C1) and every byte that
 * is not part of valid UTF-8 stand as \xNN.  What comes out stays as it is if it goes in again. */
const char *mp_text_clean(struct mp_arena *arena, const char *bytes, size_t length);

/* The same into the SIZE > 0 bytes at TO; what there is no room for is left out, whole characters
 * at a time.  Returns how many bytes of BYTES there was room for. */
size_t mp_text_clean_into(char *to, size_t size, const char *bytes, size_t length);

/* Copies TEXT and its NUL to TO, which is before END.  Cuts what there is no room for.  Returns the address
 * of the NUL, for the next one. */
char *mp_text_put(char *to, const char *end, const char *text);

/* The same of SIZE bytes in hexadecimal. */
char *mp_text_put_hex(char *to, const char *end, const uint8_t *bytes, size_t size);

/* Print TEXT, which did not come out of a reader, in that form. */
void mp_text_print(FILE *out, const char *text);

/* The last component of PATH, a pointer into it. */
const char *mp_text_basename(const char *path);

/* Print TEXT as one would type it to a shell: in quotes if need be, as $'\033'
 * (POSIX.1-2024) if it has bytes that are not fit to be printed. */
void mp_text_shell(FILE *out, const char *text);

#endif
