#include "findings_said.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mp_findings *
findings_of(const struct mp_profile *profile)
{
    const struct mp_view_options view = {0};
    const struct mp_findings_options all = {0};
    struct mp_error error;
    struct mp_findings *findings = mp_findings_of(profile, &view, NULL, &all, &error);

    ck_assert_ptr_nonnull(findings);
    return findings;
}

static void
print(const struct mp_finding *finding, FILE *out)
{
    fprintf(out, "%s %s %u:", finding->rule->key, finding->function, (unsigned)finding->permille);
    if (!finding->chain.whole)
        fputs(" ...", out);
    for (uint32_t i = 0; i < finding->n_calls; i++)
        fprintf(out, "%s%s", i > 0 || !finding->chain.whole ? " > " : " ", finding->calls[i]);
    fputc('\n', out);
}

void
must_say(const struct mp_profile *profile, const char *expected)
{
    struct mp_findings *findings = findings_of(profile);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    for (uint32_t i = 0; i < findings->n; i++)
        print(&findings->list[i], out);
    fclose(out);
    mp_findings_free(findings);
    ck_assert_str_eq(text, expected);
    free(text);
}

void
sentence_must_be(const struct mp_profile *profile, const char *expected)
{
    struct mp_findings *findings = findings_of(profile);

    ck_assert_uint_gt(findings->n, 0);
    ck_assert_str_eq(findings->list[0].text, expected);
    mp_findings_free(findings);
}

struct mp_cell *
cell_in(struct mp_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_context *context = &profile->contexts[profile->cells[i].context];
        const struct mp_frame *frame = &profile->frames[context->frame];
        uint32_t function = profile->locations[frame->first_location].function;

        if (strcmp(profile->functions[function].name, name) == 0)
            return &profile->cells[i];
    }
    ck_abort_msg("no cell of %s", name);
}

void
let_peak_be_kept(struct mp_profile *profile)
{
    profile->meta.peak_bytes = profile->meta.peak_blocks = 0;
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        struct mp_counts *counts = &profile->cells[i].counts;

        counts->peak_bytes = (int64_t)counts->kept;
        counts->peak_blocks = (int64_t)counts->kept_blocks;
        profile->meta.peak_bytes += counts->peak_bytes;
        profile->meta.peak_blocks += counts->peak_blocks;
    }
}
