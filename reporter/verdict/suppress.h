/* SPDX-License-Identifier: MIT */
/*
 * suppress.h -- suppressions of known leaks, in the file formats of LeakSanitizer and valgrind.
 *
 * LeakSanitizer: a line `leak:PATTERN` suppresses chains on which the name of a function, of its source file or of
 * its module contains PATTERN. `*` matches any text. `^` at the beginning and `$` at the end anchor the pattern.
 *
 * Valgrind: `{ NAME  Memcheck:Leak  fun:f  obj:/usr/lib/x.so  src:f.c:12  ... }`, with each element on its own line,
 * suppresses chains that begin with such frames, innermost first. `*` matches any text, `?` any character, `...` any
 * frames. Two differences between the tools are handled. Valgrind's chains contain malloc and mprof's do not, so a
 * first pattern that matches an allocation function may match no frame. Valgrind compares mangled names and mprof
 * demangled ones, so only the identifiers of a pattern such as _ZN*3map*emplace* must occur, in that order.
 * Suppressions of other errors are ignored.
 *
 * A file can contain both formats; `#` begins a comment.
 */
#ifndef MP_LIMITS_SUPPRESS_H
#define MP_LIMITS_SUPPRESS_H

#include "reporter/profile/profile.h"

enum mp_suppress_by {
    MP_SUPPRESS_ANY,            /* leak: matches any of the following */
    MP_SUPPRESS_FUNCTION,       /* fun: */
    MP_SUPPRESS_OBJECT,         /* obj: */
    MP_SUPPRESS_SOURCE,         /* src: */
    MP_SUPPRESS_REST            /* ... */
};

struct mp_suppress_frame {
    enum mp_suppress_by by;
    const char *pattern;        /* see globs.h; NULL for ... */
};

struct mp_suppression {
    const char *name;           /* valgrind's name, or "leak:PATTERN" */
    struct mp_suppress_frame *frames;   uint32_t n_frames, room;
    uint64_t blocks, bytes;     /* sum of what it suppressed */
};

struct mp_suppressions {
    struct mp_suppression *list;        uint32_t n, room;
    struct mp_arena *arena;     /* not owned; contains all of the above */
};

/* Adds the suppressions of the file PATH. Returns false and sets *ERROR if it cannot be read or a line is invalid. */
bool mp_suppressions_read(struct mp_suppressions *suppressions, const char *path,
                          struct mp_error *error);

/* Adds the suppressions in TEXT. NAME is used in error messages. */
bool mp_suppressions_parse(struct mp_suppressions *suppressions, const char *text, const char *name,
                           struct mp_error *error);

/* Returns a copy of PROFILE, which is symbolised, without what is kept on chains that match a suppression. The first
 * matching suppression counts it. The caller frees the copy with mp_profile_free() before PROFILE. */
struct mp_profile *mp_suppress(const struct mp_profile *profile,
                               struct mp_suppressions *suppressions);

#endif
