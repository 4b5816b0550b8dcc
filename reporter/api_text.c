/* SPDX-License-Identifier: MIT */
#include "api.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "reporter/base/text.h"
#include "reporter/file/live_writer.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/profile/ending.h"
#include "reporter/symbols/symbols.h"
#include "reporter/unite/several.h"
#include "reporter/view/moment_names.h"

bool
mp_report_no_memory(const char *file, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", file);
}

struct mp_profile *
mp_report_quiet_load(const char *file, const struct mp_report_part *part, struct mp_error *error)
{
    const struct mp_symbol_options options = {.cache = false};
    struct mp_profile *profile = part->recorder ? mp_read_thread(file, part->recorder, error)
                                                : mp_several_read(file, NULL, error);

    if (profile && !mp_symbolise(profile, &options, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    return profile;
}

static void
set_tables(struct mp_report_options *options, const struct mp_report_request *request)
{
    options->order[0] = MP_TABLE_FINDINGS;
    options->order[1] = MP_TABLE_FLAT;
    if (request->tables == 0) {
        options->tables = request->lisp ? MP_TABLE_LISP : MP_TABLE_DEFAULT;
        return;
    }
    options->tables = request->tables;
    options->chosen = true;
    options->no_head = !(request->tables & MP_TABLE_HEAD);
}

static void
set_chain(struct mp_print_options *print, uint32_t chain)
{
    if (chain == MP_CHAIN_ALL)
        print->chain = print->sites = print->callers = 0;
    else if (chain > 0)
        print->chain = print->sites = print->callers = chain;
}

static struct mp_report_options
options_of(const struct mp_report_request *request)
{
    struct mp_report_options options = MP_REPORT_DEFAULT;

    set_tables(&options, request);
    set_chain(&options.print, request->chain);
    options.view = (struct mp_view_options){
        .frames = request->frames, .lisp_only = request->lisp, .all_frames = request->all_frames,
        .focus = request->focus, .window = {.from = request->part.from, .to = request->part.to},
        .short_names = !request->full_names, .skip.wrappers = !request->no_skip};
    options.print.lines = true;
    options.print.sort = request->sort;
    options.print.with_callees = request->with_callees;
    options.print.most = request->most;
    options.print.width = request->width;
    options.print.forms = true;
    options.print.verbosity = MP_VERBOSE;
    if (request->min_percent > 0)
        options.print.permille =
            request->min_percent < 100 ? (unsigned)(request->min_percent * 10 + 0.5) : 1000;
    return options;
}

/* Prints that the report is partial, if it has no head that states it. */
static void
put_remark(const struct mp_profile *profile, const struct mp_report_options *options, FILE *out)
{
    char ending[MP_ENDING_SIZE];

    if (options->no_head && profile->meta.ending == MP_END_FULL)
        fprintf(out, "This report is partial: %s\n\n", mp_ending_text(&profile->meta, ending));
}

/* A report to be written. */
struct wanted {
    const char *file;
    const struct mp_report_request *request;
};

static bool
write_report(const void *data, FILE *out, struct mp_error *error)
{
    const struct wanted *wanted = data;
    const struct mp_report_options options = options_of(wanted->request);
    struct mp_profile *profile = mp_report_quiet_load(wanted->file, &wanted->request->part, error);
    bool ok;

    if (profile)
        put_remark(profile, &options, out);
    ok = profile && mp_report_write(profile, &options, out, error);

    mp_profile_free(profile);
    return ok;
}

char *
mp_report_in_utf8(mp_report_write_text *write, const void *data, struct mp_error *error)
{
    locale_t utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    struct mp_text_stream report;
    char *text;
    bool ok;

    if (utf8)
        before = uselocale(utf8);
    ok = write(data, mp_text_open(&report), error);
    text = mp_text_close(&report);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    if (ok)
        return text;
    free(text);
    return NULL;
}

char *
mp_report_text(const char *file, const struct mp_report_request *request, struct mp_error *error)
{
    locale_t before = uselocale((locale_t)0);
    jmp_buf no_memory;
    char *text;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        uselocale(before);
        mp_report_no_memory(file, error);
        return NULL;
    }
    mp_when_no_memory(&no_memory);
    text = mp_report_in_utf8(write_report, &(struct wanted){file, request}, error);
    mp_when_no_memory(NULL);
    return text;
}

bool
mp_report_totals(const char *file, struct mp_totals *totals, struct mp_error *error)
{
    struct mp_profile *profile;
    jmp_buf no_memory;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        return mp_report_no_memory(file, error);
    }
    mp_when_no_memory(&no_memory);
    profile = mp_several_read(file, NULL, error);
    if (profile)
        mp_profile_totals(profile, totals);
    mp_when_no_memory(NULL);
    mp_profile_free(profile);
    return profile != NULL;
}

/* Makes PART, a window, a profile that can be sealed. Its frees become at most its allocations, its peak becomes what
 * was kept, and it is no longer a window. */
static void
settle(struct mp_profile *part)
{
    struct mp_meta *meta = &part->meta;

    meta->peak_bytes = meta->peak_blocks = 0;
    meta->peak_slack = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct mp_basic_counts *c = &part->cells[i].counts;

        c->frees = c->frees < c->allocs ? c->frees : c->allocs;
        c->freed = c->freed < c->bytes ? c->freed : c->bytes;
        c->temporary = c->temporary < c->frees ? c->temporary : c->frees;
        c->peak_bytes = (int64_t)(c->bytes - c->freed);
        c->peak_blocks = (int64_t)(c->allocs - c->frees);
        meta->peak_bytes += c->peak_bytes;
        meta->peak_blocks += c->peak_blocks;
        meta->peak_slack += c->freed;
    }
    mp_profile_set_kept(part);
    part->window = NULL;
}

/* Returns the time of PROFILE's checkpoint NAME in ns. Returns OTHERWISE if NAME is NULL or PROFILE has no checkpoint
 * of this name. */
static uint64_t
time_of(const struct mp_profile *profile, const char *name, uint64_t otherwise)
{
    const uint32_t found = name ? mp_moment_named(profile->timeline, name) : MP_NO_ID;

    return found == MP_NO_ID ? otherwise : profile->timeline->moments[found].time;
}

/* Returns the part of PROFILE that PART describes. Freeing it frees PROFILE. Returns PROFILE itself if PART has
 * no times. On failure frees PROFILE, returns NULL and fills *ERROR. */
static struct mp_profile *
part_of(struct mp_profile *profile, const struct mp_report_part *part, struct mp_error *error)
{
    const struct mp_window_ends ends = {.from = part->from, .to = part->to};
    struct mp_profile *window;

    if (!mp_window_is_wanted(&ends))
        return profile;
    window = mp_window(profile, &ends, error);
    if (!window) {
        mp_profile_free(profile);
        return NULL;
    }
    window->base = profile;
    settle(window);
    window->meta.duration = time_of(profile, part->to, profile->meta.duration) - time_of(profile, part->from, 0);
    window->meta.start_realtime += time_of(profile, part->from, 0);
    return window;
}

bool
mp_report_seal(const char *file, const struct mp_report_part *part, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;
    jmp_buf no_memory;
    bool ok;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        return mp_report_no_memory(file, error);
    }
    mp_when_no_memory(&no_memory);
    profile = mp_report_quiet_load(file, part, error);
    if (profile)
        profile = part_of(profile, part, error);
    if (profile)
        mp_ending_copied(&profile->meta);
    ok = profile && mp_writer_is_away(path, error) && mp_seal(profile, path, NULL, error);
    mp_when_no_memory(NULL);
    mp_profile_free(profile);
    return ok;
}
