/*
 * sanitizer.h -- libraries that end or crash the program if any other is loaded before them, as a
 * preloaded one is.
 */
#ifndef MP_SANITIZER_H
#define MP_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Enough of a name for mp_sanitizer_must_be_first(), bytes, the NUL included. */
#define MP_SANITIZER_NAME 32

/* LIBRARY: a name as an ELF file needs it, its beginning at least. */
static inline bool
mp_sanitizer_must_be_first(const char *library)
{
    static const char *const names[] = { "libasan.so", "libtsan.so", "libhwasan.so",
                                         "libclang_rt.asan", "libclang_rt.tsan",
                                         "libclang_rt.hwasan" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(library, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The first path of LIST, as in LD_PRELOAD, whose library must be the first of all; NULL: none. */
static inline const char *
mp_sanitizer_in_list(const char *list)
{
    while (*(list += strspn(list, " :"))) {
        size_t length = strcspn(list, " :"), start = length;

        while (start > 0 && list[start - 1] != '/')
            start--;
        if (mp_sanitizer_must_be_first(list + start))
            return list;
        list += length;
    }
    return NULL;
}

#endif
