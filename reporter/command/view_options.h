/*
 * view_options.h -- the options that choose what of a data file is shown, and by which names: the
 * same for every command that shows chains.
 *
 * A command has `struct mp_view_input` in its input, names mp_view_argp among its argp's children, and
 * hands the one to the other:
 *
 *     struct input { struct mp_view_input view; ... } input = {.view = MP_VIEW_INPUT_DEFAULT};
 *     static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};
 *     case ARGP_KEY_INIT:
 *         state->child_inputs[0] = &input->view;
 *         return 0;
 *     ...
 *     if (mp_view_input_open(&input.view, path, &viewed, error)) {
 *         ...
 *         mp_viewed_close(&viewed);
 *     }
 *     mp_view_input_free(&input.view);
 */
#ifndef MP_COMMAND_VIEW_OPTIONS_H
#define MP_COMMAND_VIEW_OPTIONS_H

#include <argp.h>

#include "reporter/output/json_head.h"
#include "reporter/profile/filter.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

struct mp_view_input {
    struct mp_view_options view;
    struct mp_filters filters;
    const char *executable;     /* --executable: where the program's file is now; NULL: where it was */
    const char **skipped;       /* patterns of --skip, which view.skip refers to */
};

/* Names are short and wrappers skipped unless something else is asked for. */
#define MP_VIEW_INPUT_DEFAULT {.view = {.short_names = true, .skip.wrappers = true}}

/* The options, with headings of their own.  Its input is a struct mp_view_input. */
extern const struct argp mp_view_argp;

/* Of these, those about functions and their names, for commands that choose the part themselves. */
extern const struct argp mp_names_argp;

/* What an option's argument was copied to.  Not INPUT itself. */
void mp_view_input_free(struct mp_view_input *input);

/* The profile in the data file PATH, with names.  NULL and *ERROR: it cannot be read, or
 * --executable cannot.  The caller frees it with mp_profile_free(). */
struct mp_profile *mp_view_input_load(const struct mp_view_input *input, const char *path,
                                      struct mp_error *error);

/* A data file, and what of it is shown. */
struct mp_viewed {
    struct mp_profile *profile, *view;
    struct mp_counts undecided; /* see mp_filter() */
};

/* The profile in the data file PATH, and that as INPUT wants it.  False and *ERROR: it cannot be read, or
 * nothing is left. */
bool mp_view_input_open(const struct mp_view_input *input, const char *path, struct mp_viewed *viewed,
                        struct mp_error *error);
void mp_viewed_close(struct mp_viewed *viewed);

/* What COMMAND says of it in a document for programs. */
struct mp_json_subject mp_viewed_subject(const struct mp_view_input *input,
                                         const struct mp_viewed *viewed, const char *command,
                                         const char *path);

#endif
