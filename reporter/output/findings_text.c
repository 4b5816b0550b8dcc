#include "findings_text.h"

#include <inttypes.h>

/* ---------------------------------------------------------------- JSON */

/* Names have no control characters but \xNN, see profile.h. */
static void
put_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void
put_member(const char *key, const char *text, FILE *out)
{
    fprintf(out, "  \"%s\": ", key);
    put_string(text, out);
    fputs(",\n", out);
}

/* As the figures' units are called there; shares are from 0 to 1. */
static void
put_figure(const struct mp_finding_figure *figure, FILE *out)
{
    static const char *const units[] = {
        [MP_IN_BYTES] = "bytes", [MP_IN_BLOCKS] = "blocks", [MP_IN_PERMILLE] = "permille",
        [MP_IN_NANOSECONDS] = "nanoseconds", [MP_IN_COUNT] = "count"};

    fprintf(out, "{\"key\": \"%s\", \"unit\": \"%s\", \"value\": %" PRIu64 "}", figure->key,
            units[figure->unit], figure->number);
}

static void
put_finding(const struct mp_finding *finding, bool estimated, FILE *out)
{
    fputs(" {\n", out);
    put_member("rule", finding->rule->key, out);
    put_member("title", finding->rule->title, out);
    put_member("text", finding->text, out);
    fprintf(out, "  \"estimated\": %s,\n  \"permille\": %" PRIu32 ",\n",
            estimated ? "true" : "false", finding->permille);
    put_member("function", finding->function, out);
    fputs("  \"chain\": [", out);
    for (uint32_t i = 0; i < finding->n_calls; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_string(finding->calls[i], out);
    }
    fprintf(out, "],\n  \"whole_chain\": %s,\n  \"figures\": [", finding->whole ? "true" : "false");
    for (uint32_t i = 0; i < finding->n_figures; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        put_figure(&finding->figures[i], out);
    }
    fputs("],\n  \"command\": ", out);
    put_string(finding->command, out);
    fputs("\n }", out);
}

void
mp_findings_json(const struct mp_findings *findings, FILE *out)
{
    fputc('[', out);
    for (uint32_t i = 0; i < findings->n; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_finding(&findings->list[i], findings->estimated, out);
    }
    fputs("\n]\n", out);
}

/* ---------------------------------------------------------------- rules */

static void
put_limit(const struct mp_limit *limit, struct mp_arena *arena, FILE *out)
{
    const char *gap = limit->text;

    while (gap[0] != '%' || gap[1] != 's')
        gap++;
    fprintf(out, "%.*s%s%s", (int)(gap - limit->text), limit->text,
            mp_finding_number(limit->value, limit->unit, arena), gap + 2);
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
        fputs(".\n", out);
    }
    mp_arena_free(arena);
}
