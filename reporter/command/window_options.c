#include "window_options.h"

#include "options.h"

enum { OPT_AT = 512, OPT_FROM, OPT_TO };

/* Group of the options in --help, after the options of the command and of view_options.c. */
#define GROUP_TIME 30

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Which time (a checkpoint's NAME, NAME#2, #3, start, peak, end, or seconds as 1.5s):",
     GROUP_TIME},
    {"at", OPT_AT, "MARK", 0, "What was alive at that moment", GROUP_TIME},
    {"from", OPT_FROM, "MARK", 0, "What happened from then on", GROUP_TIME},
    {"to", OPT_TO, "MARK", 0, "What happened until then", GROUP_TIME},
    {0},
};

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct mp_window_ends *ends = state->input;

    switch (key) {
    case OPT_AT:
        ends->at = arg;
        return 0;
    case OPT_FROM:
        ends->from = arg;
        return 0;
    case OPT_TO:
        ends->to = arg;
        return 0;
    case ARGP_KEY_END:
        return ends->at && (ends->from || ends->to)
                   ? mp_options_refuse("--at=%s is one moment: not with --from or --to", ends->at) : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp mp_window_argp = {.options = options, .parser = parse};

error_t
mp_window_refuse_sort(const struct mp_window_ends *ends, enum mp_sort sort)
{
    if (!mp_window_is_wanted(ends))
        return 0;
    if (sort == MP_SORT_TEMPORARY && ends->at)
        return mp_options_refuse("--at=%s: what is temporary is not alive at a moment", ends->at);
    if (sort == MP_SORT_PEAK && !ends->at)
        return mp_options_refuse("--from, --to: what was alive at the peak is not known of a part");
    return 0;
}
