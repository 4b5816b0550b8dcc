/*
 * alternatives.h -- one text for what has several names: "A or B or C or 2 more".
 */
#ifndef MP_ALTERNATIVES_H
#define MP_ALTERNATIVES_H

#include <stddef.h>

#define MP_ALTERNATIVES 3u              /* as many names are shown */
#define MP_ALTERNATIVE_SIZE 512u        /* bytes of one, with its end */

/* The first names in their order.  All zero: none yet. */
struct mp_alternatives {
    char names[MP_ALTERNATIVES + 1][MP_ALTERNATIVE_SIZE];
    unsigned shown, more;
};

/* One more; "" or too long: it cannot be shown, only counted.  The same name again is no other. */
void mp_alternatives_add(struct mp_alternatives *alternatives, const char *name);

/* All of them in ROOM of SIZE bytes, names that do not fit as those that are not known; "" if no name is
 * known. */
void mp_alternatives_join(const struct mp_alternatives *alternatives, char *room, size_t size);

#endif
