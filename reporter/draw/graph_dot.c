/* SPDX-License-Identifier: MIT */
#include "graph_dot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/search.h"
#include "reporter/graph/graph.h"
#include "reporter/profile/estimate.h"
#include "reporter/table/said_part.h"
#include "reporter/view/sort.h"

#define MOST_NODES 80u
#define LEAST_ARC 1000u         /* arrows below this fraction of the total (1/LEAST_ARC) are omitted */
#define SMALL 8.0               /* font size in points for functions that allocate nothing themselves */
#define LARGE 20.0              /* points added for a function that allocates everything */
#define THICK 7.0               /* thickness in points added for an arrow with everything */

struct drawing {
    const struct mp_graph *graph;
    const struct mp_profile *view;
    uint64_t total;
    uint32_t *nodes, n;         /* functions drawn, sorted by inclusive bytes, largest first */
    bool *drawn;                /* by function */
    FILE *out;
};

/* Writes TEXT for use within quotes. Escapes backslashes and quotes, so that dot finds no escapes in it. */
static void
put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
}

static double
share(const struct drawing *d, uint64_t bytes)
{
    return d->total > 0 ? (double)bytes / (double)d->total : 0;
}

static uint64_t
inclusive(const struct drawing *d, uint32_t function)
{
    return mp_sums_bytes(&d->graph->nodes[function].inclusive);
}

static int
by_inclusive(const void *a, const void *b, void *data)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint64_t of_x = inclusive(data, x), of_y = inclusive(data, y);

    if (of_x != of_y)
        return mp_order(of_y, of_x);
    return mp_order(x, y);
}

/* Chooses the functions to draw. Returns how many are omitted. */
static uint32_t
choose(struct drawing *d, const struct mp_print_options *print)
{
    const uint32_t most = print->most > 0 ? print->most : MOST_NODES;
    uint32_t all = 0;

    for (uint32_t i = 0; i < d->graph->n_nodes; i++)
        if (inclusive(d, i) > 0) {
            d->nodes[d->n] = i;
            d->n += mp_print_shows(print, inclusive(d, i), d->total);
            all++;
        }
    qsort_r(d->nodes, d->n, sizeof *d->nodes, by_inclusive, d);
    if (d->n > most)
        d->n = most;
    for (uint32_t i = 0; i < d->n; i++)
        d->drawn[d->nodes[i]] = true;
    return all - d->n;
}

static void
put_title(const struct drawing *d, const struct mp_print_options *print, uint32_t left_out)
{
    const char *program = d->view->meta.program;
    char number[MP_NUMBER_SIZE];

    fputs("digraph \"mprof\" {\nnode [shape=box fontname=\"sans-serif\" style=filled fillcolor=\"#f4f4f4\"];\n"
          "edge [fontname=\"sans-serif\" fontsize=8 color=\"#606060\"];\n"
          "graph [fontname=\"sans-serif\" fontsize=12 labelloc=t labeljust=l label=\"", d->out);
    put_text(d->out, program[0] ? program : "program not known");
    fprintf(d->out, ": %s%s %s\\l", mp_is_estimated(&d->view->meta) ? "estimated " : "",
            mp_number_grouped(d->total, number), mp_said_cost(d->view->window, print->sort));
    fputs("first in a box: allocated by the function itself; then: with what it calls\\l", d->out);
    if (left_out > 0)
        fprintf(d->out, "%" PRIu32 " function%s left out\\l", left_out, mp_plural(left_out));
    fputs("\"];\n", d->out);
}

static void
put_node(const struct drawing *d, uint32_t function)
{
    const uint64_t self = mp_sums_bytes(&d->graph->nodes[function].self), with = inclusive(d, function);
    char number[2][MP_NUMBER_SIZE];

    fprintf(d->out, "n%" PRIu32 " [fontsize=%.1f label=\"", function, SMALL + LARGE * sqrt(share(d, self)));
    put_text(d->out, d->view->functions[function].text);
    fprintf(d->out, "\\n%s (%.1f %%)", mp_number_grouped(self, number[0]), 100 * share(d, self));
    if (with != self)
        fprintf(d->out, "\\nof %s (%.1f %%)", mp_number_grouped(with, number[1]), 100 * share(d, with));
    fputs("\"];\n", d->out);
}

static void
put_arc(const struct drawing *d, const struct mp_arc *arc)
{
    const uint64_t bytes = mp_sums_bytes(&arc->sums);
    char number[MP_NUMBER_SIZE];

    if (!d->drawn[arc->caller] || !d->drawn[arc->callee] || bytes == 0 || bytes < d->total / LEAST_ARC)
        return;
    fprintf(d->out, "n%" PRIu32 " -> n%" PRIu32 " [label=\" %s\" penwidth=%.1f weight=%.0f];\n", arc->caller,
            arc->callee, mp_number_grouped(bytes, number), 1 + THICK * share(d, bytes), 1 + 100 * share(d, bytes));
}

static void
draw(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_graph_options options = {.keep_startup = all_frames};
    struct mp_graph *graph = mp_graph_build(view, &options);
    struct drawing d = {
        .graph = graph, .view = view, .total = mp_sums_bytes(&graph->total), .out = out,
        .nodes = mp_arena_alloc(arena, ((size_t)graph->n_nodes + 1) * sizeof *d.nodes),
        .drawn = mp_arena_alloc(arena, (size_t)graph->n_nodes + 1)};
    const uint32_t left_out = choose(&d, print);

    put_title(&d, print, left_out);
    for (uint32_t i = 0; i < d.n; i++)
        put_node(&d, d.nodes[i]);
    for (uint32_t i = 0; i < graph->n_arcs; i++)
        put_arc(&d, &graph->arcs[i]);
    fputs("}\n", out);
    mp_graph_free(graph);
    mp_arena_free(arena);
}

void
mp_graph_dot(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames, FILE *out)
{
    struct mp_profile *sorted = print->sort != MP_SORT_BYTES ? mp_sort_view(view, print->sort) : NULL;

    draw(sorted ? sorted : view, print, all_frames, out);
    mp_profile_free(sorted);
}

/* ---------------------------------------------------------------- dot(1) */

/* Lets dot(1) read the file DOT and write an SVG to standard output. Returns false and sets *ERROR on failure. */
static bool
run_dot(int dot, struct mp_error *error)
{
    static char *const arguments[] = {"dot", "-Tsvg", NULL};
    posix_spawn_file_actions_t actions;
    int result, status;
    pid_t pid;

    fflush(stdout);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, dot, STDIN_FILENO);
    result = posix_spawnp(&pid, "dot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result == ENOENT)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "--graph=svg: the program dot, which draws it, is not "
                       "installed; it is part of Graphviz.  --graph=dot writes what it draws");
    if (result != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot start dot: %s", strerror(result));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "dot: %s", strerror(errno));
    if (WIFSIGNALED(status))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "dot was killed by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "dot failed with status %d", WEXITSTATUS(status));
}

bool
mp_graph_svg(const struct mp_profile *view, const struct mp_print_options *print, bool all_frames,
             struct mp_error *error)
{
    const int fd = memfd_create("mprof graph", MFD_CLOEXEC);
    FILE *dot = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok;

    if (dot)
        mp_graph_dot(view, print, all_frames, dot);
    if (dot && !ferror(dot) && fseek(dot, 0, SEEK_SET) == 0)
        ok = run_dot(fd, error);
    else
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the graph for dot: %s", strerror(errno));
    if (dot)
        fclose(dot);
    else if (fd >= 0)
        close(fd);
    return ok;
}
