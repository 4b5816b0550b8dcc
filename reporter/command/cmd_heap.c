/* SPDX-License-Identifier: MIT */
/* mprof heap: shows what holds the memory, from heap snapshots with their graph. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "command.h"
#include "reporter/base/term.h"
#include "reporter/heap/heap_growth.h"
#include "reporter/heap/heap_names.h"
#include "reporter/heap/heap_report.h"
#include "reporter/heap/heap_stream.h"
#include "reporter/process/process.h"
#include "reporter/table/json_head.h"

#define ARRAYS (1 << 20)        /* minimum size of blocks that malloc maps separately and returns to the system at
                                   once, bytes */

#define MOST_FILES 3

struct input {
    struct mp_heap_question question;
    const char *files[MOST_FILES];
    size_t n_files;
    unsigned most;              /* maximum number of rows of a table */
    enum mp_color_when color;
    bool no_pager, json, innermost;
};

static bool
parse_object(const struct mp_option *option, char *text, void *to)
{
    struct mp_heap_question *question = to;
    char *end;

    (void)option;
    question->object = strtoull(text, &end, 16);
    question->has_object = true;
    return (end > text && *end == '\0' && *text != '-' && *text != '+') ||
           mp_options_wrong("not an address such as 0x7f3a10");
}

#define MOST_WAYS 256u          /* maximum number of paths; finding each takes as long as finding everything that is
                                   reached */

static bool
parse_path(const struct mp_option *option, char *text, void *to)
{
    struct mp_heap_question *question = to;

    question->path = true;
    question->ways = 0;
    return !text || mp_parse_all(option, text, &question->ways);
}

static bool
parse_snapshot(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    if (input->n_files == MOST_FILES)
        return mp_options_refuse("'%s': one file too many", text);
    input->files[input->n_files++] = text;
    return true;
}

/* Refuses options that cannot be combined. */
static bool
check(void *to)
{
    const struct input *input = to;
    const struct mp_heap_question *question = &input->question;
    bool set = question->type || question->site;

    if (input->n_files == 0)
        return mp_options_refuse("no snapshot is given");
    if (input->n_files > 1 && (set || question->root || question->has_object))
        return mp_options_refuse("--root, --type, --site and --object require a single snapshot");
    if ((question->root != NULL) + set + question->has_object > 1)
        return mp_options_refuse("--root, --object and --type or --site cannot be combined");
    if ((question->path || question->referrers) && !set && !question->has_object)
        return mp_options_refuse("--path and --referrers require --type, --site or --object");
    return !question->slots || question->type || mp_options_refuse("--slots requires --type");
}

static const struct mp_option options[] = {
    {.help = "What is shown:"},
    {"root", 0, "NAME", "Show what the root NAME holds, or the roots of the kind or group NAME",
     MP_TEXT(struct input, question.root)},
    {"type", 0, "NAME", "Show the objects of this type", MP_TEXT(struct input, question.type)},
    {"site", 0, "FUNCTION", "Show the objects that FUNCTION allocated", MP_TEXT(struct input, question.site)},
    {"object", 0, "ADDRESS", "Show the object at or around the hexadecimal ADDRESS",
     MP_STORED(parse_object, struct mp_heap_question, struct input, question)},
    {"path", 0, "N|all", "With --object, --type or --site, also show a shortest path from the roots; with N or all (up "
     "to 256), so many paths without a common reference, and the fewest references that hold the object",
     MP_STORED(parse_path, struct mp_heap_question, struct input, question), .low = MOST_WAYS, .high = MOST_WAYS,
     .optional = true},
    {"referrers", 0, NULL, "With --object, --type or --site, also show what refers to the objects",
     MP_FLAG(struct input, question.referrers)},
    {"slots", 0, NULL, "With --type, also show the parts of the objects and what their slots hold",
     MP_FLAG(struct input, question.slots)},
    {"levels", 0, "N", "Show what is contained in what, down to N levels (1 to 20, default 2)",
     MP_COUNT(struct input, question.depth, 1, 20)},
    {"max", 0, "N|all", "Print at most N rows in each table (default 20)", MP_ROWS(struct input, most)},
    {"innermost", 0, NULL, "Use innermost functions as sites, including those of ECL and allocation wrappers",
     MP_FLAG(struct input, innermost)},
    {MP_JSON("mprof-heap(1)", struct input, json)},
    {.help = "Terminal:"},
    {MP_COLOR(struct input, color)},
    {MP_NO_PAGER(struct input, no_pager)},
    {0},
};

/* ------------------------------------------------------------------- show */

struct shown {
    const struct input *input;
    struct mp_heap *heaps[MOST_FILES];
    struct mp_heap_sum reached[MOST_FILES];
    struct mp_heap_tables tables;
};

static bool
is_of_one_process(const struct shown *shown)
{
    for (size_t i = 1; i < shown->input->n_files; i++)
        if (!mp_heap_facts_same_process(shown->heaps[i]->facts, shown->heaps[0]->facts))
            return false;
    return true;
}

/* Checks that the snapshots can be compared. They must be of one language. Three must also be of one process, because
 * objects are identified by their addresses. Returns false and fills *ERROR if not. */
static bool
can_be_compared(const struct shown *shown, struct mp_error *error)
{
    const struct input *input = shown->input;

    for (size_t i = 1; i < input->n_files; i++)
        if ((strcmp(shown->heaps[i]->texts[MP_FACT_LANGUAGE], "C") == 0) !=
            (strcmp(shown->heaps[0]->texts[MP_FACT_LANGUAGE], "C") == 0))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s and %s are heaps of different languages",
                           input->files[i], input->files[0]);
    return input->n_files < 3 || is_of_one_process(shown) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "three snapshots must be of one process; two may be of different "
                   "processes");
}

static bool
print(const void *data, struct mp_error *error)
{
    const struct shown *shown = data;
    struct mp_print_options how = {.width = mp_term_width(), .color = mp_term_color(shown->input->color)};

    if (how.width > 0)
        how.ellipsis = mp_term_ellipsis();
    for (size_t i = 0; i < shown->input->n_files; i++) {
        if (i > 0)
            fputc('\n', stdout);
        mp_heap_head_print(shown->heaps[i], &shown->reached[i], stdout);
    }
    if (!is_of_one_process(shown))
        puts("note: the snapshots are of different processes");
    mp_heap_tables_print(&shown->tables, &how, stdout);
    (void)error;
    return true;
}

static bool
write_json(const struct shown *shown, struct mp_error *error)
{
    const struct input *input = shown->input;
    struct mp_json_out out = {.file = stdout};

    mp_json_open(&out.buffer, '{');
    mp_json_schema(&out.buffer, "mprof-heap", "1.0");
    mp_json_key_text(&out.buffer, "mprof", PACKAGE_VERSION);
    mp_json_key_texts(&out.buffer, "files", input->files, input->n_files);
    mp_json_line(&out.buffer);
    mp_json_key(&out.buffer, "heaps");
    mp_json_open(&out.buffer, '[');
    for (size_t i = 0; i < input->n_files; i++) {
        mp_json_line(&out.buffer);
        mp_heap_head_json(shown->heaps[i], &shown->reached[i], &out);
    }
    mp_json_close(&out.buffer, ']');
    mp_heap_tables_json(&shown->tables, &out);
    return mp_json_finish(&out, error);
}

static bool
answer(struct shown *shown, struct mp_error *error)
{
    struct mp_heap **heaps = shown->heaps;

    switch (shown->input->n_files) {
    case 1: return mp_heap_answer(heaps[0], &shown->input->question, &shown->tables, error);
    case 2: return mp_heap_growth(heaps[0], heaps[1], &shown->tables, error);
    default:
        mp_heap_survivors(heaps[0], heaps[1], heaps[2], &shown->tables);
        return true;
    }
}

/* Loads the snapshot FILE. Returns NULL and fills *ERROR on failure, or if FILE is a process id. */
static struct mp_heap *
load(const char *file, struct mp_error *error)
{
    if (mp_process_meant(file) == 0)
        return mp_heap_load(file, error);
    mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
            "%s: this is a process, not a snapshot; mprof snapshot --heap %s takes one", file, file);
    return NULL;
}

static bool
show(const struct input *input, struct mp_error *error)
{
    struct shown shown = {.input = input, .tables = {.arena = mp_arena_new(), .most = input->most}};
    bool ok = true;

    mallopt(M_MMAP_THRESHOLD, ARRAYS);
    for (size_t i = 0; i < input->n_files && ok; i++) {
        shown.heaps[i] = load(input->files[i], error);
        ok = shown.heaps[i] != NULL;
        if (!ok)
            break;
        mp_heap_name(shown.heaps[i], NULL);
        if (!input->innermost)
            mp_heap_charge(shown.heaps[i]);
        shown.reached[i] = mp_heap_reached(shown.heaps[i]);
        if (input->n_files > 1)
            mp_heap_forget_references(shown.heaps[i]);
    }
    ok = ok && can_be_compared(&shown, error) && answer(&shown, error) &&
         (input->json ? write_json(&shown, error) : mp_pager_show(print, &shown, !input->no_pager, error));
    for (size_t i = 0; i < input->n_files; i++)
        mp_heap_free(shown.heaps[i]);
    mp_arena_free(shown.tables.arena);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.question.depth = 2, .most = 20};
    int status = mp_options_parse(&mp_cmd_heap, argc, argv, &input, error);

    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    return status;
}

const struct mp_command mp_cmd_heap = {
    "heap", "show what holds memory: roots, retained sizes, paths", run,
    .options = options,
    .argument = {.value = "SNAPSHOT [SNAPSHOT [SNAPSHOT]]", .parse = parse_snapshot}, .check = check,
    .doc = "Show what holds the memory in a heap snapshot.  With two snapshots, show what grew from the first to the "
           "second; with three, which objects are in the second and the third, but not in the first.",
};
