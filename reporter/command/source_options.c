#include "source_options.h"

#include <stdlib.h>

#include "options.h"

enum { OPT_SOURCE_PATH = 768 };

static const struct argp_option options[] = {
    {"source-path", OPT_SOURCE_PATH, "DIR", MP_OPTION_MANY,
     "Look for sources in DIR first, under the last parts of their paths", 1},
    {0},
};

static error_t
add_folder(struct mp_source_input *input, const char *folder)
{
    if (!*folder)
        return mp_options_refuse("--source-path=: no directory");
    input->folders = mp_need(reallocarray(input->folders, input->paths.n + 1, sizeof *input->folders));
    input->folders[input->paths.n++] = folder;
    input->paths.folders = input->folders;
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    return key == OPT_SOURCE_PATH ? add_folder(state->input, arg) : ARGP_ERR_UNKNOWN;
}

const struct argp mp_source_argp = {.options = options, .parser = parse};

void
mp_source_input_free(struct mp_source_input *input)
{
    free(input->folders);
}
