/*
 * alternatives.h -- one text for what has several names: "A or B or C or 2 more".
 */
#ifndef MP_ALTERNATIVES_H
#define MP_ALTERNATIVES_H

#include <stddef.h>

#define MP_ALTERNATIVES 3u              /* as many names are shown */
#define MP_ALTERNATIVE_SIZE 512u        /* bytes of one, with its end */

/* The first few names by the alphabet, and how many MORE there are.  All zero: none yet. */
struct mp_alternatives {
    char names[MP_ALTERNATIVES + 1][MP_ALTERNATIVE_SIZE];
    unsigned shown, more;
};

/* Add NAME, if it is not there yet.  If it is "" or too long to be shown it is only counted. */
void mp_alternatives_add(struct mp_alternatives *alternatives, const char *name);

/* Put the text into ROOM of SIZE bytes.  Names that do not fit are counted among those that are
 * more; "" if there is none to be shown. */
void mp_alternatives_join(const struct mp_alternatives *alternatives, char *room, size_t size);

#endif
