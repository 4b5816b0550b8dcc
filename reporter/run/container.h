/* SPDX-License-Identifier: MIT */
/* container.h -- which container this process runs in, for the label `container` of a run. */
#ifndef MP_CONTAINER_H
#define MP_CONTAINER_H

#include <stdbool.h>

#define MP_CONTAINER_ID 65      /* size of an id, with its NUL */

/* Writes the id of the container of this process to ID. Container engines give an id of 64 hexadecimal digits to each
 * container, which is part of the name of its control group or of the file that is mounted at /etc/hostname. Returns
 * false if there is none. */
bool mp_container_id(char id[static MP_CONTAINER_ID]);

#endif
