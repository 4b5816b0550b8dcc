/* SPDX-License-Identifier: MIT */
/*
 * mprof merge: makes one data file of many.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input_files.h"
#include "option_table.h"
#include "reporter/base/format_number.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/file/seal.h"
#include "reporter/profile/missing.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"
#include "reporter/unite/merge.h"
#include "reporter/unite/several.h"

struct input {
    const char *output;
    struct mp_merge_options merge;
    bool keep_going, no_arguments, any;     /* `any`: there is an argument */
    struct mp_input_files files;
    const struct mp_merge_label *label; /* label for the following files; NULL keeps their recorded host and program */
    struct mp_error unreadable; /* error of the first argument that cannot be read; code 0 if all can be read */
    struct mp_arena *arena;
};

/* Parses --label=TEXT, which applies to the following files. Earlier files keep their label, so a new one is
 * allocated. */
static bool
parse_label(const struct mp_option *option, char *text, void *to)
{
    static const char host[] = "host=", program[] = "program=";
    struct input *input = to;
    const bool is_host = strncmp(text, host, strlen(host)) == 0;
    const char *name = text + (is_host ? strlen(host) : strlen(program));
    struct mp_merge_label *label;

    (void)option;
    if ((!is_host && strncmp(text, program, strlen(program)) != 0) || strchr(name, '/') || strchr(name, '\n'))
        return mp_options_wrong("expected host=NAME or program=NAME");
    label = mp_arena_alloc(input->arena, sizeof *label);
    if (input->label)
        *label = *input->label;
    *(is_host ? &label->host : &label->program) = *name ? name : NULL;
    input->label = label;
    input->files.of = label;
    return true;
}

/* Adds the files of an argument. An unreadable argument is not wrong usage, so its error is reported after parsing. */
static bool
parse_argument(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    input->any = true;
    if (input->unreadable.code == MP_ERR_NONE)
        mp_input_files_add(&input->files, text, &input->unreadable);
    return true;
}

static bool
check(void *to)
{
    const struct input *input = to;

    if (!input->any)
        return mp_options_refuse("no FILE, DIRECTORY or @LIST to merge is given");
    return input->output || mp_options_refuse("no output file is given by -o");
}

static const struct mp_option options[] = {
    {"output", 'o', "OUT", "Write the merged data to OUT", MP_NEW_DATA_FILE(struct input, output)},
    {"by", 0, "LEVEL",
     "Let other commands distinguish each process, program (on each host), host or none (default: the finest with at "
     "most 32 parts)", MP_WORD(struct input, merge.level, mp_label_levels, MP_LABEL_LEVELS),
     .also = MP_FIELD(bool, struct input, merge.chosen)},
    {"label", 0, "WHAT=NAME", "Set the host (host=NAME) or program (program=NAME) of all following files; without "
     "NAME, use the recorded one again", parse_label, .many = true},
    {"no-arguments", 0, NULL, "Leave out the arguments of the programs", MP_FLAG(struct input, no_arguments)},
    {"keep-going", 'k', NULL, "Leave out, report and count files that cannot be merged",
     MP_FLAG(struct input, keep_going)},
    {0},
};

/* ---------------------------------------------------------------- merging */

/* A merge, and the file whose recordings are added to it. */
struct adding {
    const struct input *input;
    struct mp_merge *merge;
    const struct mp_input_file *file;
};

static bool
add_recording(void *data, struct mp_profile *profile, struct mp_error *error)
{
    const struct adding *adding = data;

    if (adding->input->no_arguments)
        mp_profile_forget_arguments(profile);
    return mp_merge_add(adding->merge, profile, adding->file->path, adding->file->of, error);
}

/* Merges all files. Stops at the first that cannot be merged, or with --keep-going counts it in *LEFT_OUT. On failure
 * returns false and fills *ERROR. */
static bool
merge_files(const struct input *input, struct mp_merge *merge, uint64_t *left_out,
            struct mp_error *error)
{
    bool ok = true;

    mp_progress_begin("merging");
    mp_symbols_keep_files(true);
    for (uint32_t i = 0; i < input->files.n && ok; i++) {
        mp_progress(i, input->files.n);
        ok = mp_several_each(input->files.list[i].path, add_recording,
                             &(struct adding){input, merge, &input->files.list[i]}, error);
        if (ok || !input->keep_going)
            continue;
        mp_progress_end();
        mp_several_left_out(error);
        mp_progress_begin("merging");
        ++*left_out;
        ok = true;
    }
    mp_symbols_keep_files(false);
    mp_progress_end();
    return ok && mp_symbols_check(error) &&
           (mp_merge_count(merge) > 0 ||
            mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "none of the files can be merged"));
}

static void
say_count(uint32_t n, const char *one, const char *many)
{
    char number[MP_NUMBER_SIZE];

    fprintf(stderr, "%s %s", mp_number_grouped(n, number), n == 1 ? one : many);
}

/* Prints how processes are distinguished, for example "distinguished by program and host, because there are more than
 * 32 processes". */
static void
say_level(const struct input *input, const struct mp_processes *processes)
{
    static const char *const by[MP_LABEL_LEVELS] = {"distinguished by process", "distinguished by program and host",
                                                    "distinguished by host", "not distinguished"};

    fprintf(stderr, "mprof:   %s", by[processes->level]);
    if (input->merge.chosen && processes->level > input->merge.level)
        fputs(", as in one of the merged files", stderr);
    else if (!input->merge.chosen && processes->level > MP_LABEL_PROCESS)
        fprintf(stderr, ", because there are more than %u%s; see --by", MP_MERGE_LABELS,
                processes->level == MP_LABEL_PROGRAM ? "" : " programs and hosts");
    fputc('\n', stderr);
}

/* Returns whether the N labels in LIST have NAME. */
static bool
has_label(const struct mp_label list[], uint32_t n, const char *name)
{
    while (n > 0 && strcmp(list[n - 1].name, name) != 0)
        n--;
    return n > 0;
}

/* Adds the labels in TEXT whose names are not in COMMON to the N in FOLDED, once each. Returns their new number. */
static uint32_t
add_folded(const char *text, const char *common, struct mp_label folded[], uint32_t n, struct mp_arena *arena)
{
    struct mp_label all[MP_LABELS_MOST], kept[MP_LABELS_MOST];
    const uint32_t n_all = mp_labels_list(text, all, 0, arena), n_kept = mp_labels_list(common, kept, 0, arena);

    for (uint32_t i = 0; i < n_all && n < MP_LABELS_MOST; i++)
        if (!has_label(kept, n_kept, all[i].name) && !has_label(folded, n, all[i].name))
            folded[n++] = all[i];
    return n;
}

/* Prints the names of labels whose values differ between processes that the merged file does not distinguish. */
static void
say_folded(const struct mp_processes *processes, struct mp_arena *arena)
{
    const char **common = mp_arena_alloc(arena, (processes->n_labels + (size_t)1) * sizeof *common);
    struct mp_label folded[MP_LABELS_MOST];
    uint32_t n = 0;

    for (uint32_t i = 0; i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];
        const char **of_part = &common[member->label == MP_NO_ID ? processes->n_labels : member->label];

        *of_part = *of_part ? mp_labels_common(*of_part, member->meta.labels, arena) : member->meta.labels;
    }
    for (uint32_t i = 0; i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];

        n = add_folded(member->meta.labels, common[member->label == MP_NO_ID ? processes->n_labels : member->label],
                       folded, n, arena);
    }
    for (uint32_t i = 0; i < n; i++) {
        fputs(i == 0 ? "mprof:   parts contain different values of these labels: " : ", ", stderr);
        mp_text_print(stderr, folded[i].name);
    }
    if (n > 0)
        fputc('\n', stderr);
}

#define MOST_SHOWN 10u          /* maximum number of incomplete recordings that are listed */

/* Prints what the merged file lacks: incomplete recordings, and processes that were not recorded. */
static void
say_missing(const struct mp_profile *profile, struct mp_arena *arena)
{
    const uint64_t n = mp_unrecorded_count(&profile->meta.unrecorded);
    char number[MP_NUMBER_SIZE];
    uint32_t incomplete = 0;

    for (uint32_t i = 0; i < profile->processes->n; i++) {
        const struct mp_member *member = &profile->processes->list[i];
        const char *why = mp_missing_why(&member->meta, arena);

        if (why && incomplete++ < MOST_SHOWN)
            fprintf(stderr, "mprof:   %s: %s\n", member->file, why);
    }
    if (incomplete > MOST_SHOWN)
        fprintf(stderr, "mprof:   and %s more incomplete recordings\n",
                mp_number_grouped(incomplete - MOST_SHOWN, number));
    if (n > 0)
        fprintf(stderr, "mprof:   %s process%s not recorded; see the report's head\n", mp_number_grouped(n, number),
                n == 1 ? " was" : "es were");
}

static void
say(const struct input *input, const struct mp_profile *profile, uint64_t size)
{
    const struct mp_processes *processes = profile->processes;
    char number[MP_NUMBER_SIZE];
    uint32_t hosts = mp_processes_hosts(processes);

    fputs("mprof: ", stderr);
    say_count(processes->n, "process", "processes");
    fputs(" of ", stderr);
    say_count(mp_processes_programs(processes), "program", "programs");
    if (hosts > 1) {
        fputs(" on ", stderr);
        say_count(hosts, "host", "hosts");
    }
    fprintf(stderr, ": %s of data in ", mp_number_bytes(size, number));
    mp_text_print(stderr, input->output);
    fputc('\n', stderr);
    if (processes->n > 1)
        say_level(input, processes);
    if (processes->level > MP_LABEL_PROCESS)
        say_folded(processes, input->arena);
    if (processes->left_out > 0)
        fprintf(stderr, "mprof:   %s file%s left out\n",
                mp_number_grouped(processes->left_out, number), mp_plural(processes->left_out));
    say_missing(profile, input->arena);
}

static bool
merge_all(const struct input *input, struct mp_merge *merge, struct mp_error *error)
{
    struct mp_profile *profile = NULL;
    uint64_t left_out = 0, size;
    bool ok = merge_files(input, merge, &left_out, error);

    if (ok)
        profile = mp_merge_finish(merge, left_out, error);
    ok = profile && mp_seal(profile, input->output, &size, error);
    if (ok && !mp_quiet())
        say(input, profile, size);
    mp_profile_free(profile);
    return ok;
}

/* Handles an output file that is among the inputs. An earlier result is left out. Returns false and fills *ERROR for
 * a recording, which would be lost. */
static bool
leave_out_result(const struct input *input, struct mp_error *error)
{
    struct mp_profile *profile = mp_load(input->output, error);
    const bool is_result = profile && profile->processes;

    if (profile && !is_result)
        mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: is among the files to merge, and would be replaced; "
                "choose another name for the output", input->output);
    if (is_result && !mp_quiet())
        mp_text_printf(stderr, "mprof: %s is the output file and is not merged\n", input->output);
    mp_profile_free(profile);
    return is_result;
}

static bool
merge(struct input *input, struct mp_error *error)
{
    struct mp_merge *merge;
    bool ok;

    if (input->unreadable.code != MP_ERR_NONE) {
        *error = input->unreadable;
        return false;
    }
    if (input->files.n == 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "the lists contain no file");
    if (!mp_data_file_check(input->output, false, error) ||
        (mp_input_files_settle(&input->files, input->output) && !leave_out_result(input, error)))
        return false;
    input->merge.expected = input->files.n;
    merge = mp_merge_new(&input->merge);
    ok = merge_all(input, merge, error);
    mp_merge_free(merge);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.output = NULL, .arena = mp_arena_new()};
    int status = mp_options_parse(&mp_cmd_merge, argc, argv, &input, error);

    if (status < 0)
        status = mp_exit_status(merge(&input, error), error);
    mp_input_files_free(&input.files);
    mp_arena_free(input.arena);
    return status;
}

const struct mp_command mp_cmd_merge = {
    "merge", "merge many data files into one", run,
    .options = options, .argument = {.value = "-o OUT FILE...", .parse = parse_argument}, .check = check,
    .doc = "Add up data files and write the sum to one data file, which every command reads.  A directory means all "
           "data files in it and below it, and @LIST means the files and directories on the lines of LIST.  "
           "Functions, types and chains are the same if they have the same names.",
};
