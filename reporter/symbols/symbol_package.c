/* SPDX-License-Identifier: MIT */
#include "symbol_package.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/view/startup_frames.h"

/* Returns PATH without the first directory if that is /usr, because packages may have files at /lib that a system
 * with merged directories has in /usr/lib. */
static const char *
without_usr(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
}

/* Returns the name of the package whose debug information belongs to the package NAME. */
static const char *
debug_package(const char *name, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "%s-%s", name, strcmp(name, "libc6") == 0 ? "dbg" : "dbgsym");
}

/* Sets `package` of those modules of PROFILE that are WANTED and have the path in LINE, which dpkg-query printed:
 * "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6". Changes LINE. A diversion has a line with other words. */
static void
take_line(struct mp_profile *profile, const bool *wanted, char *line)
{
    char *path = strstr(line, ": /");

    if (path == NULL)
        return;
    path += 2;
    path[strcspn(path, "\n")] = '\0';
    line[strcspn(line, ":,")] = '\0';
    if (strchr(line, ' ') != NULL)
        return;
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (wanted[i] && strcmp(without_usr(profile->modules[i].path), without_usr(path)) == 0)
            profile->modules[i].package = debug_package(line, profile->arena);
}

/* Starts the program of ARGUMENTS, which writes to the pipe TO and whose messages are ignored. Returns its process id,
 * or -1 if it cannot be started. */
static pid_t
start(char *const *arguments, int to)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int result;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    result = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return result == 0 ? pid : -1;
}

/* Runs dpkg-query with ARGUMENTS, and sets `package` of the WANTED modules that it finds. */
static void
query(struct mp_profile *profile, const bool *wanted, char *const *arguments)
{
    int ends[2];
    pid_t pid;
    FILE *answers;
    char *line = NULL;
    size_t room = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid = start(arguments, ends[1]);
    close(ends[1]);
    answers = fdopen(ends[0], "r");
    while (pid > 0 && answers != NULL && getline(&line, &room, answers) > 0)
        take_line(profile, wanted, line);
    free(line);
    if (answers != NULL)
        fclose(answers);
    else
        close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Sets `package` of those modules of PROFILE that are WANTED and belong to an installed package. Paths are asked with
 * and without /usr. dpkg-query would take some characters for a pattern; no library has them in its path. */
static void
ask(struct mp_profile *profile, const bool *wanted)
{
    struct mp_arena *arena = mp_arena_new();
    char **arguments = mp_arena_alloc(arena, (2 * (size_t)profile->n_modules + 3) * sizeof *arguments);
    uint32_t n = 0;

    arguments[n++] = mp_arena_strdup(arena, "dpkg-query");
    arguments[n++] = mp_arena_strdup(arena, "--search");
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const char *path = profile->modules[i].path;

        if (!wanted[i] || path[0] != '/' || strpbrk(path, "*?[\\") != NULL)
            continue;
        arguments[n++] = mp_arena_strdup(arena, without_usr(path));
        arguments[n++] = mp_arena_printf(arena, "/usr%s", without_usr(path));
    }
    if (n > 2)
        query(profile, wanted, arguments);
    mp_arena_free(arena);
}

void
mp_symbol_packages(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted);

    for (uint32_t i = 0; i < profile->n_modules; i++)
        wanted[i] = strcmp(profile->modules[i].problem, "no symbols") == 0;
    ask(profile, wanted);
    mp_arena_free(arena);
}

/* Returns, for each context, whether it or a caller that does not only start the program has a source line. */
static bool *
find_lines(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *startup = mp_startup_contexts(profile, arena);
    bool *known = mp_arena_alloc(arena, profile->n_contexts * sizeof *known);

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        known[i] = known[profile->contexts[i].parent];
        for (uint32_t j = 0; j < frame->n_locations && !startup[i] && !known[i]; j++)
            known[i] = profile->locations[frame->first_location + j].line > 0;
    }
    return known;
}

/* Returns the module that allocates the most bytes of C in chains without source lines. Returns MP_NO_ID if such chains
 * allocate less than half of all bytes. */
static uint32_t
find_lineless(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *known = find_lines(profile, arena);
    uint64_t *bytes = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *bytes), with = 0, without = 0;
    uint32_t most = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const uint32_t frame = profile->contexts[cell->context].frame;
        const uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : MP_NO_ID;

        if (mp_is_lisp(cell) || known[cell->context] || module == MP_NO_ID) {
            with = mp_plus(with, cell->counts.bytes);
            continue;
        }
        without = mp_plus(without, cell->counts.bytes);
        bytes[module] = mp_plus(bytes[module], cell->counts.bytes);
        if (most == MP_NO_ID || bytes[module] > bytes[most])
            most = module;
    }
    return without > with ? most : MP_NO_ID;
}

const char *
mp_symbol_lines(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t id = find_lineless(profile, arena);
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted);
    const char *text = NULL;

    if (id != MP_NO_ID) {
        const struct mp_module *module = &profile->modules[id];

        wanted[id] = !module->package;
        if (wanted[id])
            ask(profile, wanted);
        text = mp_arena_printf(profile->arena, "No source lines are known of %s: %s%s%scompile it with -g.",
                               module->name, module->package ? "on Debian, apt install " : "",
                               module->package ? module->package : "", module->package ? ", or " : "");
    }
    mp_arena_free(arena);
    return text;
}
