/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include <string.h>

#include "runtime/utf8.h"

/* Returns the replacement of the first character of TEXT, or NULL if it needs none. U+FFFE and U+FFFF are not
 * allowed in XML. */
static const char *
replacement(const char *text)
{
    switch (*text) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\xef':
        return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0
                   ? "\xef\xbf\xbd" : NULL;
    default:
        return NULL;
    }
}

void
mp_xml_put(FILE *out, const char *text)
{
    const char *end = text + strlen(text);

    for (size_t step; *text; text += step ? step : 1) {
        const char *instead = replacement(text);

        step = (unsigned char)*text < 0x20 ? 0 : mp_utf8_length(text, (size_t)(end - text));
        if (instead)
            fputs(instead, out);
        else if (step > 0)
            fwrite(text, 1, step, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)*text);
    }
}
