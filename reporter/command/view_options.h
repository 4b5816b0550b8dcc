/*
 * view_options.h -- the options that select the part of a data file that is shown, and the names. They are the same
 * for all commands that show chains.
 *
 * A command includes `struct mp_view_input` in its input and mp_view_argp in its argp's children, and connects them
 * like this:
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
    const char *executable;     /* value of --executable, the program's current file; NULL for its recorded path */
    const char **skipped;       /* patterns of --skip, to which view.skip refers */
};

#define MP_VIEW_INPUT_DEFAULT {.view = MP_VIEW_DEFAULT}

/* All options of a view, with their own headings. The input is a struct mp_view_input. */
extern const struct argp mp_view_argp;

/* Only the options for functions and their names, for commands that do not let the user select a part. */
extern const struct argp mp_names_argp;

/* Frees the members of INPUT, but not INPUT itself. */
void mp_view_input_free(struct mp_view_input *input);

/* Reads the profile of the data file or process PATH and finds its names. The caller frees it by mp_profile_free().
 * Returns NULL and fills *ERROR if it or the file of --executable cannot be read. */
struct mp_profile *mp_view_input_load(const struct mp_view_input *input, const char *path,
                                      struct mp_error *error);

/* The profile of a data file, and the view that the options select. */
struct mp_viewed {
    struct mp_profile *profile, *view;
    struct mp_counts undecided; /* see mp_filter() */
};

/* Reads the data file or process PATH and makes the view that INPUT selects. Returns false and fills *ERROR if it
 * cannot be read or the view is empty. */
bool mp_view_input_open(const struct mp_view_input *input, const char *path, struct mp_viewed *viewed,
                        struct mp_error *error);
void mp_viewed_close(struct mp_viewed *viewed);

/* Returns the description of VIEWED in the JSON output of COMMAND. */
struct mp_json_subject mp_viewed_subject(const struct mp_view_input *input,
                                         const struct mp_viewed *viewed, const char *command,
                                         const char *path);

#endif
