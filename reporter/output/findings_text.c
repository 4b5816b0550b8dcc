#include "findings_text.h"

static void
put_limit(const struct mp_limit *limit, struct mp_arena *arena, FILE *out)
{
    const char *gap = limit->text;

    while (gap[0] != '%' || gap[1] != 's')
        gap++;
    fprintf(out, "%.*s%s%s", (int)(gap - limit->text), limit->text,
            mp_finding_number(limit->value, limit->unit, arena), gap + 2);
}

/* Returns a sentence on the kinds of windows that a rule applies to, or "". */
static const char *
part_text(unsigned of)
{
    if (!(of & MP_OF_ALL))
        return "Of what happened between two moments only.\n";
    return of & MP_OF_TIME     ? "Also of what happened between two moments.\n"
           : of & MP_OF_MOMENT ? "Also of what was alive at a moment.\n"
                               : "";
}

void
mp_findings_rules(FILE *out)
{
    struct mp_arena *arena = mp_arena_new();

    for (size_t i = 0; i < mp_n_rules; i++) {
        const struct mp_rule *rule = mp_rules[i];

        fprintf(out, "%s%s: %s.\n%s\nIt speaks where ", i > 0 ? "\n" : "", rule->key, rule->title,
                rule->about);
        for (size_t j = 0; j < rule->n_limits; j++) {
            fputs(j > 0 ? "; " : "", out);
            put_limit(&rule->limits[j], arena, out);
        }
        fprintf(out, ".\n%s", part_text(rule->of));
    }
    mp_arena_free(arena);
}
