#include "reporter/base/format_number.h"
#include "verdict_output.h"

const char *
mp_checked_text(const struct mp_verdict *verdict, const struct mp_checked *checked)
{
    const struct mp_estimate *value = &checked->value;
    char number[4][MP_NUMBER_SIZE];
    const char *before = "", *interval = "";

    if (checked->nothing)
        return "no function that allocates has such a name";
    if (!value->exact)
        interval = mp_arena_printf(verdict->arena, " (estimated: %s to %s)",
                                   mp_number_grouped(value->low, number[0]),
                                   mp_number_grouped(value->high, number[1]));
    if (checked->has_before)
        before = mp_arena_printf(verdict->arena, "%s before, ",
                                 mp_number_grouped(checked->before, number[2]));
    return mp_arena_printf(verdict->arena, "%s %s%s, %s%s allowed",
                           mp_number_grouped(value->value, number[0]), mp_figures[checked->bound->figure].what,
                           interval, before, mp_number_grouped(checked->bound->most, number[3]));
}

const char *
mp_offender_text(const struct mp_verdict *verdict, const struct mp_checked *checked,
                 const struct mp_offender *offender)
{
    const bool blocks = !mp_figures[checked->bound->figure].bytes;
    char number[2][MP_NUMBER_SIZE];
    const char *in = "";

    if (!blocks && offender->blocks > 0)
        in = mp_arena_printf(verdict->arena, " in %s block%s",
                             mp_number_grouped(offender->blocks, number[1]),
                             mp_plural(offender->blocks));
    return mp_arena_printf(verdict->arena, "%s%s %s%s%s", checked->has_before ? "+" : "",
                           mp_number_grouped(offender->value, number[0]),
                           blocks ? "block" : "byte", mp_plural(offender->value), in);
}

static void
print_offenders(const struct mp_verdict *verdict, const struct mp_checked *checked, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < checked->n_offenders; i++)
        fprintf(out, "    %s: %s\n",
                mp_offender_text(verdict, checked, &checked->offenders[i]),
                checked->offenders[i].chain);
    if (checked->left_out > 0)
        fprintf(out, "    and %s more chain%s\n", mp_number_grouped(checked->left_out, number),
                mp_plural(checked->left_out));
}

static void
print_all(const struct mp_verdict *verdict, enum mp_checked_is which, FILE *out)
{
    static const char *const words[] = {
        [MP_WITHIN] = "within", [MP_OVER] = "OVER", [MP_UNCERTAIN] = "uncertain"};

    for (uint32_t i = 0; i < verdict->n; i++) {
        const struct mp_checked *checked = &verdict->list[i];

        if (checked->is != which)
            continue;
        fprintf(out, "%-9s %s: %s\n", words[which], checked->bound->said,
                mp_checked_text(verdict, checked));
        print_offenders(verdict, checked, out);
    }
}

static void
print_suppressions(const struct mp_verdict *verdict, FILE *out)
{
    const struct mp_suppressions *all = verdict->suppressions;
    char number[2][MP_NUMBER_SIZE];

    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct mp_suppression *one = &all->list[i];

        if (one->blocks > 0 || one->bytes > 0)
            fprintf(out, "suppressed: %s bytes in %s block%s by %s\n",
                    mp_number_grouped(one->bytes, number[0]),
                    mp_number_grouped(one->blocks, number[1]), mp_plural(one->blocks), one->name);
    }
}

/* Prints how many allocations were not recorded, because they could not be checked. */
static void
print_missing(const struct mp_verdict *verdict, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    if (verdict->dropped > 0)
        fprintf(out, "not recorded, and so not counted: %s allocation%s\n",
                mp_number_grouped(verdict->dropped, number), mp_plural(verdict->dropped));
}

void
mp_verdict_text(const struct mp_verdict *verdict, bool quiet, FILE *out)
{
    print_all(verdict, MP_OVER, out);
    print_all(verdict, MP_UNCERTAIN, out);
    if (!quiet) {
        print_all(verdict, MP_WITHIN, out);
        print_suppressions(verdict, out);
    }
    for (const char *const *line = verdict->bad_frees; *line; line++)
        fprintf(out, "%s\n", *line);
    print_missing(verdict, out);
}
