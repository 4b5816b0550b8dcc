#include "xml.h"

#include <string.h>

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
    while (*text) {
        size_t plain = strcspn(text, "&<>\"'\xef");
        const char *instead = replacement(text + plain);

        fwrite(text, 1, plain, out);
        text += plain;
        if (instead) {
            fputs(instead, out);
            text += *text == '\xef' ? 3 : 1;
        } else if (*text) {
            fputc(*text++, out);
        }
    }
}
