/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/graph/context_calls.h"
#include "reporter/view/window.h"

/* ---------------------------------------------------------------- numbers */

const char *
mp_finding_number(uint64_t value, enum mp_finding_unit unit, struct mp_arena *arena)
{
    char number[MP_NUMBER_SIZE];

    switch (unit) {
    case MP_IN_BYTES:
        return mp_arena_strdup(arena, mp_number_bytes(value, number));
    case MP_IN_PERMILLE:
        return value % 10 == 0 ? mp_arena_printf(arena, "%u %%", (unsigned)(value / 10))
                               : mp_arena_printf(arena, "%u.%u %%", (unsigned)(value / 10),
                                                 (unsigned)(value % 10));
    case MP_IN_NANOSECONDS:
        return mp_arena_strdup(arena, mp_number_duration(value, number));
    default:
        return mp_arena_strdup(arena, mp_number_grouped(value, number));
    }
}

const char *
mp_facts_blocks(const struct mp_facts *facts, uint64_t number)
{
    return mp_finding_number(number, MP_IN_BLOCKS, facts->arena);
}

const char *
mp_facts_size(const struct mp_facts *facts, uint64_t bytes)
{
    return mp_finding_number(bytes, MP_IN_BYTES, facts->arena);
}

/* A placeholder is the decimal number of bytes between these control characters, which names do not contain. */
#define AMOUNT_BEGIN '\002'
#define AMOUNT_END '\003'

const char *
mp_facts_bytes(const struct mp_facts *facts, uint64_t bytes)
{
    return mp_arena_printf(facts->arena, "%c%" PRIu64 "%c", AMOUNT_BEGIN, bytes, AMOUNT_END);
}

/* If a placeholder begins at TEXT, stores its number in *BYTES and returns its last character. Otherwise returns
 * NULL. */
static const char *
parse_amount(const char *text, uint64_t *bytes)
{
    char *end;

    if (*text != AMOUNT_BEGIN)
        return NULL;
    *bytes = strtoull(text + 1, &end, 10);
    return *end == AMOUNT_END ? end : NULL;
}

const char *
mp_facts_sentence_end(const char *text)
{
    while (*text && !(text[0] == '.' && text[1] == ' ' && isupper((unsigned char)text[2])))
        text++;
    return *text ? text + 1 : text;
}

const char *
mp_facts_units(const char *text, struct mp_arena *arena)
{
    const char *sentence = text, *end;
    char *out;
    uint64_t bytes, most;
    size_t n = strlen(text) + 1, used = 0;

    for (const char *at = text; *at; at++)
        if (*at == AMOUNT_BEGIN)
            n += MP_NUMBER_SIZE;
    out = mp_arena_alloc(arena, n);
    for (; *sentence; sentence = end) {
        const char *last;

        end = mp_facts_sentence_end(sentence);
        most = 0;
        for (const char *at = sentence; at < end; at++)
            if (parse_amount(at, &bytes) && bytes > most)
                most = bytes;
        for (const char *at = sentence; at < end; at++)
            if ((last = parse_amount(at, &bytes))) {
                used += strlen(mp_number_bytes_like(bytes, most, out + used));
                at = last;
            } else
                out[used++] = *at;
    }
    out[used] = '\0';
    return out;
}

const char *
mp_facts_share(const struct mp_facts *facts, uint64_t part, uint64_t whole)
{
    return mp_arena_printf(facts->arena, "%u %%", mp_number_share(part, whole));
}

/* Calls ADD for each cell of PLACE whose blocks all have one size, with that size and the cell's value of SORT. */
static void
each_size(const struct mp_places *places, const struct mp_candidate_place *place, enum mp_sort sort,
          void (*add)(void *data, uint32_t size, uint64_t weight), void *data)
{
    const struct mp_tree *tree = places->tree;

    for (uint32_t node = place->first; node != MP_NO_ID; node = places->next[node])
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

            if (places->takes(places, node, cell) && cell->size_min == cell->size_max)
                add(data, cell->size_min, mp_basic_key(&cell->counts, sort));
        }
}

struct majority {
    uint32_t size;
    uint64_t weight;
};

/* Boyer-Moore majority vote. If one size has more than half of the weight, it is the remaining candidate. */
static void
vote(void *data, uint32_t size, uint64_t weight)
{
    struct majority *m = data;

    if (size == m->size)
        m->weight = mp_plus(m->weight, weight);
    else if (weight > m->weight)
        *m = (struct majority){size, weight - m->weight};
    else
        m->weight -= weight;
}

static void
count_votes(void *data, uint32_t size, uint64_t weight)
{
    struct majority *m = data;

    if (size == m->size)
        m->weight = mp_plus(m->weight, weight);
}

uint64_t
mp_facts_malloc_takes(uint64_t size)
{
    const uint64_t chunk = (size + 8 + 15) & ~(uint64_t)15;

    return chunk < 32 ? 32 : chunk;
}

uint32_t
mp_facts_usual_size(const struct mp_places *places, const struct mp_candidate_place *place, enum mp_sort sort)
{
    struct majority usual = {0, 0};

    each_size(places, place, sort, vote, &usual);
    usual.weight = 0;
    each_size(places, place, sort, count_votes, &usual);
    return mp_facts_reaches(usual.weight, mp_counts_key(&place->counts, sort), 900) ? usual.size : 0;
}

const char *
mp_facts_sizes(const struct mp_facts *facts, const struct mp_places *places, const struct mp_candidate_place *place,
               enum mp_sort sort)
{
    const uint32_t usual = mp_facts_usual_size(places, place, sort);

    if (place->size_min == place->size_max)
        return mp_arena_printf(facts->arena, "of %s byte%s", mp_facts_blocks(facts, place->size_min),
                               mp_plural(place->size_min));
    if (usual > 0)
        return mp_arena_printf(facts->arena, "nearly all of %s byte%s", mp_facts_blocks(facts, usual),
                               mp_plural(usual));
    if (place->size_min > place->size_max)
        return "of several sizes";
    return mp_arena_printf(facts->arena, "of %s to %s bytes", mp_facts_blocks(facts, place->size_min),
                           mp_facts_blocks(facts, place->size_max));
}

bool
mp_facts_reaches(uint64_t part, uint64_t whole, uint64_t permille)
{
    return part > 0 && (long double)part * 1000 >= (long double)whole * permille;
}

uint32_t
mp_facts_heaviest(const struct mp_facts *facts, const struct mp_rule *rule, mp_place_weight *weight,
                  const struct mp_candidate_place *tops[], uint32_t most)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_candidate_place *place = &facts->blocks.list[i];
        const uint64_t own = weight(facts, rule, place);
        uint32_t at = n;

        while (at > 0 && weight(facts, rule, tops[at - 1]) < own)
            at--;
        if (own == 0 || at == most)
            continue;
        n += n < most;
        for (uint32_t k = n - 1; k > at; k--)
            tops[k] = tops[k - 1];
        tops[at] = place;
    }
    return n;
}

uint64_t
mp_facts_cost(const struct mp_counts *counts)
{
    const uint64_t in_place = counts->steps_from > counts->moved ? counts->steps_from - counts->moved : 0;
    const uint64_t used = counts->bytes > in_place ? counts->bytes - in_place : 0;
    const long double cost = (long double)MP_NS_OF_BLOCK * counts->allocs +
                             (long double)MP_NS_OF_BLOCK / MP_BYTES_OF_BLOCK * used;

    return cost < (long double)UINT64_MAX ? (uint64_t)cost : UINT64_MAX;
}

bool
mp_facts_ended(const struct mp_facts *facts)
{
    return facts->view->meta.ending == MP_END_EXITED && !facts->view->meta.damaged;
}

/* ---------------------------------------------------------------- chains */

/* Returns whether chains show NODE, which the program's function called and which leads to the allocation. */
static bool
is_shown(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_frame *frame = &tree->profile->frames[tree->nodes[node].frame];
    const struct mp_name *name = mp_tree_name(tree, node);

    return name ? !name->dispatch || frame->interpreted : !frame->runtime;
}

const char *
mp_facts_call(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena)
{
    const struct mp_location *at = &tree->profile->locations[tree->nodes[node].location];
    const char *name = tree->profile->functions[at->function].text;

    if (at->line == 0)
        return name;
    return mp_arena_printf(arena, "%s (%s:%" PRIu32 ")", name, mp_tree_file(tree, node), at->line);
}

/* Returns whether NODE is a named function of a language's runtime, and no function of the program called it. */
static bool
begins_with_runtime(const struct mp_tree *tree, uint32_t node)
{
    const bool named = node != 0 && mp_tree_name(tree, node);

    while (node != 0 && !(mp_tree_name(tree, node) && mp_places_is_users(tree, node)))
        node = tree->nodes[node].parent;
    return named && node == 0;
}

/* Sets the finding's chain, which leads from WAY->node outwards to the last of WAY->calls functions, counted from
 * WAY->user. Frames between WAY->node and WAY->user belong to the runtime. */
static void
set_chain(struct mp_finding *finding, const struct mp_tree *tree, const struct mp_way *way,
          struct mp_arena *arena)
{
    uint32_t n = 0, last = way->user, node = way->node, calls = way->calls;
    struct mp_call *places;
    const char **list;

    for (uint32_t at = last, i = 1; i < calls; i++) {
        at = tree->nodes[at].parent;
        if (!mp_places_is_users(tree, at) && begins_with_runtime(tree, at))
            break;                      /* the runtime's way to the first function of the program */
        last = at;
    }
    finding->depth = 0;
    for (uint32_t i = node; i != tree->nodes[last].parent; i = tree->nodes[i].parent) {
        n += is_shown(tree, i);
        finding->depth++;
    }
    list = mp_arena_alloc(arena, (n + 1) * sizeof *list);
    places = mp_arena_alloc(arena, (n + 1) * sizeof *places);
    finding->n_calls = n;
    for (; node != tree->nodes[last].parent; node = tree->nodes[node].parent)
        if (is_shown(tree, node)) {
            list[--n] = mp_facts_call(tree, node, arena);
            places[n] = mp_chain_call(tree, node);
        }
    finding->calls = list;
    finding->chain =
        (struct mp_calls){tree->profile, places, finding->n_calls,
                          way->callers == 0 || begins_with_runtime(tree, tree->nodes[last].parent)};
}

const char *
mp_facts_function(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_name *name = mp_tree_name(tree, node);

    return name ? name->name : tree->profile->functions[mp_tree_function(tree, node)].text;
}

static uint32_t
context_of(const struct mp_tree *tree, uint32_t node)
{
    return tree->profile->cells[tree->cells[tree->nodes[node].first_cell]].context;
}

static struct mp_finding *
add_finding(struct mp_facts *facts)
{
    struct mp_findings *findings = facts->findings;

    findings->list = mp_arena_grow(findings->arena, findings->list, findings->n, &facts->room,
                                   sizeof *findings->list);
    return &findings->list[findings->n++];
}

struct mp_finding *
mp_facts_find(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
              const struct mp_candidate_place *place, enum mp_sort sort, uint64_t part, uint64_t whole)
{
    const struct mp_way way = mp_places_way(places, place, sort);
    const long double share = whole > 0 ? (long double)part * 1000 / whole : 1000;
    struct mp_finding *finding;

    facts->way = way;
    places->told[place - places->list] = true;
    finding = add_finding(facts);
    *finding = (struct mp_finding){.rule = rule, .permille = share < 1000 ? (uint32_t)share : 1000,
                                   .rank = share < 1000 ? (uint32_t)share : 1000,
                                   .function = mp_facts_function(places->tree, way.user),
                                   .context = context_of(places->tree, way.node), .sort = sort};
    set_chain(finding, places->tree, &way, facts->findings->arena);
    facts->runtimes = false;
    for (uint32_t node = way.node; node != way.user; node = places->tree->nodes[node].parent)
        facts->runtimes |= is_shown(places->tree, node);
    if (way.part < way.all)
        mp_finding_figure(finding, "through_chain", MP_IN_PERMILLE,
                          (uint64_t)((long double)way.part * 1000 / way.all));
    return finding;
}

struct mp_finding *
mp_facts_find_calls(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_calls *calls)
{
    struct mp_arena *arena = facts->findings->arena;
    const char **list = mp_arena_alloc(arena, calls->n * sizeof *list);
    struct mp_finding *finding;

    for (uint32_t i = 0; i < calls->n; i++)
        list[i] = mp_context_call(calls, i, arena);
    finding = add_finding(facts);
    *finding = (struct mp_finding){.rule = rule, .permille = 1000, .rank = 1000, .calls = list,
                                   .n_calls = calls->n, .chain = *calls,
                                   .function = calls->n == 0 ? mp_text_basename(facts->view->meta.program) :
                                       calls->profile->functions[calls->list[calls->n - 1].function].text,
                                   .sort = MP_SORT_OBJECTS};
    return finding;
}

void
mp_finding_figure(struct mp_finding *finding, const char *key, enum mp_finding_unit unit,
                  uint64_t number)
{
    if (finding->n_figures < MP_FINDING_FIGURES)
        finding->figures[finding->n_figures++] = (struct mp_finding_figure){key, unit, number};
}

void
mp_facts_also(const struct mp_facts *facts, struct mp_finding *finding, const struct mp_places *places,
              const struct mp_candidate_place *const also[], uint32_t n, enum mp_sort sort)
{
    struct mp_arena *arena = facts->findings->arena;
    struct mp_finding_place *list = mp_arena_alloc(arena, n * sizeof *list);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t user = mp_places_way(places, also[i], sort).user;

        list[i] = (struct mp_finding_place){mp_facts_function(places->tree, user),
                                            mp_facts_call(places->tree, user, arena)};
    }
    finding->also = list;
    finding->n_also = n;
}

/* ---------------------------------------------------------------- commands */

/* Prints an anchored extended regular expression that matches NAME only, quoted for a shell. */
static void
print_pattern(const char *name, FILE *out)
{
    struct mp_text_stream pattern;
    FILE *stream = mp_text_open(&pattern);
    char *text;

    fputc('^', stream);
    for (; *name; name++) {
        if (strchr(".[]()*+?{}|^$\\", *name))
            fputc('\\', stream);
        fputc(*name, stream);
    }
    fputc('$', stream);
    text = mp_text_close(&pattern);
    mp_text_shell(out, text);
    free(text);
}

/* Prints the options that select the view's part of the time. */
static void
print_window(const struct mp_window *window, FILE *out)
{
    const char *const ends[][2] = {{" --from=", window ? window->ends.from : NULL},
                                   {" --to=", window ? window->ends.to : NULL},
                                   {" --at=", window ? window->ends.at : NULL}};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (!ends[i][1])
            continue;
        fputs(ends[i][0], out);
        mp_text_shell(out, ends[i][1]);
    }
}

/* Returns the text of a command. FUNCTION restricts it to one function and may be NULL. */
static const char *
command_text(const struct mp_facts *facts, const char *options, const char *function)
{
    struct mp_text_stream command;
    FILE *stream = mp_text_open(&command);

    fprintf(stream, "mprof report %s", options);
    if (facts->frames == MP_FRAMES_C)
        fputs(" --frames=c", stream);
    print_window(facts->view->window, stream);
    if (function) {
        fputs(" --function=", stream);
        print_pattern(function, stream);
    }
    fputs(facts->file, stream);
    return mp_text_close_in(&command, facts->findings->arena);
}

void
mp_facts_command(const struct mp_facts *facts, struct mp_finding *finding, const char *options)
{
    finding->command = command_text(facts, options, finding->function);
}

void
mp_facts_command_of_all(const struct mp_facts *facts, struct mp_finding *finding, const char *options)
{
    finding->command = command_text(facts, options, NULL);
}
