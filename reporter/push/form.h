/*
 * form.h -- how a receiver wants a profile: where it goes, and in what it is wrapped.  A const table, a line each.
 */
#ifndef MP_PUSH_FORM_H
#define MP_PUSH_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"

#define MP_PUSH_LABELS_MOST 64u

struct mp_push_label {
    const char *name, *value;
};

/* What is said of all profiles of a push. */
struct mp_push_about {
    const char *name;           /* of the application */
    const struct mp_push_label *labels; unsigned n_labels;
};

/* One in pprof's format. */
struct mp_push_profile {
    const void *bytes;
    size_t size;
    uint64_t from, until;       /* ns since 1970: the time that it is of */
};

struct mp_push_form {
    const char *name;           /* of --form */
    const char *summary;
    const char *path;           /* that follows a URL which does not end so */
    const char *type;           /* of the content */
    bool since;                 /* by itself what was allocated since the last push is sent, and not since the start */
    const char *forbidden;      /* characters that no value of a label may have */
    /* How the profile says which time it is of: when that was over; and how long, unless it is an INSTANT's. */
    bool stamped, instant;
    /* What follows the path. */
    void (*put_query)(const struct mp_push_about *about, const struct mp_push_profile *profile,
                      struct mp_buffer *out);
    void (*put_body)(const struct mp_push_about *about, const struct mp_push_profile *profile,
                     struct mp_buffer *out);
};

extern const struct mp_push_form mp_push_forms[];
extern const size_t mp_n_push_forms;

/* NULL: there is none called NAME. */
const struct mp_push_form *mp_push_form_named(const char *name);

/* May NAME be what an application is called?  The characters that are understood everywhere. */
bool mp_push_name_is_fit(const char *name);

/* A name for the program called PROGRAM: other characters become _.  The caller frees it. */
char *mp_push_name_of(const char *program);

/* False and *ERROR: LABEL is none that FORM has a place for. */
bool mp_push_label_check(const struct mp_push_form *form, const struct mp_push_label *label,
                         struct mp_error *error);

/* Where PROFILE goes, as a string in *URL, and what in *BODY; both are freed by the caller. */
void mp_push_wrap(const struct mp_push_form *form, const char *base, const struct mp_push_about *about,
                  const struct mp_push_profile *profile, struct mp_buffer *url, struct mp_buffer *body);

#endif
