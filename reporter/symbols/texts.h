/* texts.h -- strings out of files, each kept once. */
#ifndef MP_SYMBOLS_TEXTS_H
#define MP_SYMBOLS_TEXTS_H

#include "reporter/base/map.h"

/* All are made fit to be printed (text.h), of MP_TEXT_MAX bytes at most: a longer one ends in
 * MP_TEXT_CUT. */
#define MP_TEXT_MAX 16384u
#define MP_TEXT_CUT "[cut]"
struct mp_texts {
    struct mp_map map;          /* has the texts as its keys */
};
const char *mp_texts_add(struct mp_texts *texts, const char *text);     /* NULL counts as "" */
/* The same for the N > 0 PARTS, with "::" between them. */
const char *mp_texts_join(struct mp_texts *texts, const char *const parts[], size_t n);
/* That text in CLEAN, without keeping it. */
void mp_texts_join_into(char clean[MP_TEXT_MAX + 1], const char *const parts[], size_t n);
/* The same for a path, with "x/../" and "./" taken out (as text: no file is looked at). */
const char *mp_texts_add_path(struct mp_texts *texts, const char *path);

#endif
