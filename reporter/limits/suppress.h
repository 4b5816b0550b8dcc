/*
 * suppress.h -- what is known to be kept, and is no fault: suppressions as LeakSanitizer's and valgrind's
 * files have them.
 *
 * A line `leak:PATTERN` is LeakSanitizer's: some function, its source file or its module has PATTERN in its
 * name, in which `*` is any text, `^` at the beginning and `$` at the end hold it there.
 *
 * `{ NAME  Memcheck:Leak  fun:f  obj:/usr/lib/x.so  src:f.c:12  ... }`, a line each, is valgrind's: the chain
 * begins, at the function that allocates, with such frames; `*` is any text, `?` any character, `...` any
 * frames.  Valgrind has malloc itself on its chains, mprof has not: a first pattern that is one of an
 * allocation function may stand for no frame.  It has mangled names, mprof has not: of a pattern as
 * _ZN*3map*emplace*, the letters must be found in that order.  Suppressions of other errors are passed over.
 *
 * Both may stand in one file; `#` begins a comment.
 */
#ifndef MP_LIMITS_SUPPRESS_H
#define MP_LIMITS_SUPPRESS_H

#include "reporter/profile/profile.h"

enum mp_suppress_by {
    MP_SUPPRESS_ANY,            /* leak: */
    MP_SUPPRESS_FUNCTION,       /* fun: */
    MP_SUPPRESS_OBJECT,         /* obj: */
    MP_SUPPRESS_SOURCE,         /* src: */
    MP_SUPPRESS_REST            /* ... */
};

struct mp_suppress_frame {
    enum mp_suppress_by by;
    const char *pattern;        /* a pattern of fnmatch(3) without brackets */
};

struct mp_suppression {
    const char *name;           /* valgrind's; or "leak:PATTERN" */
    struct mp_suppress_frame *frames;   uint32_t n_frames, room;
    uint64_t blocks, bytes;     /* what it was used for */
};

struct mp_suppressions {
    struct mp_suppression *list;        uint32_t n, room;
    struct mp_arena *arena;     /* not owned; has all of the above */
};

/* Add those of the file PATH.  False and *ERROR: it cannot be read, or a line makes no sense. */
bool mp_suppressions_read(struct mp_suppressions *suppressions, const char *path,
                          struct mp_error *error);

/* The same of TEXT, which NAME is the name of, for messages. */
bool mp_suppressions_parse(struct mp_suppressions *suppressions, const char *text, const char *name,
                           struct mp_error *error);

/* PROFILE, which is symbolised, without what is kept on chains of which one of SUPPRESSIONS is; the first of
 * them counts it.  The caller frees it with mp_profile_free(), before PROFILE. */
struct mp_profile *mp_suppress(const struct mp_profile *profile,
                               struct mp_suppressions *suppressions);

#endif
