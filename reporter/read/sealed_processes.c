/* sealed_processes.c -- the metadata of a sealed file's process, or of each process of a merged profile. */
#include "sealed_parts.h"

/* ---------------------------------------------------------------- one process */

void
mp_put_meta(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string, struct mp_buffer *to)
{
    mp_put_string(encoder, to, string, meta->program);
    mp_put_string(encoder, to, string, meta->monitor);
    mp_buffer_varint(to, meta->n_arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        mp_put_string(encoder, to, string, meta->arguments[i]);
    mp_buffer_varint(to, meta->arguments_cut);
    mp_buffer_varint(to, meta->pid);
    mp_buffer_varint(to, meta->ppid);
    mp_buffer_varint(to, meta->machine);
    mp_buffer_varint(to, meta->start_realtime);
    mp_buffer_varint(to, meta->duration);
    mp_buffer_varint(to, (uint64_t)meta->ending);
    mp_buffer_signed(to, meta->status);
    mp_buffer_varint(to, meta->stop_errno);
    mp_buffer_varint(to, meta->unwinder);
    mp_buffer_varint(to, meta->depth);
    mp_buffer_varint(to, meta->recorders);
    mp_buffer_varint(to, meta->threads);
    mp_buffer_varint(to, MP_MISS_KINDS);
    for (int i = 0; i < MP_MISS_KINDS; i++)
        mp_buffer_varint(to, meta->missing[i]);
    mp_buffer_varint(to, meta->programs_started);
    mp_buffer_varint(to, meta->processes_forked);
    mp_buffer_varint(to, meta->nested);
    mp_buffer_signed(to, meta->peak_bytes);
    mp_buffer_signed(to, meta->peak_blocks);
    mp_buffer_varint(to, meta->peak_slack);
    mp_buffer_varint(to, meta->live_file_size);
}

void
mp_put_heap(struct mp_encoder *encoder, const struct mp_meta *meta, uint32_t *string, struct mp_buffer *to)
{
    mp_put_string(encoder, to, string, meta->language);
    mp_buffer_varint(to, meta->one_thread);
    mp_buffer_varint(to, meta->collections);
    mp_buffer_varint(to, meta->heap_before);
    mp_buffer_varint(to, meta->heap_now);
}

static void
take_missing(struct mp_meta *meta, struct mp_cursor *from)
{
    uint32_t count = mp_cursor_count(from, 1);

    if (count != MP_MISS_KINDS)
        mp_take_damaged(from, "another number of reasons for missing records");
    for (uint32_t i = 0; i < MP_MISS_KINDS; i++)
        meta->missing[i] = mp_cursor_varint(from);
}

static void
take_arguments(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string,
               struct mp_cursor *from)
{
    meta->n_arguments = mp_cursor_count(from, 1);
    meta->arguments = mp_take_array(decoder, meta->n_arguments, sizeof *meta->arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        meta->arguments[i] = mp_take_string(decoder, from, string);
    meta->arguments_cut = mp_cursor_below(from, 2);
}

void
mp_take_meta(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string, struct mp_cursor *from)
{
    int64_t status;

    meta->program = mp_take_string(decoder, from, string);
    meta->monitor = mp_take_string(decoder, from, string);
    take_arguments(decoder, meta, string, from);
    meta->pid = mp_cursor_varint32(from);
    meta->ppid = mp_cursor_varint32(from);
    meta->machine = mp_cursor_varint32(from);
    meta->start_realtime = mp_cursor_varint(from);
    meta->duration = mp_cursor_varint(from);
    meta->ending = (enum mp_ending)mp_cursor_below(from, MP_END_SNAPSHOT + 1);
    status = mp_cursor_signed(from);
    meta->status = (int32_t)status;
    if (status < INT32_MIN || status > INT32_MAX)
        mp_take_damaged(from, "an exit status does not fit into 32 bits");
    meta->stop_errno = mp_cursor_varint32(from);
    meta->unwinder = mp_cursor_below(from, MP_UNWIND_FP + 1);
    meta->depth = mp_cursor_varint32(from);
    meta->recorders = mp_cursor_varint32(from);
    meta->threads = mp_cursor_varint32(from);
    take_missing(meta, from);
    meta->programs_started = mp_cursor_varint(from);
    meta->processes_forked = mp_cursor_varint(from);
    meta->nested = mp_cursor_varint(from);
    meta->peak_bytes = mp_cursor_signed(from);
    meta->peak_blocks = mp_cursor_signed(from);
    meta->peak_slack = mp_cursor_varint(from);
    meta->live_file_size = mp_cursor_varint(from);
    if (meta->peak_bytes < 0 || meta->peak_blocks < 0)
        mp_take_damaged(from, "the peak is negative");
}

void
mp_take_heap(struct mp_decoder *decoder, struct mp_meta *meta, uint32_t *string, struct mp_cursor *from)
{
    meta->language = mp_take_string(decoder, from, string);
    meta->one_thread = mp_cursor_varint32(from);
    meta->collections = mp_cursor_varint(from);
    meta->heap_before = mp_cursor_varint(from);
    meta->heap_now = mp_cursor_varint(from);
}

/* ------------------------------------------------------ processes of a merged profile */

enum member_flag { MEMBER_TIME = 1, MEMBER_DAMAGED = 2, MEMBER_FLAGS = 4 };

#define SUMS (sizeof(struct mp_process_sums) / sizeof(uint64_t))
_Static_assert(SUMS == 9, "the sums of a process are numbers, one after the other");

static void
put_sums(const struct mp_process_sums *sums, struct mp_buffer *to)
{
    const uint64_t all[SUMS] = {sums->allocs, sums->bytes, sums->frees, sums->freed, sums->kept,
                                sums->kept_blocks, sums->temporary, sums->objects, sums->object_bytes};

    for (size_t i = 0; i < SUMS; i++)
        mp_buffer_varint(to, all[i]);
}

static void
take_sums(struct mp_process_sums *sums, struct mp_cursor *from)
{
    uint64_t *const all[SUMS] = {&sums->allocs, &sums->bytes, &sums->frees, &sums->freed, &sums->kept,
                                 &sums->kept_blocks, &sums->temporary, &sums->objects,
                                 &sums->object_bytes};

    for (size_t i = 0; i < SUMS; i++)
        *all[i] = mp_cursor_varint(from);
}

static void
put_member(struct mp_encoder *encoder, const struct mp_member *member, uint32_t *string,
           struct mp_buffer *to)
{
    mp_put_meta(encoder, &member->meta, string, to);
    mp_put_heap(encoder, &member->meta, string, to);
    mp_put_string(encoder, to, string, member->meta.host);
    mp_put_string(encoder, to, string, member->file);
    mp_buffer_varint(to, member->meta.sample_period);
    mp_buffer_varint(to, member->meta.n_samples);
    put_sums(&member->sums, to);
    mp_buffer_varint(to, (member->time ? MEMBER_TIME : 0) | (member->meta.damaged ? MEMBER_DAMAGED : 0));
    mp_buffer_varint(to, member->label == MP_NO_ID ? 0 : member->label + (uint64_t)1);
}

static void
take_member(struct mp_decoder *decoder, struct mp_member *member, uint32_t n_labels, uint32_t *string,
            struct mp_cursor *from)
{
    struct mp_meta *meta = &member->meta;
    uint32_t flags;

    mp_take_meta(decoder, meta, string, from);
    mp_take_heap(decoder, meta, string, from);
    meta->host = mp_take_string(decoder, from, string);
    member->file = mp_take_string(decoder, from, string);
    meta->sample_period = mp_cursor_varint32(from);
    meta->n_samples = mp_cursor_varint(from);
    take_sums(&member->sums, from);
    flags = mp_cursor_below(from, MEMBER_FLAGS);
    member->time = flags & MEMBER_TIME;
    meta->damaged = flags & MEMBER_DAMAGED;
    member->label = mp_cursor_below(from, n_labels + 1) - 1;
    if (meta->sample_period != decoder->profile->meta.sample_period)
        mp_take_damaged(from, "a process was sampled in another way than the whole");
}

static void
put_members(struct mp_encoder *encoder, const struct mp_processes *processes, uint32_t *string,
            struct mp_buffer *to)
{
    mp_buffer_varint(to, processes->level);
    mp_buffer_varint(to, processes->left_out);
    mp_buffer_varint(to, processes->n_labels);
    for (uint32_t i = 0; i < processes->n_labels; i++)
        mp_buffer_varint(to, processes->labels[i] - (i > 0 ? processes->labels[i - 1] + 1 : 0));
    for (uint32_t i = 0; i < processes->n; i++)
        put_member(encoder, &processes->list[i], string, to);
}

/* Reads the frames that are labels, in ascending order, and marks them. */
static void
take_labels(struct mp_decoder *decoder, struct mp_processes *processes, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = processes->n_labels = mp_cursor_count(from, 1), next = 0;

    processes->labels = mp_take_array(decoder, n, sizeof *processes->labels);
    for (uint32_t i = 0; i < n && !from->problem; i++) {
        struct mp_frame *frame;

        next += mp_cursor_below(from, profile->n_frames - next);
        if (from->problem)
            break;
        frame = &profile->frames[next];
        if (frame->mark != 0 || !frame->interpreted || !frame->exact)
            mp_take_damaged(from, "a label is another frame");
        frame->label = true;
        processes->labels[i] = next++;
    }
}

static void
take_members(struct mp_decoder *decoder, uint32_t n, uint32_t *string, struct mp_cursor *from)
{
    struct mp_processes *processes = mp_take_array(decoder, 1, sizeof *processes);

    processes->n = n;
    processes->level = (enum mp_label_level)mp_cursor_below(from, MP_LABEL_LEVELS);
    processes->left_out = mp_cursor_varint(from);
    take_labels(decoder, processes, from);
    processes->list = mp_take_array(decoder, n, sizeof *processes->list);
    for (uint32_t i = 0; i < n && !from->problem; i++)
        take_member(decoder, &processes->list[i], processes->n_labels, string, from);
    decoder->profile->processes = processes;
}

void
mp_put_processes(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    struct mp_buffer *to = &encoder->sections[MP_SEC_PROCESSES];
    uint32_t string = MP_NO_ID;

    if (!profile->processes && !profile->meta.host[0])
        return;
    mp_put_string(encoder, to, &string, profile->meta.host);
    mp_buffer_varint(to, profile->processes ? profile->processes->n : 0);
    if (profile->processes)
        put_members(encoder, profile->processes, &string, to);
}

/* Minimum size of a process in bytes. */
#define MEMBER_SIZE 40u

void
mp_take_processes(struct mp_decoder *decoder, struct mp_cursor *from)
{
    uint32_t string = MP_NO_ID, n;

    decoder->profile->meta.host = mp_take_string(decoder, from, &string);
    n = mp_cursor_count(from, MEMBER_SIZE);
    if (n > 0)
        take_members(decoder, n, &string, from);
}
