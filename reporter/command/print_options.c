#include "print_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

error_t
mp_options_chain(const char *text, struct mp_print_options *print)
{
    unsigned long n = 0;

    if (strcmp(text, "all") != 0 && !mp_options_number(text, 1, 1000000, &n))
        return mp_options_refuse("--chain=%s: not a number of callers, nor 'all'", text);
    print->chain = print->sites = print->callers = (unsigned)n;
    return 0;
}

error_t
mp_options_most(const char *text, struct mp_print_options *print)
{
    unsigned long n;

    if (!mp_options_number(text, 1, 1000000000, &n))
        return mp_options_refuse("--max=%s: not a number of rows", text);
    print->most = (unsigned)n;
    return 0;
}

/* Accepts a share in steps of 0.1 %, or bytes. */
error_t
mp_options_least(const char *text, struct mp_print_options *print)
{
    unsigned long bytes;
    double percent;
    char *end;

    percent = strtod(text, &end);
    if (end > text && strcmp(end, "%") == 0 && percent >= 0.1 && percent <= 100) {
        print->permille = (unsigned)(percent * 10 + 0.5);
        print->least = 0;
        return 0;
    }
    if (!mp_options_bytes(text, LONG_MAX, &bytes))
        return mp_options_refuse("--min=%s: neither bytes, as 100K, nor a share from 0.1%% to 100%%",
                                 text);
    print->least = bytes;
    return 0;
}

error_t
mp_options_color(const char *text, enum mp_color_when *when)
{
    return mp_term_color_named(text, when)
               ? 0 : mp_options_refuse("--color=%s: auto, always or never", text);
}
