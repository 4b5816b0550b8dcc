/*
 * source_options.h -- the option --source-path, for commands that show source files: an argp child, as
 * view_options.h has it.  Its input is a struct mp_source_input.
 */
#ifndef MP_COMMAND_SOURCE_OPTIONS_H
#define MP_COMMAND_SOURCE_OPTIONS_H

#include <argp.h>

#include "reporter/output/source_paths.h"

struct mp_source_input {
    struct mp_source_paths paths;
    const char **folders;       /* what paths refers to */
};

extern const struct argp mp_source_argp;

/* What the option's arguments were copied to.  Not INPUT itself. */
void mp_source_input_free(struct mp_source_input *input);

#endif
