/* SPDX-License-Identifier: MIT */
/*
 * alternatives.h -- joins several names of one function into one text, for example "A or B or C or 2 more".
 */
#ifndef MP_ALTERNATIVES_H
#define MP_ALTERNATIVES_H

#include <stddef.h>

#define MP_ALTERNATIVES 3u              /* number of names that are shown */
#define MP_ALTERNATIVE_SIZE 512u        /* bytes of one name, including its NUL */

/* The first names in alphabetical order. Must be zeroed before the first name is added. */
struct mp_alternatives {
    char names[MP_ALTERNATIVES + 1][MP_ALTERNATIVE_SIZE];
    unsigned shown, more;
};

/* Adds NAME unless it is shown already. A NAME that is "" or too long to be shown is only counted. */
void mp_alternatives_add(struct mp_alternatives *alternatives, const char *name);

/* Writes the text to ROOM, which has SIZE bytes. Names that do not fit are counted as more. Writes "" if no name
 * can be shown. */
void mp_alternatives_join(const struct mp_alternatives *alternatives, char *room, size_t size);

#endif
