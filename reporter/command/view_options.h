/* SPDX-License-Identifier: MIT */
/*
 * view_options.h -- the options that select the part of a data file that is shown, the names, and how much is printed.
 * They are the same for all commands that show chains.
 *
 * A command includes `struct mp_view_input` in its input and the tables in its groups, and uses them like this:
 *
 *     struct input { struct mp_view_input view; ... } input = {.view = MP_VIEW_INPUT_DEFAULT};
 *     ... .groups = {MP_VIEW_GROUPS(struct input, view)} ...
 *     if (mp_view_input_open(&input.view, path, &viewed, error)) {
 *         ...
 *         mp_viewed_close(&viewed);
 *     }
 *     mp_view_input_free(&input.view);
 */
#ifndef MP_COMMAND_VIEW_OPTIONS_H
#define MP_COMMAND_VIEW_OPTIONS_H

#include "option_table.h"
#include "reporter/profile/profile.h"
#include "reporter/table/json_head.h"
#include "reporter/table/print.h"
#include "reporter/view/filter.h"
#include "reporter/view/source_paths.h"
#include "reporter/view/view.h"

struct mp_view_input {
    struct mp_view_options view;
    struct mp_filters filters;
    bool several;               /* files that the user named for symbols may belong to other recordings, so the caller
                                   calls mp_symbols_check() when all were read */
    const char **skipped;       /* patterns of --skip, to which view.skip refers */
};

#define MP_VIEW_INPUT_DEFAULT {.view = MP_VIEW_DEFAULT}

/* The same for commands whose results are compared with those of other recordings. */
#define MP_VIEW_INPUT_COMPARED {.view = {.short_names = true, .skip = {.wrappers = true, .by_name_only = true}}}

/* The options of a struct mp_view_input, and --at, --from and --to of its window. Commands that do not let the user
 * select a part have those of names only. */
extern const struct mp_option mp_part_options[], mp_names_options[], mp_window_options[];

#define MP_NAMES_GROUP(in, field) {mp_names_options, offsetof(in, field)}
#define MP_VIEW_GROUPS(in, field) {mp_part_options, offsetof(in, field)}, MP_NAMES_GROUP(in, field)
#define MP_WINDOW_GROUP(in, field) {mp_window_options, offsetof(in, field.view.window)}

/* For functions that check options: refuses SORT if ENDS select a part of the time for which its figure is unknown.
 * Otherwise returns true. */
bool mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort);

/* The option --frames. FIELD is an enum mp_frames. */
#define MP_FRAMES(in, field) MP_WORD(in, field, mp_frames_words, 3), .low = MP_FRAMES_LISP

/* How much is printed: --chain of all tables, and --min. FIELD is a struct mp_print_options. */
#define MP_CALLERS(in, field) \
    MP_STORED(mp_parse_callers, struct mp_print_options, in, field), MP_CHAIN_LENGTHS
#define MP_LEAST(in, field) MP_STORED(mp_parse_least, struct mp_print_options, in, field)
bool mp_parse_callers(const struct mp_option *option, char *text, void *to);
bool mp_parse_least(const struct mp_option *option, char *text, void *to);

/* The option --source. FIELD is a struct mp_source_input, which the caller frees by mp_source_input_free(). */
struct mp_source_input {
    struct mp_source_paths paths;
    char **folders;             /* array to which `paths` refers */
    bool given;
};

#define MP_SOURCE(in, field, help) \
    "source", 0, "DIR", help " below DIR; those at other places are searched there by the last parts of their paths", \
    MP_STORED(mp_parse_source, struct mp_source_input, in, field), .many = true
bool mp_parse_source(const struct mp_option *option, char *text, void *to);
void mp_source_input_free(struct mp_source_input *input);

/* Frees the members of INPUT, but not INPUT itself. */
void mp_view_input_free(struct mp_view_input *input);

/* Reads the profile of the data file or process PATH and finds its names. The caller frees it by mp_profile_free().
 * Returns NULL and fills *ERROR if it cannot be read, or a file of --executable does not belong to it. */
struct mp_profile *mp_view_input_load(const struct mp_view_input *input, const char *path,
                                      struct mp_error *error);

/* Does the same, but reads a data file by the last component of PATH in the directory FOLDER, unless that is
 * AT_FDCWD. */
struct mp_profile *mp_view_input_load_in(const struct mp_view_input *input, int folder, const char *path,
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
