/* mprof heap: shows what holds the memory, from heap snapshots with their graph. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "config.h"
#include "options.h"
#include "print_options.h"
#include "reporter/heap/heap_growth.h"
#include "reporter/heap/heap_names.h"
#include "reporter/heap/heap_report.h"
#include "reporter/heap/heap_stream.h"
#include "reporter/output/json_head.h"
#include "reporter/run/process.h"

#define ARRAYS (1 << 20)        /* minimum size of blocks that malloc maps separately and returns to the system at
                                   once, bytes */

enum {
    OPT_ROOT = 256, OPT_TYPE, OPT_SITE, OPT_OBJECT, OPT_PATH, OPT_REFERRERS, OPT_SLOTS, OPT_LEVELS, OPT_MAX,
    OPT_COLOR, OPT_NO_PAGER, OPT_JSON, OPT_INNERMOST
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is shown:", 1},
    {"root", OPT_ROOT, "NAME", 0, "What a root holds, or the roots of a kind or group", 1},
    {"type", OPT_TYPE, "NAME", 0, "Objects of this type", 1},
    {"site", OPT_SITE, "FUNCTION", 0, "Objects that this function allocated", 1},
    {"object", OPT_OBJECT, "ADDRESS", 0, "The object at this address", 1},
    {"path", OPT_PATH, "N|all", OPTION_ARG_OPTIONAL, "With a shortest way from the roots to it, or to the nearest of "
     "them; N or all ways without a common reference, and the fewest references that hold it", 1},
    {"referrers", OPT_REFERRERS, NULL, 0, "With what refers to it, or to them", 1},
    {"slots", OPT_SLOTS, NULL, 0, "With the parts of the type, and what its slots hold", 1},
    {"levels", OPT_LEVELS, "N", 0, "Tell what is in what, down to N levels (2)", 1},
    {"max", OPT_MAX, "N|all", 0, "At most N rows a table (20)", 1},
    {"innermost", OPT_INNERMOST, NULL, 0,
     "Sites are innermost functions, also those of ECL and allocation wrappers", 1},
    {"json", OPT_JSON, NULL, 0, "For programs: the same as JSON, see mprof-heap(1)", 1},
    {NULL, 0, NULL, 0, "Terminal:", 2},
    {"color", OPT_COLOR, "WHEN", 0, "auto, always or never", 2},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 2},
    {0},
};

#define MOST_FILES 3

struct input {
    struct mp_heap_question question;
    const char *files[MOST_FILES];
    size_t n_files;
    unsigned most;              /* maximum number of rows of a table */
    enum mp_color_when color;
    bool no_pager, json, innermost;
};

static error_t
set_object(struct input *input, const char *text)
{
    char *end;

    input->question.object = strtoull(text, &end, 16);
    input->question.has_object = true;
    return end > text && *end == '\0' && *text != '-' && *text != '+'
               ? 0 : mp_options_wrong("not an address, as 0x7f3a10");
}

#define MOST_WAYS 256u          /* maximum number of paths; finding each takes as long as finding everything that is
                                   reached */

static error_t
set_path(struct input *input, const char *text)
{
    unsigned long ways = MOST_WAYS;

    input->question.path = true;
    input->question.ways = 0;
    if (!text)
        return 0;
    if (strcmp(text, "all") != 0 && !mp_options_number(text, 1, MOST_WAYS, &ways))
        return mp_options_wrong("neither a number from 1 to %u nor all", MOST_WAYS);
    input->question.ways = (uint32_t)ways;
    return 0;
}

/* Refuses options that cannot be combined. */
static error_t
check(const struct input *input)
{
    const struct mp_heap_question *question = &input->question;
    bool set = question->type || question->site;

    if (input->n_files == 0)
        return mp_options_refuse("a snapshot is wanted");
    if (input->n_files > 1 && (set || question->root || question->has_object))
        return mp_options_refuse("--root, --type, --site and --object are for one snapshot");
    if ((question->root != NULL) + set + question->has_object > 1)
        return mp_options_refuse("only one of --root, --object, and --type or --site");
    if ((question->path || question->referrers) && !set && !question->has_object)
        return mp_options_refuse("--path and --referrers are for --type, --site and --object");
    if (question->slots && !question->type)
        return mp_options_refuse("--slots is for --type");
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case OPT_ROOT: input->question.root = arg; return 0;
    case OPT_TYPE: input->question.type = arg; return 0;
    case OPT_SITE: input->question.site = arg; return 0;
    case OPT_OBJECT: return set_object(input, arg);
    case OPT_PATH: return set_path(input, arg);
    case OPT_REFERRERS: input->question.referrers = true; return 0;
    case OPT_SLOTS: input->question.slots = true; return 0;
    case OPT_LEVELS: return mp_options_count(arg, 1, 20, &input->question.depth);
    case OPT_MAX: return mp_options_rows(arg, &input->most);
    case OPT_COLOR: return mp_options_color(arg, &input->color);
    case OPT_NO_PAGER: input->no_pager = true; return 0;
    case OPT_INNERMOST: input->innermost = true; return 0;
    case OPT_JSON: input->json = true; return 0;
    case ARGP_KEY_ARG:
        if (input->n_files == MOST_FILES)
            return mp_options_refuse("'%s': three snapshots at most", arg);
        input->files[input->n_files++] = arg;
        return 0;
    case ARGP_KEY_END:
        return check(input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "SNAPSHOT [SNAPSHOT [SNAPSHOT]]",
    .doc = "Show what holds the memory, from a snapshot of a heap with its graph.  Of two snapshots, what grew from "
           "the first to the second; of three, what is in the second and the third, but not in the first.",
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
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s: the heap of another language than that of %s",
                           input->files[i], input->files[0]);
    return input->n_files < 3 || is_of_one_process(shown) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "not of one process: which objects stayed cannot be told; two "
                   "snapshots of different ones can be compared");
}

static bool
print(const void *data, struct mp_error *error)
{
    const struct shown *shown = data;
    struct mp_heap_look look = {.width = mp_term_width(), .color = mp_term_color(shown->input->color)};

    if (look.width > 0)
        look.ellipsis = mp_term_ellipsis();
    for (size_t i = 0; i < shown->input->n_files; i++) {
        if (i > 0)
            fputc('\n', stdout);
        mp_heap_head_print(shown->heaps[i], &shown->reached[i], stdout);
    }
    if (!is_of_one_process(shown))
        puts("note: not of one process");
    return mp_heap_tables_print(&shown->tables, &look, stdout, error);
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
            "%s: a snapshot is wanted, no process: mprof snapshot --heap %s makes one", file, file);
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
    int status = mp_options_parse(&parser, "heap", argc, argv, 0, &input, error);

    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    return status;
}

const struct mp_command mp_cmd_heap = {
    "heap", "show what holds the memory: roots, retained sizes, paths", &parser, run};
