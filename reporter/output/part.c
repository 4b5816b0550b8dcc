#include "part.h"

#include "reporter/base/arena.h"
#include "reporter/base/text.h"

void
mp_part_print(const char *focus, const struct mp_filters *filters, FILE *out)
{
    unsigned n = filters ? filters->n : 0;

    if (focus)
        fputs("through ", out);
    mp_text_print(out, focus ? focus : "");
    fputs(focus && n > 0 ? ", " : "", out);
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, "%s--%s=", i > 0 ? " " : "of ", mp_filter_names[filters->list[i].by]);
        mp_text_print(out, filters->list[i].text);
    }
}

char *
mp_part_text(const char *focus, const struct mp_filters *filters)
{
    char *text;
    size_t size;
    FILE *words = mp_need(open_memstream(&text, &size));

    mp_part_print(focus, filters, words);
    if (fclose(words) != 0)
        mp_no_memory();
    return text;
}
