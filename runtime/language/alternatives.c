/* SPDX-License-Identifier: MIT */
#include "alternatives.h"

#include <string.h>

#include "runtime/decimal.h"

#define ROOM_FOR_MORE (sizeof " or 4294967295 more")

void
mp_alternatives_add(struct mp_alternatives *alternatives, const char *name)
{
    unsigned at = alternatives->shown;

    if (!name[0] || strlen(name) >= MP_ALTERNATIVE_SIZE) {
        alternatives->more++;
        return;
    }
    while (at > 0 && strcmp(alternatives->names[at - 1], name) > 0)
        at--;
    if (at > 0 && strcmp(alternatives->names[at - 1], name) == 0)
        return;
    memmove(alternatives->names[at + 1], alternatives->names[at],
            (size_t)(MP_ALTERNATIVES - at) * MP_ALTERNATIVE_SIZE);
    strcpy(alternatives->names[at], name);
    if (alternatives->shown < MP_ALTERNATIVES)
        alternatives->shown++;
    else
        alternatives->more++;
}

static void
append(char *room, size_t size, const char *text)
{
    size_t n = strlen(room), m = strlen(text);

    if (n + m < size)
        memcpy(room + n, text, m + 1);
}

void
mp_alternatives_join(const struct mp_alternatives *alternatives, char *room, size_t size)
{
    unsigned more = alternatives->more;
    char digits[MP_DECIMAL_SIZE];

    room[0] = '\0';
    for (unsigned i = 0; i < alternatives->shown; i++) {
        const char *name = alternatives->names[i];

        if (strlen(room) + sizeof " or " + strlen(name) + ROOM_FOR_MORE > size) {
            more++;
            continue;
        }
        append(room, size, room[0] ? " or " : "");
        append(room, size, name);
    }
    if (!room[0] || more == 0)
        return;
    append(room, size, " or ");
    append(room, size, mp_decimal(more, digits));
    append(room, size, " more");
}
