/* SPDX-License-Identifier: MIT */
#include "leaks_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "reporter/base/format_number.h"
#include "reporter/base/json.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "verdict_output.h"

/* The blocks of one class, checked like a program that must not keep anything. The verdict then contains their
 * chains, and what is suppressed. */
struct shown {
    struct mp_profile *lost;
    struct mp_verdict *verdict;
    const struct mp_checked *checked;   /* the only limit of the verdict */
    struct mp_arena *arena;
};

static bool
begin(struct shown *shown, const struct mp_leaks *leaks, enum mp_leak leak, const struct mp_leaks_options *options,
      struct mp_error *error)
{
    struct mp_bounds bounds = {.arena = mp_arena_new()};
    const struct mp_verdict_options wanted = {
        .view = options->view, .bounds = &bounds, .suppressions = options->suppressions, .chain = options->chain,
        .most = options->most};

    *shown = (struct shown){.arena = bounds.arena, .lost = mp_leaks_profile(leaks, leak)};
    if (!mp_bounds_add(&bounds, MP_SORT_KEPT, "0", error))
        return false;
    shown->verdict = mp_verdict(shown->lost, &wanted, error);
    if (!shown->verdict)
        return false;
    shown->checked = shown->verdict->list;
    return true;
}

static void
end(struct shown *shown)
{
    mp_verdict_free(shown->verdict);
    mp_profile_free(shown->lost);
    mp_arena_free(shown->arena);
}

struct mp_leak_sum
mp_leaks_left(const struct mp_leaks *leaks, enum mp_leak leak, struct mp_suppressions *suppressions)
{
    struct mp_profile *lost = mp_leaks_profile(leaks, leak);
    struct mp_profile *left = suppressions ? mp_suppress(lost, suppressions) : NULL;
    const struct mp_profile *of = left ? left : lost;
    struct mp_leak_sum sum = {0};

    for (uint32_t i = 0; i < of->n_cells; i++) {
        sum.blocks += of->cells[i].counts.kept_blocks;
        sum.bytes += of->cells[i].counts.kept;
    }
    mp_profile_free(left);
    mp_profile_free(lost);
    return sum;
}

/* ------------------------------------------------------------------ text */

static void
print_sum(const char *words, uint64_t blocks, uint64_t bytes, FILE *out)
{
    char number[2][MP_NUMBER_SIZE];

    fprintf(out, "%-16s %s byte%s in %s block%s\n", words, mp_number_grouped(bytes, number[0]), mp_plural(bytes),
            mp_number_grouped(blocks, number[1]), mp_plural(blocks));
}

/* Prints the reasons why no block is classified as definitely lost. Each line begins with PREFIX. */
static void
print_unseen(const struct mp_leaks *leaks, const char *prefix, FILE *out)
{
    static const char *const leads = "they may lead to what is possibly lost";
    char text[MP_MISSING_SIZE];

    for (unsigned i = 0; i < MP_MISS_KINDS; i++) {
        const struct mp_missing_fact *fact = &mp_missing_facts[i];

        if (leaks->unseen & 1u << fact->kind)
            fprintf(out, "%s%s: %s\n", prefix, fact->calls ? mp_missing_text(fact->kind, 1, text)
                                                          : "some blocks could not be recorded", leads);
    }
    if (leaks->unseen & MP_UNSEEN_MAPPED)
        fprintf(out, "%sthe program mapped more areas of memory than are remembered: %s\n", prefix, leads);
    if (leaks->unseen & MP_UNSEEN_ABSENT)
        fprintf(out, "%smemory that the program keeps from its children could not be read: %s\n", prefix, leads);
}

static void
print_head(const struct mp_leaks *leaks, FILE *out)
{
    const struct mp_heap *heap = leaks->heap;
    char number[MP_NUMBER_SIZE];

    fprintf(out, "leaks of %s, process %" PRIu64 ", %s %s\n", mp_text_basename(leaks->profile->meta.program),
            heap->facts[MP_FACT_PID], heap->facts[MP_FACT_TRIGGER] == MP_TRIGGER_EXIT ? "at its exit, after" : "after",
            mp_number_duration(heap->facts[MP_FACT_SINCE_START], number));
    print_unseen(leaks, "note: ", out);
    for (int i = 0; i < MP_LEAKS; i++)
        print_sum(mp_leak_words[i], leaks->sums[i].blocks, leaks->sums[i].bytes, out);
}

void
mp_leaks_say(const struct mp_leaks *leaks, FILE *out)
{
    print_unseen(leaks, "mprof:   ", out);
    for (int i = 0; i < MP_LEAK_REACHABLE; i++) {
        fputs("mprof:   ", out);
        print_sum(mp_leak_words[i], leaks->sums[i].blocks, leaks->sums[i].bytes, out);
    }
}

const char *
mp_leaks_absence(const struct mp_meta *meta, char out[static MP_LEAKS_ABSENCE_SIZE])
{
    static const char *const reasons[MP_LEAKS_STATES] = {
        [MP_LEAKS_UNWANTED] = "nothing was to be searched when it ended",
        [MP_LEAKS_WANTED] = "the program ended by a system call of its own, without exit(), _exit() or quick_exit()",
        [MP_LEAKS_DONE] = "its snapshot is not there any more", [MP_LEAKS_PARTIAL] = "not every block was recorded",
        [MP_LEAKS_FILTER] = "the program had a seccomp filter",
        [MP_LEAKS_DAEMON] = "the process ended in daemon(3), and its child went on",
        [MP_LEAKS_PROC] = "/proc could not be read", [MP_LEAKS_READ] = "the program may not read its own memory",
        [MP_LEAKS_FILE] = "the snapshot could not be written",
        [MP_LEAKS_COPY] = "the program could not be copied for the search",
        [MP_LEAKS_SEARCH] = "the copy of the program that searched ended early"};
    const uint32_t state = meta->leaks & ((1u << MP_LEAKS_BITS) - 1), number = meta->leaks >> MP_LEAKS_BITS;
    const char *error = number > 0 ? strerrordesc_np((int)number) : NULL;
    char ending[MP_ENDING_SIZE];

    if (state == MP_LEAKS_WANTED && meta->ending == MP_END_KILLED)
        snprintf(out, MP_LEAKS_ABSENCE_SIZE, "the program was killed, crashed, or ended by a system call of its own");
    else if (state >= MP_LEAKS_STATES || (state <= MP_LEAKS_WANTED && meta->ending != MP_END_EXITED))
        snprintf(out, MP_LEAKS_ABSENCE_SIZE, "%s", mp_ending_text(meta, ending));
    else
        snprintf(out, MP_LEAKS_ABSENCE_SIZE, "%s%s%s", reasons[state], error ? ": " : "", error ? error : "");
    return out;
}

/* Prints notes on what makes the result less certain. */
static void
print_notes(const struct mp_leaks *leaks, FILE *out)
{
    const uint64_t threads = leaks->heap->facts[MP_FACT_THREADS_WITHOUT_REGISTERS];
    const uint64_t resized = leaks->heap->facts[MP_FACT_RESIZED];
    char number[MP_NUMBER_SIZE];

    if (threads > 0)
        fprintf(out, "note: of %s other thread%s not all registers are known: a block that only such a register "
                "leads to is shown as lost\n", mp_number_grouped(threads, number), mp_plural(threads));
    if (resized > 0)
        fprintf(out, "note: %s block%s just being resized: what only %s to is shown as lost\n",
                mp_number_grouped(resized, number), resized == 1 ? " was" : "s were",
                resized == 1 ? "it leads" : "they lead");
}

static void
print_suppressed(const struct mp_suppressions *all, FILE *out)
{
    for (uint32_t i = 0; all && i < all->n; i++)
        if (all->list[i].blocks > 0)
            print_sum(mp_arena_printf(all->arena, "suppressed by %s:", all->list[i].name), all->list[i].blocks,
                      all->list[i].bytes, out);
}

bool
mp_leaks_text(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
              struct mp_error *error)
{
    bool ok = true;

    print_head(leaks, out);
    for (int i = 0; i < MP_LEAKS && ok; i++) {
        struct shown shown;

        if (!(options->show & 1u << i))
            continue;
        ok = begin(&shown, leaks, (enum mp_leak)i, options, error);
        if (ok && shown.checked->n_offenders > 0)
            fprintf(out, "\n%s, by chain of callers\n", mp_leak_words[i]);
        if (ok)
            mp_verdict_offenders(shown.verdict, shown.checked, out);
        end(&shown);
    }
    if (ok) {
        print_suppressed(options->suppressions, out);
        print_notes(leaks, out);
    }
    return ok;
}

/* ------------------------------------------------------------------ JSON */

static void
put_chains(struct mp_buffer *out, const struct mp_checked *checked)
{
    mp_json_key(out, "chains");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < checked->n_offenders; i++) {
        const struct mp_offender *one = &checked->offenders[i];

        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_number(out, "bytes", one->value);
        mp_json_key_number(out, "blocks", one->blocks);
        mp_json_key_text(out, "chain", one->chain);
        mp_json_key_text_or_null(out, "function", one->function);
        mp_json_key_text_or_null(out, "file", one->file);
        mp_json_key_number(out, "line", one->line);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
    mp_json_key_number(out, "chains_left_out", checked->left_out);
}

static bool
put_leak(struct mp_buffer *out, const struct mp_leaks *leaks, enum mp_leak leak,
         const struct mp_leaks_options *options, struct mp_error *error)
{
    const bool show = options->show & 1u << leak;
    struct shown shown;
    bool ok;

    mp_json_line(out);
    mp_json_key(out, mp_leak_names[leak]);
    mp_json_open(out, '{');
    mp_json_key_number(out, "bytes", leaks->sums[leak].bytes);
    mp_json_key_number(out, "blocks", leaks->sums[leak].blocks);
    ok = !show || begin(&shown, leaks, leak, options, error);
    if (show && ok)
        put_chains(out, shown.checked);
    if (show)
        end(&shown);
    mp_json_close(out, '}');
    return ok;
}

bool
mp_leaks_json(const struct mp_leaks *leaks, const struct mp_leaks_options *options, FILE *out,
              struct mp_error *error)
{
    const struct mp_heap *heap = leaks->heap;
    struct mp_buffer text = {0};
    bool ok = true;

    mp_json_open(&text, '{');
    mp_json_schema(&text, "mprof-leaks", "1.0");
    mp_json_key_text(&text, "mprof", PACKAGE_VERSION);
    mp_json_line(&text);
    mp_json_key_text(&text, "program", leaks->profile->meta.program);
    mp_json_key_number(&text, "pid", heap->facts[MP_FACT_PID]);
    mp_json_key_bool(&text, "at_exit", heap->facts[MP_FACT_TRIGGER] == MP_TRIGGER_EXIT);
    mp_json_key_number(&text, "after_ns", heap->facts[MP_FACT_SINCE_START]);
    mp_json_key_number(&text, "threads_without_registers", heap->facts[MP_FACT_THREADS_WITHOUT_REGISTERS]);
    mp_json_key_number(&text, "blocks_resized", heap->facts[MP_FACT_RESIZED]);
    mp_json_key(&text, "not_seen");
    mp_json_open(&text, '[');
    for (unsigned i = 0; i < MP_MISS_KINDS; i++)
        if (leaks->unseen & 1u << mp_missing_facts[i].kind)
            mp_json_text(&text, mp_missing_facts[i].key);
    if (leaks->unseen & MP_UNSEEN_MAPPED)
        mp_json_text(&text, "mapped_memory");
    if (leaks->unseen & MP_UNSEEN_ABSENT)
        mp_json_text(&text, "unread_memory");
    mp_json_close(&text, ']');
    for (int i = 0; i < MP_LEAKS && ok; i++)
        ok = put_leak(&text, leaks, (enum mp_leak)i, options, error);
    mp_json_close(&text, '}');
    if (!ok) {
        mp_buffer_free(&text);
        return false;
    }
    mp_json_end(&text, out);
    return true;
}
