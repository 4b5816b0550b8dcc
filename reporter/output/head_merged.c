/* Head of a merged profile: the processes that it contains. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"

/* A text, and how often it occurs. */
struct tally {
    const char *text;
    uint32_t n;
};

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct tally *)a)->text, ((const struct tally *)b)->text);
}

/* Sorts by frequency, highest first. */
static int
compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->text, y->text);
}

/* Merges equal texts among the N of LIST and counts them. Returns the number of different texts. */
static uint32_t
count(struct tally list[], uint32_t n)
{
    uint32_t last = 0;

    qsort(list, n, sizeof *list, compare_texts);
    list[0].n = 1;
    for (uint32_t i = 1; i < n; i++) {
        if (strcmp(list[i].text, list[last].text) == 0)
            list[last].n++;
        else
            list[++last] = (struct tally){list[i].text, 1};
    }
    qsort(list, last + 1, sizeof *list, compare_tallies);
    return last + 1;
}

/* Adds a row such as "cc1 (12), as (11)" from the N texts in LIST. */
static void
add_tallies(struct mp_head *head, const char *key, const char *label, struct tally list[], uint32_t n)
{
    uint32_t different = count(list, n);
    const char **names = mp_arena_alloc(head->arena, different * sizeof *names);
    struct mp_head_row *row = mp_head_add(head, key, label);
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < different; i++)
        names[i] = n == 1 ? list[i].text
                          : mp_arena_printf(head->arena, "%s (%s)", list[i].text,
                                            mp_number_grouped(list[i].n, number));
    row->has = MP_HEAD_NAMES;
    row->names = names;
    row->n_names = different;
}

static const char *
program_of(const struct mp_member *member, struct mp_arena *arena)
{
    (void)arena;
    return member->meta.program[0] ? mp_text_basename(member->meta.program) : "not known";
}

static const char *
host_of(const struct mp_member *member, struct mp_arena *arena)
{
    (void)arena;
    return member->meta.host[0] ? member->meta.host : "not known";
}

static const char *
ending_of(const struct mp_member *member, struct mp_arena *arena)
{
    char text[MP_ENDING_SIZE];

    return mp_arena_strdup(arena, mp_ending_text(&member->meta, text));
}

static void
add_all(struct mp_head *head, const struct mp_processes *processes, const char *key, const char *label,
        const char *(*text)(const struct mp_member *member, struct mp_arena *arena))
{
    struct tally *list = mp_arena_alloc(head->arena, processes->n * sizeof *list);

    for (uint32_t i = 0; i < processes->n; i++)
        list[i].text = text(&processes->list[i], head->arena);
    add_tallies(head, key, label, list, processes->n);
}

/* Adds a row such as "12 processes of 3 programs on 2 hosts". */
static void
add_merged(struct mp_head *head, const struct mp_processes *processes)
{
    uint32_t programs = mp_processes_programs(processes), hosts = mp_processes_hosts(processes);
    char number[3][MP_NUMBER_SIZE];

    mp_head_say(head, "merged", "Merged", "%s process%s of %s program%s on %s host%s",
                mp_number_grouped(processes->n, number[0]), processes->n == 1 ? "" : "es",
                mp_number_grouped(programs, number[1]), mp_plural(programs),
                mp_number_grouped(hosts, number[2]), mp_plural(hosts));
}

static void
add_left_out(struct mp_head *head, const struct mp_processes *processes)
{
    static const char *const by[MP_LABEL_LEVELS] = {
        [MP_LABEL_PROCESS] = "by process", [MP_LABEL_PROGRAM] = "by program and host",
        [MP_LABEL_HOST] = "by host", [MP_LABEL_NONE] = "not at all"};
    uint32_t n = 0;

    for (uint32_t i = 0; i < processes->n; i++)
        n += processes->list[i].time;
    mp_head_say(head, "told_apart", "Told apart", "%s", by[processes->level]);
    if (processes->left_out > 0)
        mp_head_count(head, "left_out", "Left out", processes->left_out,
                      processes->left_out == 1 ? "file that could not be merged"
                                               : "files that could not be merged");
    if (n > 0)
        mp_head_count(head, "time_lines", "Time lines", n, "left out: a sum has none");
}

void
mp_head_merged(struct mp_head *head, const struct mp_processes *processes)
{
    add_merged(head, processes);
    add_all(head, processes, "programs", "Programs", program_of);
    if (mp_processes_hosts(processes) > 1 || processes->list[0].meta.host[0])
        add_all(head, processes, "hosts", "Hosts", host_of);
    add_left_out(head, processes);
    add_all(head, processes, "ended", "Ended", ending_of);
}

const char *
mp_head_largest_peak(const struct mp_processes *processes, struct mp_arena *arena)
{
    const struct mp_member *most = mp_processes_largest_peak(processes);
    char number[MP_NUMBER_SIZE];

    return mp_arena_printf(arena, "each process at its own time; the largest: %s bytes, %s[%" PRIu32 "]",
                           mp_number_grouped(most->meta.peak_bytes > 0 ? (uint64_t)most->meta.peak_bytes : 0,
                                             number),
                           mp_text_basename(most->meta.program), most->meta.pid);
}
