/* SPDX-License-Identifier: MIT */
/* reader_live.c -- reads the live file of a running or ended process into a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live_parts.h"
#include "reporter/base/clock.h"
#include "reporter/base/text.h"
#include "reporter/profile/held_memory.h"
#include "reporter/profile/missing.h"

static bool
bad_header(const struct mp_live_reading *reading, size_t field_offset, const char *problem,
           struct mp_error *error)
{
    return mp_fail(error, MP_ERR_DAMAGED, field_offset, "%s: %s", reading->image.input->name,
                   problem);
}

/* Sets *TO to string ID, to which the header refers at FIELD_OFFSET. */
static bool
header_string(struct mp_live_reading *reading, uint32_t id, size_t field_offset, const char **to,
              struct mp_error *error)
{
    struct mp_live_string string;

    if (!mp_live_string(reading, id, &string))
        return bad_header(reading, field_offset, "the header refers to a string that is not there",
                          error);
    *to = string.text;
    return true;
}

static bool
read_arguments(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_header *header = &reading->image.header;
    struct mp_meta *meta = &reading->profile->meta;
    uint32_t id = header->arguments;

    if (header->n_arguments > reading->image.tables[MP_EXT_STRINGS].count)
        return bad_header(reading, MP_HEADER_OFFSET(n_arguments), "more arguments than strings",
                          error);
    if (header->n_arguments > 0 && id == 0)
        return bad_header(reading, MP_HEADER_OFFSET(arguments), "the arguments are not there",
                          error);
    meta->arguments = mp_arena_alloc(reading->profile->arena,
                                     header->n_arguments * sizeof *meta->arguments);
    for (uint32_t i = 0; i < header->n_arguments; i++) {
        size_t length;

        if (!header_string(reading, id, MP_HEADER_OFFSET(arguments), &meta->arguments[i], error))
            return false;
        mp_image_string(&reading->image, id, &length);
        id += (uint32_t)length + 1;
    }
    meta->n_arguments = header->n_arguments;
    meta->arguments_cut = header->arguments_cut != 0;
    return true;
}

static void
read_ending(struct mp_live_reading *reading)
{
    static const enum mp_ending endings[] = {
        [MP_STATE_EXITED] = MP_END_EXITED,
        [MP_STATE_EXEC] = MP_END_EXEC,
        [MP_STATE_STOPPED] = MP_END_STOPPED,
        [MP_STATE_FULL] = MP_END_FULL,
        [MP_STATE_SNAPSHOT] = MP_END_SNAPSHOT,
    };
    const struct mp_live_header *header = &reading->image.header;
    struct mp_meta *meta = &reading->profile->meta;
    uint64_t end = header->end_monotonic;

    if (header->state != MP_STATE_RUNNING) {
        meta->ending = endings[header->state];
    } else if (reading->image.alive) {
        meta->ending = MP_END_RUNNING;
        end = mp_now();
    } else {
        meta->ending = MP_END_KILLED;
        end = 0;                /* the time of its end is unknown */
    }
    meta->status = meta->ending == MP_END_EXITED ? header->exit_status : -1;
    meta->stop_errno = header->stop_errno;
    meta->duration = end > header->start_monotonic ? end - header->start_monotonic : 0;
}

static void
read_counters(struct mp_live_reading *reading)
{
    const struct mp_live_header *header = &reading->image.header;
    const struct mp_observed *observed = reading->request->observed;
    const uint64_t seen = observed ? observed->private : 0;
    const uint64_t most = seen > header->private_end ? seen : header->private_end;
    struct mp_meta *meta = &reading->profile->meta;

    meta->damaged = reading->image.mended;
    meta->pid = header->pid;
    meta->ppid = header->ppid;
    meta->machine = header->machine;
    meta->start_realtime = header->start_realtime;
    meta->unwinder = header->unwinder;
    meta->depth = header->depth;
    meta->sample_period = header->sample_period;
    memcpy(meta->missing, header->missing, sizeof meta->missing);
    meta->programs_started = header->programs_started;
    meta->follows = header->follows == 1;
    meta->leaks = header->leaks;
    meta->scan_offset = header->scan_offset;
    meta->scan_size = header->scan_size;
    meta->processes_forked = header->processes_forked;
    meta->nested = header->nested;
    meta->processes_shut = header->processes_shut;
    meta->unwanted = header->unwanted == 1;
    meta->snapshots = header->snapshots;
    meta->peak_bytes = header->peak_bytes;
    meta->peak_slack = header->peak_slack;
    meta->live_file_size = header->file_size;
    memcpy(meta->run_id, header->run_id, sizeof meta->run_id);
    meta->one_thread = header->one_thread;
    meta->collections = header->collections;
    meta->heap_before = header->heap_before;
    meta->heap_now = header->heap_now;
    if (header->private_before > 0 && most > header->private_before)
        reading->profile->private_peak = most - header->private_before;
    if (mp_allocator_is_sound(&header->allocator))
        reading->profile->allocator = header->allocator;
}

/* Counts recorders and threads. Also checks whether the present total exceeds the recorded peak, which is possible
 * because the monitor records a peak only just before the total falls. */
static bool
read_recorders(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_RECORDERS];
    const struct mp_live_recorder *records = (const void *)table->records;
    struct mp_meta *meta = &reading->profile->meta;
    int64_t live = reading->image.header.live_bytes;

    for (size_t i = 0; i < table->count; i++) {
        if (!records[i].in_use)
            continue;
        if (__builtin_add_overflow(live, records[i].pending_bytes, &live))
            return mp_live_damaged(reading, MP_EXT_RECORDERS, i,
                                   offsetof(struct mp_live_recorder, pending_bytes),
                                   "counters beyond all bounds", error);
        meta->recorders++;
        if (__builtin_add_overflow(meta->threads, records[i].threads, &meta->threads))
            return mp_live_damaged(reading, MP_EXT_RECORDERS, i,
                                   offsetof(struct mp_live_recorder, threads),
                                   "more threads than there can be", error);
    }
    reading->peak_now = live > reading->image.header.peak_bytes;
    return true;
}

static void
add_unrecorded(struct mp_live_reading *reading, uint32_t n, const char *why)
{
    struct mp_meta *meta = &reading->profile->meta;
    const struct mp_unrecorded one = {mp_text_basename(meta->program), why, n};

    if (n > 0)
        mp_unrecorded_add(&meta->unrecorded, &(struct mp_unrecorded_list){&one, 1}, reading->profile->arena);
}

/* Adds the forked children that could not be recorded, which are counted in the file of the family's first process. */
static void
read_unrecorded(struct mp_live_reading *reading)
{
    const struct mp_live_header *header = &reading->image.header;
    char why[MP_WHY_SIZE];

    add_unrecorded(reading, header->not_recorded, MP_WHY_FILTER);
    add_unrecorded(reading, header->unreached, mp_missing_no_file(header->unreached_error, why));
}

static bool
read_meta(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_header *header = &reading->image.header;
    struct mp_meta *meta = &reading->profile->meta;

    read_counters(reading);
    if (header->sample_period > MP_MAX_SAMPLE)
        return bad_header(reading, MP_HEADER_OFFSET(sample_period), "samples at a distance that cannot be",
                          error);
    if (header->sample_period > 0 && header->lifetimes)
        return bad_header(reading, MP_HEADER_OFFSET(lifetimes), "lifetimes of samples", error);
    read_ending(reading);
    if (!header_string(reading, header->program, MP_HEADER_OFFSET(program), &meta->program, error))
        return false;
    read_unrecorded(reading);
    return header_string(reading, header->monitor, MP_HEADER_OFFSET(monitor), &meta->monitor,
                         error) &&
           header_string(reading, header->language, MP_HEADER_OFFSET(language), &meta->language,
                         error) &&
           header_string(reading, header->host, MP_HEADER_OFFSET(host), &meta->host, error) &&
           header_string(reading, header->labels, MP_HEADER_OFFSET(labels), &meta->labels, error) &&
           read_arguments(reading, error) && read_recorders(reading, error);
}

/* Sets the contexts that the request asks for. */
static void
find_contexts(const struct mp_live_reading *reading)
{
    const struct mp_live_request *request = reading->request;

    for (uint32_t i = 0; i < request->n; i++) {
        uint64_t id = request->ids[i];
        size_t record = id > 0 && id <= UINT32_MAX
                            ? mp_image_find(&reading->image, MP_EXT_CONTEXTS, (uint32_t)id) : MP_NO_RECORD;

        request->contexts[i] = record == MP_NO_RECORD ? MP_NO_ID : reading->context_of[record];
    }
}

static struct mp_profile *
read_image(struct mp_live_reading *reading, struct mp_error *error)
{
    bool done;

    reading->profile = mp_profile_new();
    reading->scratch = reading->string_ids.arena = mp_arena_new();
    done = read_meta(reading, error) && mp_live_part(reading, error) && mp_live_modules(reading, error) &&
           mp_live_contexts(reading, error) && mp_live_frames(reading, error);
    if (done)
        mp_live_tree(reading);
    done = done && mp_live_forms(reading, error) &&
           mp_live_bad_frees(reading, error) && mp_live_mappings(reading, error) && mp_live_kinds(reading, error) &&
           mp_live_objects(reading, error) &&
           mp_live_marks(reading, error) && mp_live_cells(reading, error) && mp_live_bins(reading, error);
    if (done && reading->image.header.sample_period > 0)
        mp_live_samples(reading);
    done = done && mp_live_marks_end(reading, error);
    if (done) {
        mp_live_resident(reading);
        mp_live_time(reading);
        find_contexts(reading);
    }
    mp_arena_free(reading->scratch);
    if (done)
        return reading->profile;
    mp_profile_free(reading->profile);
    return NULL;
}

struct mp_profile *
mp_read_live(struct mp_input *input, const struct mp_live_request *request, struct mp_error *error)
{
    /* allocated, because its 140 KiB are too large for the stack; most of them are tables of extents */
    struct mp_live_reading *reading = mp_need(aligned_alloc(_Alignof(struct mp_live_reading), sizeof *reading));
    struct mp_profile *profile = NULL;

    memset(reading, 0, sizeof *reading);
    reading->request = request;
    if (mp_image_take(&reading->image, input, error)) {
        profile = read_image(reading, error);
        mp_image_free(&reading->image);
    }
    free(reading);
    return profile;
}
