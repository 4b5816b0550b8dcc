/* SPDX-License-Identifier: MIT */
/* sealed_processes.c -- the metadata of a sealed file's process, or of each process of a merged profile. */
#include "reporter/profile/missing.h"
#include "sealed_parts.h"

/* ---------------------------------------------------------------- one process */

/* Codes the arguments of the program. *STRING is the last reference in the column of strings, here and below. */
static void
code_arguments(struct mp_codec *codec, struct mp_meta *meta, uint32_t *string)
{
    mp_code_count(codec, &meta->n_arguments, 1);
    meta->arguments = mp_code_array(codec, meta->arguments, meta->n_arguments, sizeof *meta->arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        mp_code_string(codec, &meta->arguments[i], string);
    mp_code_bool(codec, &meta->arguments_cut);
}

/* Codes how the process ended. */
static void
code_ending(struct mp_codec *codec, struct mp_meta *meta)
{
    uint32_t ending = (uint32_t)meta->ending;
    int64_t status = meta->status;

    mp_code_below(codec, &ending, MP_END_SNAPSHOT + 1);
    meta->ending = (enum mp_ending)ending;
    mp_code_i64(codec, &status);
    mp_code_check(codec, status >= INT32_MIN && status <= INT32_MAX, "an exit status does not fit into 32 bits");
    meta->status = (int32_t)status;
    mp_code_u32(codec, &meta->stop_errno);
}

/* Codes the numbers of missing records, by reason. */
static void
code_missing(struct mp_codec *codec, struct mp_meta *meta)
{
    uint32_t n = MP_MISS_KINDS;

    mp_code_count(codec, &n, 1);
    mp_code_check(codec, n == MP_MISS_KINDS, "another number of reasons for missing records");
    for (uint32_t i = 0; i < MP_MISS_KINDS; i++)
        mp_code_u64(codec, &meta->missing[i]);
}

/* Codes the metadata of a process, without that of its collected heap. */
static void
code_process(struct mp_codec *codec, struct mp_meta *meta, uint32_t *string)
{
    mp_code_string(codec, &meta->program, string);
    mp_code_string(codec, &meta->monitor, string);
    code_arguments(codec, meta, string);
    mp_code_u32(codec, &meta->pid);
    mp_code_u32(codec, &meta->ppid);
    mp_code_u32(codec, &meta->machine);
    mp_code_u64(codec, &meta->start_realtime);
    mp_code_u64(codec, &meta->duration);
    code_ending(codec, meta);
    mp_code_below(codec, &meta->unwinder, MP_UNWIND_FP + 1);
    mp_code_u32(codec, &meta->depth);
    mp_code_u32(codec, &meta->recorders);
    mp_code_u32(codec, &meta->threads);
    code_missing(codec, meta);
    mp_code_u64(codec, &meta->programs_started);
    mp_code_u64(codec, &meta->processes_forked);
    mp_code_u64(codec, &meta->nested);
    mp_code_i64(codec, &meta->peak_bytes);
    mp_code_i64(codec, &meta->peak_blocks);
    mp_code_u64(codec, &meta->peak_slack);
    mp_code_u64(codec, &meta->live_file_size);
    mp_code_check(codec, meta->peak_bytes >= 0 && meta->peak_blocks >= 0, "the peak is negative");
}

/* Codes the metadata of a process's collected heap. */
static void
code_heap(struct mp_codec *codec, struct mp_meta *meta, uint32_t *string)
{
    mp_code_string(codec, &meta->language, string);
    mp_code_u32(codec, &meta->one_thread);
    mp_code_u64(codec, &meta->collections);
    mp_code_u64(codec, &meta->heap_before);
    mp_code_u64(codec, &meta->heap_now);
}

void
mp_code_meta(struct mp_codec *codec)
{
    uint32_t string = MP_NO_ID;

    code_process(codec, &codec->profile->meta, &string);
}

void
mp_code_runtime(struct mp_codec *codec)
{
    uint32_t string = MP_NO_ID;

    code_heap(codec, &codec->profile->meta, &string);
}

/* ------------------------------------------------------ processes of a merged profile */

#define MEMBER_SIZE 40u         /* minimum size of a process in bytes */

/* Codes the sums over the cells of a process. */
static void
code_sums(struct mp_codec *codec, struct mp_process_sums *sums)
{
    mp_code_u64(codec, &sums->allocs);
    mp_code_u64(codec, &sums->bytes);
    mp_code_u64(codec, &sums->frees);
    mp_code_u64(codec, &sums->freed);
    mp_code_u64(codec, &sums->kept);
    mp_code_u64(codec, &sums->kept_blocks);
    mp_code_u64(codec, &sums->temporary);
    mp_code_u64(codec, &sums->objects);
    mp_code_u64(codec, &sums->object_bytes);
}

/* Codes a process of a merged profile that has N_LABELS labels. */
static void
code_member(struct mp_codec *codec, struct mp_member *member, uint32_t n_labels, uint32_t *string)
{
    struct mp_meta *meta = &member->meta;
    uint32_t label = member->label + 1;         /* MP_NO_ID becomes 0 */

    if (codec->from)
        meta->labels = "";                      /* unless mp_code_labels() follows */
    code_process(codec, meta, string);
    code_heap(codec, meta, string);
    mp_code_string(codec, &meta->host, string);
    mp_code_string(codec, &member->file, string);
    mp_code_u32(codec, &meta->sample_period);
    mp_code_u64(codec, &meta->n_samples);
    code_sums(codec, &member->sums);
    mp_code_two_bools(codec, &meta->damaged, &member->time);
    mp_code_below(codec, &label, n_labels + 1);
    member->label = label - 1;
    mp_code_check(codec, meta->sample_period == codec->profile->meta.sample_period,
                  "a process was sampled in another way than the whole");
}

/* Codes the frames that are labels, in ascending order. Decoding marks them. */
static void
code_labels(struct mp_codec *codec, struct mp_processes *processes)
{
    struct mp_profile *profile = codec->profile;
    uint32_t next = 0;

    mp_code_count(codec, &processes->n_labels, 1);
    processes->labels = mp_code_array(codec, processes->labels, processes->n_labels, sizeof *processes->labels);
    for (uint32_t i = 0; i < processes->n_labels; i++) {
        struct mp_frame *frame;

        mp_code_later(codec, &processes->labels[i], &next, profile->n_frames);
        if (mp_code_failed(codec))
            break;
        frame = &profile->frames[next++];
        mp_code_check(codec, frame->mark == 0 && frame->interpreted && frame->exact, "a label is another frame");
        frame->label = true;
    }
}

/* Codes the labels and all processes of a merged profile. */
static void
code_members(struct mp_codec *codec, struct mp_processes *processes, uint32_t *string)
{
    uint32_t level = (uint32_t)processes->level;

    mp_code_below(codec, &level, MP_LABEL_LEVELS);
    processes->level = (enum mp_label_level)level;
    mp_code_u64(codec, &processes->left_out);
    code_labels(codec, processes);
    processes->list = mp_code_array(codec, processes->list, processes->n, sizeof *processes->list);
    for (uint32_t i = 0; i < processes->n && !mp_code_failed(codec); i++)
        code_member(codec, &processes->list[i], processes->n_labels, string);
}

void
mp_code_processes(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_processes *processes = (struct mp_processes *)profile->processes;
    uint32_t string = MP_NO_ID, n = processes ? processes->n : 0;

    if (!codec->from && !processes && !profile->meta.host[0])
        return;
    mp_code_string(codec, &profile->meta.host, &string);
    mp_code_count(codec, &n, MEMBER_SIZE);
    if (n == 0)
        return;
    profile->processes = processes = mp_code_array(codec, processes, 1, sizeof *processes);
    processes->n = n;
    code_members(codec, processes, &string);
}

/* Codes the labels of the run, and then those of each process of a merged profile. */
void
mp_code_labels(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    const struct mp_processes *processes = profile->processes;
    const uint32_t n = processes ? processes->n : 0;
    uint32_t string = MP_NO_ID;
    bool any = codec->from || profile->meta.labels[0];

    for (uint32_t i = 0; i < n; i++)
        any |= processes->list[i].meta.labels[0] != '\0';
    if (!any)
        return;
    mp_code_string(codec, &profile->meta.labels, &string);
    for (uint32_t i = 0; i < n; i++)
        mp_code_string(codec, &processes->list[i].meta.labels, &string);
}

/* ------------------------------------------------------------ processes that were not recorded */

static void
code_unrecorded(struct mp_codec *codec, struct mp_unrecorded_list *of, uint32_t *string)
{
    struct mp_unrecorded *list;

    mp_code_count(codec, &of->n, 3);
    of->list = list = mp_code_array(codec, (void *)(uintptr_t)of->list, of->n, sizeof *list);
    for (uint32_t i = 0; i < of->n && !mp_code_failed(codec); i++) {
        mp_code_string(codec, &list[i].program, string);
        mp_code_string(codec, &list[i].why, string);
        mp_code_u64(codec, &list[i].n);
        mp_code_check(codec, list[i].n > 0, "no process that was not recorded");
    }
}

void
mp_code_unrecorded(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_processes *processes = (struct mp_processes *)profile->processes;
    uint32_t string = MP_NO_ID;

    if (!codec->from && profile->meta.unrecorded.n == 0)
        return;
    if (!processes)
        code_unrecorded(codec, &profile->meta.unrecorded, &string);
    for (uint32_t i = 0; processes && i < processes->n; i++) {
        code_unrecorded(codec, &processes->list[i].meta.unrecorded, &string);
        if (codec->from)
            mp_unrecorded_add(&profile->meta.unrecorded, &processes->list[i].meta.unrecorded, profile->arena);
    }
}
