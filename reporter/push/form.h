/*
 * form.h -- the forms in which receivers take a profile: the path of the URL and the format of the content. A const
 * table with one entry for each form.
 */
#ifndef MP_PUSH_FORM_H
#define MP_PUSH_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"
#include "reporter/base/label.h"

/* Description of all profiles of a push. */
struct mp_push_about {
    const char *name;           /* name of the application */
    const struct mp_label *labels; unsigned n_labels;
};

/* A profile in pprof's format. */
struct mp_push_profile {
    const void *bytes;
    size_t size;
    uint64_t from, until;       /* interval that the profile covers, ns since 1970 */
};

struct mp_push_form {
    const char *name;           /* value of --format */
    const char *summary;
    const char *path;           /* appended to the URL unless it ends with this path */
    const char *type;           /* content type */
    bool since;                 /* by default, send what was allocated since the previous push instead of since the
                                   start */
    const char *forbidden;      /* characters that the value of a label must not contain; NULL if all are allowed */
    /* `stamped`: the profile contains the end of its interval as its time, and the length of the interval. `instant`:
     * a profile of the whole recording has the length 0. */
    bool stamped, instant;
    /* put_query() appends arguments to the URL and may be NULL. put_body() writes the content. */
    void (*put_query)(const struct mp_push_about *about, const struct mp_push_profile *profile,
                      struct mp_buffer *out);
    void (*put_body)(const struct mp_push_about *about, const struct mp_push_profile *profile,
                     struct mp_buffer *out);
};

extern const struct mp_push_form mp_push_forms[];
extern const size_t mp_n_push_forms;

/* Returns the form called NAME, or NULL if no form has that name. */
const struct mp_push_form *mp_push_form_named(const char *name);

/* Returns whether NAME may be the name of an application. Only characters that all receivers accept are allowed. */
bool mp_push_name_is_fit(const char *name);

/* Returns a name for the program called PROGRAM, with _ in place of characters that are not allowed. The caller frees
 * it. */
char *mp_push_name_of(const char *program);

/* Checks that FORM can carry LABEL. Returns false and fills *ERROR if not. */
bool mp_push_label_check(const struct mp_push_form *form, const struct mp_label *label,
                         struct mp_error *error);

/* Wraps PROFILE for a receiver at the URL BASE. Stores the complete URL as a string in *URL and the content in *BODY.
 * The caller frees both. */
void mp_push_wrap(const struct mp_push_form *form, const char *base, const struct mp_push_about *about,
                  const struct mp_push_profile *profile, struct mp_buffer *url, struct mp_buffer *body);

#endif
