/* SPDX-License-Identifier: MIT */
/*
 * template.h -- expands templates of data file names for the monitor and the reporter.
 *
 * %p is the process id, %e the base name of the program, and %% a percent sign. % before any other character
 * stands for that character, and at the end for itself.
 */
#ifndef MP_TEMPLATE_H
#define MP_TEMPLATE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decimal.h"

#define MP_DEFAULT_FILE "mprof.data"

/* Writes the expansion of TEMPLATE for process PID of PROGRAM to PATH, which has SIZE bytes, at least one.
 * Returns 0, or -ENAMETOOLONG if PATH only has the beginning. Does not allocate. */
static inline int
mp_template_expand(const char *template, uint32_t pid, const char *program, char *path, size_t size)
{
    const char *slash = strrchr(program, '/');
    char digits[MP_DECIMAL_SIZE];
    size_t used = 0;

    for (const char *at = template; *at; at++) {
        const char *text = at;
        size_t length = 1;

        if (*at == '%' && at[1]) {
            text = ++at;
            if (*at == 'p')
                text = mp_decimal(pid, digits);
            else if (*at == 'e')
                text = slash ? slash + 1 : program;
            length = *at == 'p' || *at == 'e' ? strlen(text) : 1;
        }
        path[used] = '\0';
        if (length >= size - used)
            return -ENAMETOOLONG;
        memcpy(path + used, text, length);
        used += length;
    }
    path[used] = '\0';
    return 0;
}

#endif
