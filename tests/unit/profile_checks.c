#include "profile_checks.h"

#include <check.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "reporter/profile/estimate.h"

struct mp_error error;

/* ck_assert() reports each success, which is too slow for what is called a million times. */
#define MUST(condition)                     \
    do {                                    \
        if (!(condition))                   \
            ck_abort_msg("%s", #condition); \
    } while (0)

static void
assert_text(const char *text)
{
    MUST(text);
    for (; *text; text++)
        MUST((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void
assert_valid_strings(const struct mp_profile *profile)
{
    assert_text(profile->meta.program);
    assert_text(profile->meta.monitor);
    assert_text(profile->meta.language);
    assert_text(profile->meta.labels);
    for (uint32_t i = 0; i < profile->n_names; i++) {
        assert_text(profile->names[i].name);
        assert_text(profile->names[i].file);
    }
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        const struct mp_object_kind *kind = &profile->kinds[i];
        const struct mp_object_kind *base = mp_profile_kind(profile, kind->base);

        assert_text(kind->name);
        MUST(kind->kind >= MP_KIND_LISP && kind->kind < MP_KIND_END);
        MUST(i == 0 || kind->kind > kind[-1].kind);
        MUST(base && base->base == base->kind);
        MUST(strchr("cfso", kind->category));
    }
    for (uint32_t i = 0; i < profile->n_forms; i++) {
        MUST(profile->forms[i] > (i > 0 ? profile->forms[i - 1] : 0));
        MUST(profile->forms[i] < profile->n_contexts);
    }
    for (uint32_t i = 0; i < profile->meta.n_arguments; i++)
        assert_text(profile->meta.arguments[i]);
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        assert_text(profile->modules[i].path);
        assert_text(profile->modules[i].name);
        assert_text(profile->modules[i].problem);
    }
    for (uint32_t i = 0; i < profile->n_types; i++)
        assert_text(profile->types[i]);
}

static void
assert_valid_code(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        assert_text(profile->functions[i].text);
        assert_text(profile->functions[i].plain ? profile->functions[i].plain : "");
        assert_text(profile->functions[i].file ? profile->functions[i].file : "");
        MUST(profile->functions[i].module == MP_NO_ID ||
                  profile->functions[i].module < profile->n_modules);
    }
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        assert_text(profile->locations[i].file);
        MUST(profile->locations[i].function < profile->n_functions);
    }
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];

        MUST(frame->module == MP_NO_ID || frame->module < profile->n_modules);
        MUST(frame->mark <= MP_FRAME_LAST_MARK);
        MUST(frame->name == MP_NO_ID || frame->name < profile->n_names);
        MUST(!frame->interpreted || frame->module == MP_NO_ID);
        MUST((uint64_t)frame->first_location + frame->n_locations <= profile->n_locations);
        MUST(!profile->symbolised || frame->n_locations >= 1);
    }
}

static void
assert_valid_time(const struct mp_profile *profile)
{
    const struct mp_timeline *timeline = profile->timeline;
    uint32_t next = 0;

    MUST(timeline->n_moments >= 1 && timeline->moments[0].kind == MP_MOMENT_START);
    for (uint32_t i = 1; i < timeline->n_points; i++)
        MUST(timeline->points[i].time >= timeline->points[i - 1].time);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        assert_text(moment->name);
        MUST(i == 0 || moment->time >= moment[-1].time);
        MUST(moment->kind < MP_MOMENT_KINDS && moment->first_change == next);
        MUST(moment->has_changes || moment->n_changes == 0);
        next += moment->n_changes;
    }
    MUST(next == timeline->n_changes);
    for (uint32_t i = 0; i < timeline->n_changes; i++)
        MUST(timeline->changes[i].context < profile->n_contexts);
}

void
assert_valid(const struct mp_profile *profile)
{
    struct mp_totals totals;

    if (profile->timeline)
        assert_valid_time(profile);
    assert_valid_strings(profile);
    assert_valid_code(profile);
    MUST(profile->n_contexts >= 1);
    MUST(profile->contexts[0].parent == 0);
    MUST(profile->contexts[0].frame == MP_NO_ID);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        MUST(profile->contexts[i].parent < i);
        MUST(profile->contexts[i].frame < profile->n_frames);
    }
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        MUST(cell->context < profile->n_contexts);
        MUST(cell->counts.frees <= cell->counts.allocs);
        MUST(cell->counts.freed <= cell->counts.bytes);
        MUST(cell->kind < MP_KIND_LISP || mp_profile_kind(profile, cell->kind));
        MUST(cell->counts.kept <= cell->counts.bytes - cell->counts.freed);
        MUST(cell->counts.kept_blocks <= cell->counts.allocs - cell->counts.frees);
        MUST(i == 0 || cell->context > cell[-1].context ||
                  (cell->context == cell[-1].context && cell->kind > cell[-1].kind));
    }
    for (uint32_t i = 0; i < MP_BINS; i++)
        MUST((uint64_t)profile->bins[i].first_type + profile->bins[i].n_types <= profile->n_types);
    mp_profile_totals(profile, &totals);
    MUST(totals.all.frees <= totals.all.allocs);
}

static void
assert_equal_meta(const struct mp_meta *a, const struct mp_meta *b)
{
    ck_assert_str_eq(a->program, b->program);
    ck_assert_str_eq(a->monitor, b->monitor);
    ck_assert_uint_eq(a->n_arguments, b->n_arguments);
    for (uint32_t i = 0; i < a->n_arguments; i++)
        ck_assert_str_eq(a->arguments[i], b->arguments[i]);
    ck_assert_int_eq(a->arguments_cut, b->arguments_cut);
    ck_assert_uint_eq(a->pid, b->pid);
    ck_assert_uint_eq(a->ppid, b->ppid);
    ck_assert_uint_eq(a->machine, b->machine);
    ck_assert_uint_eq(a->start_realtime, b->start_realtime);
    ck_assert_uint_eq(a->duration, b->duration);
    ck_assert_int_eq(a->ending, b->ending);
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->stop_errno, b->stop_errno);
    ck_assert_uint_eq(a->unwinder, b->unwinder);
    ck_assert_uint_eq(a->depth, b->depth);
    ck_assert_uint_eq(a->recorders, b->recorders);
    ck_assert_uint_eq(a->threads, b->threads);
    ck_assert_mem_eq(a->missing, b->missing, sizeof a->missing);
    ck_assert_uint_eq(a->programs_started, b->programs_started);
    ck_assert_uint_eq(a->processes_forked, b->processes_forked);
    ck_assert_uint_eq(a->nested, b->nested);
    ck_assert_int_eq(a->follows, b->follows);
    ck_assert_uint_eq(a->unrecorded.n, b->unrecorded.n);
    for (uint32_t i = 0; i < a->unrecorded.n; i++) {
        ck_assert_str_eq(a->unrecorded.list[i].program, b->unrecorded.list[i].program);
        ck_assert_str_eq(a->unrecorded.list[i].why, b->unrecorded.list[i].why);
        ck_assert_uint_eq(a->unrecorded.list[i].n, b->unrecorded.list[i].n);
    }
    ck_assert_uint_eq(a->leaks, b->leaks);
    ck_assert_int_eq(a->peak_bytes, b->peak_bytes);
    ck_assert_int_eq(a->peak_blocks, b->peak_blocks);
    ck_assert_uint_eq(a->peak_slack, b->peak_slack);
    ck_assert_uint_eq(a->live_file_size, b->live_file_size);
    ck_assert_mem_eq(a->run_id, b->run_id, sizeof a->run_id);
    ck_assert_str_eq(a->language, b->language);
    ck_assert_uint_eq(a->one_thread, b->one_thread);
    ck_assert_uint_eq(a->collections, b->collections);
    ck_assert_uint_eq(a->heap_before, b->heap_before);
    ck_assert_uint_eq(a->heap_now, b->heap_now);
}

static void
assert_equal_modules(const struct mp_profile *a, const struct mp_profile *b)
{
    ck_assert_uint_eq(a->n_modules, b->n_modules);
    for (uint32_t i = 0; i < a->n_modules; i++) {
        const struct mp_module *x = &a->modules[i], *y = &b->modules[i];

        ck_assert_str_eq(x->path, y->path);
        ck_assert_str_eq(x->name, y->name);
        ck_assert_str_eq(x->problem, y->problem);
        ck_assert_int_eq(x->unloaded, y->unloaded);
        ck_assert_uint_eq(x->build_id_size, y->build_id_size);
        ck_assert_mem_eq(x->build_id, y->build_id, x->build_id_size);
    }
}

static void
assert_equal_code(const struct mp_profile *a, const struct mp_profile *b)
{
    ck_assert_uint_eq(a->n_functions, b->n_functions);
    for (uint32_t i = 0; i < a->n_functions; i++) {
        ck_assert_str_eq(a->functions[i].text, b->functions[i].text);
        ck_assert_uint_eq(a->functions[i].module, b->functions[i].module);
        ck_assert_uint_eq(a->functions[i].start, b->functions[i].start);
        ck_assert_pstr_eq(a->functions[i].plain, b->functions[i].plain);
        ck_assert_pstr_eq(a->functions[i].parameters, b->functions[i].parameters);
        ck_assert_pstr_eq(a->functions[i].runtime_name, b->functions[i].runtime_name);
        ck_assert_pstr_eq(a->functions[i].file, b->functions[i].file);
        ck_assert_pstr_eq(a->functions[i].unit, b->functions[i].unit);
        ck_assert_uint_eq(a->functions[i].line, b->functions[i].line);
        ck_assert_uint_eq(a->functions[i].kind, b->functions[i].kind);
        ck_assert_uint_eq(a->functions[i].language, b->functions[i].language);
        ck_assert_uint_eq(a->functions[i].clone, b->functions[i].clone);
    }
    ck_assert_uint_eq(a->n_locations, b->n_locations);
    for (uint32_t i = 0; i < a->n_locations; i++) {
        ck_assert_uint_eq(a->locations[i].function, b->locations[i].function);
        ck_assert_uint_eq(a->locations[i].line, b->locations[i].line);
        ck_assert_str_eq(a->locations[i].file, b->locations[i].file);
        ck_assert_int_eq(a->locations[i].inlined, b->locations[i].inlined);
    }
    ck_assert_uint_eq(a->n_frames, b->n_frames);
    for (uint32_t i = 0; i < a->n_frames; i++) {
        const struct mp_frame *x = &a->frames[i], *y = &b->frames[i];

        ck_assert_uint_eq(x->module, y->module);
        ck_assert_uint_eq(x->mark, y->mark);
        ck_assert_uint_eq(x->offset, y->offset);
        ck_assert_int_eq(x->exact, y->exact);
        ck_assert_uint_eq(x->first_location, y->first_location);
        ck_assert_uint_eq(x->n_locations, y->n_locations);
        ck_assert_int_eq(x->runtime, y->runtime);
        ck_assert_int_eq(x->interpreted, y->interpreted);
        ck_assert_int_eq(x->unproved, y->unproved);
        ck_assert_uint_eq(x->name, y->name);
    }
}

static void
assert_equal_names(const struct mp_profile *a, const struct mp_profile *b)
{
    ck_assert_uint_eq(a->n_names, b->n_names);
    for (uint32_t i = 0; i < a->n_names; i++) {
        ck_assert_str_eq(a->names[i].name, b->names[i].name);
        ck_assert_str_eq(a->names[i].file, b->names[i].file);
        ck_assert_int_eq(a->names[i].position, b->names[i].position);
        ck_assert_int_eq(a->names[i].dispatch, b->names[i].dispatch);
        ck_assert_int_eq(a->names[i].builtin, b->names[i].builtin);
    }
    ck_assert_uint_eq(a->allocator.held, b->allocator.held);
    ck_assert_uint_eq(a->allocator.mapped, b->allocator.mapped);
    ck_assert_uint_eq(a->allocator.free, b->allocator.free);
    ck_assert_uint_eq(a->allocator.resident, b->allocator.resident);
    ck_assert_uint_eq(a->n_forms, b->n_forms);
    for (uint32_t i = 0; i < a->n_forms; i++)
        ck_assert_uint_eq(a->forms[i], b->forms[i]);
    ck_assert_uint_eq(a->n_kinds, b->n_kinds);
    for (uint32_t i = 0; i < a->n_kinds; i++) {
        ck_assert_uint_eq(a->kinds[i].kind, b->kinds[i].kind);
        ck_assert_uint_eq(a->kinds[i].base, b->kinds[i].base);
        ck_assert_str_eq(a->kinds[i].name, b->kinds[i].name);
        ck_assert_int_eq(a->kinds[i].category, b->kinds[i].category);
        ck_assert_uint_eq(a->kinds[i].allocs, b->kinds[i].allocs);
        ck_assert_uint_eq(a->kinds[i].bytes, b->kinds[i].bytes);
    }
    ck_assert_uint_eq(a->meta.objects_sampled, b->meta.objects_sampled);
    ck_assert_uint_eq(a->owned_blocks, b->owned_blocks);
    ck_assert_uint_eq(a->owned_bytes, b->owned_bytes);
}

static void
assert_equal_cells(const struct mp_profile *a, const struct mp_profile *b)
{
    ck_assert_uint_eq(a->n_cells, b->n_cells);
    for (uint32_t i = 0; i < a->n_cells; i++) {
        const struct mp_cell *x = &a->cells[i], *y = &b->cells[i];

        ck_assert_uint_eq(x->context, y->context);
        ck_assert_uint_eq(x->kind, y->kind);
        ck_assert_uint_eq(x->size_min, y->size_min);
        ck_assert_uint_eq(x->size_max, y->size_max);
        ck_assert_mem_eq(&x->counts, &y->counts, sizeof x->counts);
        ck_assert_mem_eq(mp_cell_further(x), mp_cell_further(y), sizeof(struct mp_further_counts));
    }
}

static void
assert_equal_time(const struct mp_timeline *a, const struct mp_timeline *b)
{
    ck_assert_uint_eq(a->interval, b->interval);
    ck_assert_uint_eq(a->left_out, b->left_out);
    ck_assert_int_eq(a->temporary, b->temporary);
    ck_assert_uint_eq(a->n_points, b->n_points);
    ck_assert_mem_eq(a->points, b->points, a->n_points * sizeof *a->points);
    ck_assert_uint_eq(a->n_moments, b->n_moments);
    for (uint32_t i = 0; i < a->n_moments; i++) {
        const struct mp_moment *x = &a->moments[i], *y = &b->moments[i];

        ck_assert_int_eq(x->kind, y->kind);
        ck_assert_uint_eq(x->time, y->time);
        ck_assert_str_eq(x->name, y->name);
        ck_assert_int_eq(x->exact, y->exact);
        ck_assert_int_eq(x->has_changes, y->has_changes);
        ck_assert_uint_eq(x->first_change, y->first_change);
        ck_assert_uint_eq(x->n_changes, y->n_changes);
        ck_assert_uint_eq(x->pause, y->pause);
        if (x->kind != MP_MOMENT_COLLECTION)
            continue;
        ck_assert_uint_eq(x->heap_before, y->heap_before);
        ck_assert_uint_eq(x->heap_after, y->heap_after);
    }
    ck_assert_uint_eq(a->n_changes, b->n_changes);
    ck_assert_mem_eq(a->changes, b->changes, a->n_changes * sizeof *a->changes);
}

void
assert_equal(const struct mp_profile *a, const struct mp_profile *b)
{
    ck_assert_int_eq(a->timeline != NULL, b->timeline != NULL);
    if (a->timeline)
        assert_equal_time(a->timeline, b->timeline);
    assert_equal_meta(&a->meta, &b->meta);
    assert_equal_modules(a, b);
    assert_equal_code(a, b);
    assert_equal_names(a, b);
    ck_assert_uint_eq(a->n_contexts, b->n_contexts);
    ck_assert_mem_eq(a->contexts, b->contexts, a->n_contexts * sizeof *a->contexts);
    assert_equal_cells(a, b);
    ck_assert_mem_eq(a->bins, b->bins, sizeof a->bins);
    ck_assert_uint_eq(a->n_types, b->n_types);
    for (uint32_t i = 0; i < a->n_types; i++)
        ck_assert_str_eq(a->types[i], b->types[i]);
    ck_assert_int_eq(a->symbolised, b->symbolised);
}

void
assert_sampled_peak(const struct mp_profile *profile)
{
    static const struct { enum mp_figure figure; uint64_t value, low, high; } figures[] = {
        {MP_FIGURE_ALLOCS, 1312, 1242, 1385}, {MP_FIGURE_BYTES, 662344, 659373, 665369},
        {MP_FIGURE_FREES, 1310, 1240, 1383}, {MP_FIGURE_KEPT_BLOCKS, 2, 0, 8}};
    static const struct { uint32_t size; uint64_t allocs, bytes; } bins[] = {
        {40, 1000, 40000}, {64, 100, 6400}, {200, 50, 10000}, {1000, 1, 1000},
        {MP_BIN_LARGE, 92, 602000}};
    struct mp_totals totals;

    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(profile->meta.sample_period, 64);
    ck_assert_uint_eq(profile->meta.n_samples, 702);
    ck_assert_uint_eq(totals.allocs, 1243);
    ck_assert_uint_eq(totals.bytes, 659400);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct mp_estimate estimate = mp_counts_estimate(&totals.all, figures[i].figure);

        ck_assert(!estimate.exact);
        ck_assert_uint_eq(estimate.value, figures[i].value);
        ck_assert_uint_eq(estimate.low, figures[i].low);
        ck_assert_uint_eq(estimate.high, figures[i].high);
    }
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        ck_assert_uint_eq(profile->bins[bins[i].size].allocs, bins[i].allocs);
        ck_assert_uint_eq(profile->bins[bins[i].size].bytes, bins[i].bytes);
    }
}

void
assert_counts(const struct mp_counts *counts, struct mp_counts expected)
{
    enum { FIGURES = offsetof(struct mp_counts, spread) / sizeof(uint64_t) };
    uint64_t got[FIGURES], wanted[FIGURES];

    memcpy(got, counts, sizeof got);
    memcpy(wanted, &expected, sizeof wanted);
    for (unsigned i = 0; i < FIGURES; i++)
        ck_assert_msg(got[i] == wanted[i], "figure %u is %" PRIu64 ", not %" PRIu64, i, got[i], wanted[i]);
}

void
assert_cell(const struct mp_cell *cell, struct mp_counts expected)
{
    const struct mp_counts counts = mp_cell_counts(cell);

    assert_counts(&counts, expected);
}
/* SPDX-License-Identifier: MIT */
