/*
 * source_options.h -- the option --source-path of commands that show source files: an argp child like that of
 * view_options.h. Its input is a struct mp_source_input.
 */
#ifndef MP_COMMAND_SOURCE_OPTIONS_H
#define MP_COMMAND_SOURCE_OPTIONS_H

#include <argp.h>

#include "reporter/output/source_paths.h"

struct mp_source_input {
    struct mp_source_paths paths;
    const char **folders;       /* array to which `paths` refers */
};

extern const struct argp mp_source_argp;

/* Frees the members of INPUT, but not INPUT itself. */
void mp_source_input_free(struct mp_source_input *input);

#endif
