/* SPDX-License-Identifier: MIT */
#include "container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS (MP_CONTAINER_ID - 1)

/* Copies the first part of TEXT that is DIGITS hexadecimal digits long to ID. Returns false if there is none. */
static bool
find_id(const char *text, char id[static MP_CONTAINER_ID])
{
    static const char hex[] = "0123456789abcdef";

    for (text += strcspn(text, hex); *text; text += strcspn(text, hex)) {
        const size_t length = strspn(text, hex);

        if (length == DIGITS) {
            memcpy(id, text, DIGITS);
            id[DIGITS] = '\0';
            return true;
        }
        text += length;
    }
    return false;
}

/* Searches the lines of PATH that contain PART for an id. The id in the last such line counts, because a later mount
 * hides earlier ones. */
static bool
search(const char *path, const char *part, char id[static MP_CONTAINER_ID])
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    while (file && getline(&line, &size, file) > 0)
        found |= strstr(line, part) && find_id(line, id);
    free(line);
    if (file)
        fclose(file);
    return found;
}

bool
mp_container_id(char id[static MP_CONTAINER_ID])
{
    return search("/proc/self/cgroup", "", id) || search("/proc/self/mountinfo", " /etc/hostname ", id);
}
