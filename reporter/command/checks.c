/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"
#include "reporter/base/map.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/verdict/verdict_output.h"

const struct mp_option mp_checks_options[] = {
    {.help = "Results of limits, for test runners and CI:"},
    {"junit", 0, "FILE", "Write the results to FILE as JUnit XML", MP_TEXT(struct mp_checks_output, junit)},
    {"github", 0, NULL, "Print annotations for GitHub, each at its source line",
     MP_FLAG(struct mp_checks_output, github)},
    {"gitlab", 0, "FILE", "Write a GitLab code quality report to FILE", MP_TEXT(struct mp_checks_output, gitlab)},
    {"error-exitcode", 0, "STATUS", "Exit with STATUS (1 to 255, default 1) if a limit is exceeded",
     MP_COUNT(struct mp_checks_output, status, 1, 255)},
    {0},
};

struct mp_checks
mp_checks(const struct mp_checks_output *output)
{
    return (struct mp_checks){.output = output, .arena = mp_arena_new()};
}

void
mp_checks_free(struct mp_checks *checks)
{
    for (uint32_t i = 0; i < checks->n; i++) {
        mp_verdict_free(checks->list[i].verdict);
        mp_limit_input_free(&checks->list[i].limits);
    }
    mp_arena_free(checks->arena);
}

int
mp_checks_status(const struct mp_checks *checks)
{
    for (uint32_t i = 0; i < checks->n; i++)
        if (checks->list[i].verdict->n_over > 0)
            return checks->output->status ? (int)checks->output->status : MP_EXIT_ERROR;
    return 0;
}

/* ---------------------------------------------------------------- adding */

bool
mp_checks_add(struct mp_checks *checks, const struct mp_profile *profile, const char *file,
              struct mp_limit_input *limits, const struct mp_view_input *names, uint32_t most,
              struct mp_error *error)
{
    struct mp_checks_one one = {.limits = *limits, .file = mp_arena_strdup(checks->arena, file)};

    if (!mp_limit_complete(limits, profile, file, error))
        return false;
    *limits = (struct mp_limit_input){.arena = NULL};
    checks->list = mp_arena_grow(checks->arena, checks->list, checks->n, &checks->room, sizeof *checks->list);
    checks->list[checks->n] = one;
    checks->list[checks->n].verdict =
        mp_limit_verdict(&checks->list[checks->n].limits, profile, names, most, error);
    return checks->list[checks->n++].verdict != NULL;
}

/* ---------------------------------------------------------------- results */

/* Returns the working directory. Paths of sources in it are printed relative to it. */
static char *
folder_of_sources(void)
{
    char *folder = getcwd(NULL, 0);

    return folder ? folder : mp_need(strdup(""));
}

static void
print(const struct mp_checks *checks, const char *folder, FILE *out)
{
    bool first = true;

    for (uint32_t i = 0; i < checks->n; i++) {
        const struct mp_verdict *verdict = checks->list[i].verdict;

        if (checks->n > 1 && (!mp_quiet() || verdict->n_over > 0)) {
            fputs(first || mp_quiet() ? "" : "\n", out);
            mp_text_printf(out, "%s (%s)\n", verdict->program, checks->list[i].file);
        }
        first = false;
        mp_verdict_text(verdict, mp_quiet(), out);
        if (verdict->n == 0 && !mp_quiet())
            fprintf(out, "no limits for %s\n", verdict->program);
        if (checks->output->github)
            mp_verdict_github(verdict, folder, stdout);
    }
}

/* Gives each verdict a name. If several processes ran the same program, the name includes the data file. */
static void
name_all(const struct mp_checks *checks)
{
    struct mp_map programs = {.arena = checks->arena};
    uint32_t *count = mp_arena_alloc(checks->arena, checks->n * sizeof *count);

    for (uint32_t i = 0; i < checks->n; i++) {
        const char *program = checks->list[i].verdict->program;

        count[mp_map_add(&programs, program, strlen(program))]++;
    }
    for (uint32_t i = 0; i < checks->n; i++) {
        struct mp_verdict *verdict = checks->list[i].verdict;

        verdict->several = checks->n > 1;
        if (count[mp_map_find(&programs, verdict->program, strlen(verdict->program))] > 1)
            verdict->name =
                mp_arena_printf(verdict->arena, "%s (%s)", verdict->program, checks->list[i].file);
    }
}

static bool
write_files(const struct mp_checks *checks, const char *folder, struct mp_error *error)
{
    const struct mp_verdict **verdicts = mp_arena_alloc(checks->arena, checks->n * sizeof *verdicts);
    const char **files = mp_arena_alloc(checks->arena, (checks->n + (size_t)1) * sizeof *files);
    const struct mp_checks_output *output = checks->output;
    struct mp_output_file file;
    FILE *out;

    for (uint32_t i = 0; i < checks->n; i++) {
        verdicts[i] = checks->list[i].verdict;
        files[i] = checks->list[i].file;
    }
    if (output->junit) {
        if (!(out = mp_output_begin(&file, output->junit, files, error)))
            return false;
        mp_verdict_junit(verdicts, checks->n, out);
        if (!mp_output_end(&file, true, error))
            return false;
    }
    if (output->gitlab) {
        if (!(out = mp_output_begin(&file, output->gitlab, files, error)))
            return false;
        mp_verdict_gitlab(verdicts, checks->n, folder, out);
        if (!mp_output_end(&file, true, error))
            return false;
    }
    return true;
}

/* Adds to KNOWN the limits of VERDICT whose functions exist in its program. */
static void
add_known(const struct mp_verdict *verdict, struct mp_map *known)
{
    for (uint32_t i = 0; i < verdict->n; i++)
        if (!verdict->list[i].unknown)
            mp_map_add(known, verdict->list[i].bound->said, strlen(verdict->list[i].bound->said));
}

/* Checks that each limit's function exists in some program. A misspelt name would otherwise never exceed its limit.
 * Returns false and fills *ERROR if not. */
static bool
know_functions(const struct mp_checks *checks, struct mp_error *error)
{
    struct mp_map known = {.arena = checks->arena};

    for (uint32_t i = 0; i < checks->n; i++)
        add_known(checks->list[i].verdict, &known);
    for (uint32_t i = 0; i < checks->n; i++) {
        const struct mp_verdict *verdict = checks->list[i].verdict;

        for (uint32_t k = 0; k < verdict->n; k++) {
            const char *said = verdict->list[k].bound->said;

            if (mp_map_find(&known, said, strlen(said)) == MP_NO_ID)
                return mp_fail(error, MP_ERR_FUNCTION, MP_NO_OFFSET, "%s: neither on a recorded chain nor among the "
                               "symbols of %s", said, checks->n > 1 ? "the programs" : verdict->program);
        }
    }
    return true;
}

bool
mp_checks_show(const struct mp_checks *checks, FILE *out, struct mp_error *error)
{
    char *folder;
    bool ok;

    if (!know_functions(checks, error))
        return false;
    folder = folder_of_sources();
    name_all(checks);
    print(checks, folder, out);
    ok = write_files(checks, folder, error);
    free(folder);
    return ok;
}
