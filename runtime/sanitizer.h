/* SPDX-License-Identifier: MIT */
/*
 * sanitizer.h -- recognises sanitizer runtimes, which abort or crash the program if another library, such as a
 * preloaded one, is loaded before them.
 */
#ifndef MP_SANITIZER_H
#define MP_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of a library's name, including NUL, that mp_sanitizer_must_be_first() needs at most. */
#define MP_SANITIZER_NAME 32

/* Returns whether LIBRARY is a sanitizer runtime that must be loaded first. LIBRARY is at least the beginning of a
 * name from an ELF file's DT_NEEDED. */
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

/* Returns the first path in LIST, formatted like LD_PRELOAD, whose library must be loaded first, or NULL. */
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
