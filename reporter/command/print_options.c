#include "print_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "reporter/base/format_number.h"

error_t
mp_options_callers(const char *text, struct mp_print_options *print)
{
    const error_t wrong = mp_options_chain(text, &print->chain);

    print->sites = print->callers = print->chain;
    return wrong;
}

/* Accepts a share in steps of 0.1 %, or bytes. */
error_t
mp_options_least(const char *text, struct mp_print_options *print)
{
    uint64_t bytes;
    double percent;
    char *end;

    percent = strtod(text, &end);
    if (end > text && strcmp(end, "%") == 0 && percent >= 0.1 && percent <= 100) {
        print->permille = (unsigned)(percent * 10 + 0.5);
        print->least = 0;
        return 0;
    }
    if (!mp_number_parse(text, true, &bytes) || bytes < 1 || bytes > LONG_MAX)
        return mp_options_wrong("neither bytes, as 100K, nor a share from 0.1%% to 100%%");
    print->least = bytes;
    return 0;
}

error_t
mp_options_color(const char *text, enum mp_color_when *when)
{
    return mp_term_color_named(text, when)
               ? 0 : mp_options_wrong("auto, always or never");
}
