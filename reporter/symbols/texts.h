/* SPDX-License-Identifier: MIT */
/* texts.h -- strings read from files, each stored once. */
#ifndef MP_SYMBOLS_TEXTS_H
#define MP_SYMBOLS_TEXTS_H

#include "reporter/base/map.h"

/* All strings are made printable (text.h). A string of more than MP_TEXT_MAX bytes is cut and ends in MP_TEXT_CUT. */
#define MP_TEXT_MAX 16384u
#define MP_TEXT_CUT "[cut]"
struct mp_texts {
    struct mp_map map;          /* its keys are the strings */
};
const char *mp_texts_add(struct mp_texts *texts, const char *text);     /* NULL counts as "" */
/* Like mp_texts_add(), for the N > 0 PARTS joined by "::". */
const char *mp_texts_join(struct mp_texts *texts, const char *const parts[], size_t n);
/* Writes the joined string to CLEAN without storing it. */
void mp_texts_join_into(char clean[MP_TEXT_MAX + 1], const char *const parts[], size_t n);
/* Like mp_texts_add(), for a path. Removes "x/../" and "./" textually, without access to the file system. */
const char *mp_texts_add_path(struct mp_texts *texts, const char *path);

#endif
