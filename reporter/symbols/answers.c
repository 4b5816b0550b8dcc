/* SPDX-License-Identifier: MIT */
#include "answers.h"

#include <stdio.h>
#include <string.h>

#include "budget.h"
#include "texts.h"

#define A_NUMBER    64u         /* bytes that the map of addresses takes for each of them */

void
mp_answers_init(struct mp_answers *answers, struct mp_arena *arena)
{
    *answers = (struct mp_answers){ .arena = arena, .addresses.arena = arena,
                                    .tail_keys.arena = arena,
                                    .catalog.map.arena = arena,
                                    .catalog.names.arena = arena };
}

uint32_t
mp_known_add(struct mp_answers *answers, const struct mp_known_function *known)
{
    answers->knowns = mp_arena_grow(answers->arena, answers->knowns, answers->n_knowns,
                                    &answers->knowns_room, sizeof *answers->knowns);
    mp_budget_hold(2 * sizeof *known + strlen(known->key));
    answers->knowns[answers->n_knowns] = *known;
    answers->knowns[answers->n_knowns].id = MP_NO_ID;
    return answers->n_knowns++;
}

void
mp_place_add(struct mp_answers *answers, const struct mp_place *place)
{
    answers->places = mp_arena_grow(answers->arena, answers->places, answers->n_places,
                                    &answers->places_room, sizeof *answers->places);
    /* the profile gets a location for each place */
    mp_budget_hold(4 * sizeof *place);
    answers->places[answers->n_places++] = *place;
}

struct mp_answer *
mp_answer_add(struct mp_answers *answers, uint64_t address)
{
    uint32_t known = answers->addresses.count;
    uint32_t number = mp_map_add_u64(&answers->addresses, address);

    if (number == known) {
        mp_budget_hold(2 * sizeof *answers->list + A_NUMBER);
        answers->list = mp_arena_grow(answers->arena, answers->list, known, &answers->room,
                                      sizeof *answers->list);
    }
    answers->list[number] = (struct mp_answer){ .address = address, .start = MP_NO_START,
                                                .first = answers->n_places, .file = "" };
    return &answers->list[number];
}

uint32_t
mp_tail_path_find(const struct mp_answers *answers, uint64_t address, uint64_t goal)
{
    const uint64_t key[] = { address, goal };

    return mp_map_find(&answers->tail_keys, key, sizeof key);
}

uint32_t
mp_tail_path_add(struct mp_answers *answers, uint64_t address, uint64_t goal)
{
    const uint64_t key[] = { address, goal };
    const uint32_t count = answers->tail_keys.count, number = mp_map_add(&answers->tail_keys, key, sizeof key);

    if (number == count) {
        mp_budget_hold(4 * sizeof key);
        answers->tails = mp_arena_grow(answers->arena, answers->tails, count, &answers->tails_room,
                                       sizeof *answers->tails);
    }
    answers->tails[number] = (struct mp_tail_path){ .first = answers->n_tail_ends };
    return number;
}

void
mp_tail_end_add(struct mp_answers *answers, uint64_t end)
{
    answers->tail_ends = mp_arena_grow(answers->arena, answers->tail_ends, answers->n_tail_ends,
                                       &answers->tail_ends_room, sizeof *answers->tail_ends);
    mp_budget_hold(2 * sizeof end);
    answers->tail_ends[answers->n_tail_ends++] = end;
}

void
mp_answers_forget_ids(struct mp_answers *answers)
{
    for (uint32_t i = 0; i < answers->n_knowns; i++)
        answers->knowns[i].id = MP_NO_ID;
}

/* --------------------------------------------------------------------------- catalog */

#define KEY_SIZE (MP_TEXT_MAX + 32)

static size_t
key_of(char key[KEY_SIZE], const char *name, uint32_t size)
{
    return (size_t)snprintf(key, KEY_SIZE, "%lu %s", (unsigned long)size, name);
}

void
mp_catalog_ask(struct mp_answers *answers, const char *name)
{
    mp_map_add(&answers->catalog.names, name, strlen(name));
}

bool
mp_catalog_is_internal(const char *name)
{
    const char *part = name;

    if (strncmp(name, "std::", 5) == 0)
        return true;
    for (;;) {
        if (part[0] == '_' && (part[1] == '_' || (part[1] >= 'A' && part[1] <= 'Z')))
            return true;
        part += strcspn(part, ":<");
        if (part[0] != ':' || part[1] != ':')
            return false;
        part += 2;
    }
}

bool
mp_catalog_before(const char *name, const char *other)
{
    const bool internal = mp_catalog_is_internal(name);

    return internal == mp_catalog_is_internal(other) ? strcmp(name, other) < 0 : !internal;
}

void
mp_catalog_add(struct mp_answers *answers, const char *name, uint32_t size)
{
    struct mp_catalog *catalog = &answers->catalog;
    uint32_t known = catalog->map.count, number;
    char key[KEY_SIZE];

    number = mp_map_add(&catalog->map, key, key_of(key, name, size));
    if (number != known)
        return;
    catalog->list = mp_arena_grow(answers->arena, catalog->list, known, &catalog->room,
                                  sizeof *catalog->list);
    mp_budget_hold(2 * sizeof *catalog->list + A_NUMBER + strlen(name));
    catalog->list[number] = (struct mp_mention){ name, size };
    catalog->bytes += strlen(name);
}

bool
mp_catalog_has(const struct mp_catalog *catalog, const char *name, uint32_t size)
{
    char key[KEY_SIZE];

    return mp_map_find(&catalog->map, key, key_of(key, name, size)) != MP_NO_ID;
}
