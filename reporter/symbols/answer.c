/*
 * symbols_answer.c -- what a file tells of addresses, kept for the next profile that asks.
 *
 * An answer is the same for every profile: functions by what makes them themselves, lines, types
 * that functions mention.  So `mprof run` asks the file once for the many data files of a run, and
 * symbols_cache.c keeps answers from one run to the next.  Only what has no answer yet needs the
 * file's symbols and debug information, which are loaded then.
 */
#include "internal.h"

#include <stdlib.h>

uint32_t
mp_known_add(struct mp_binary *binary, const struct mp_known *known)
{
    struct mp_answers *answers = &binary->answers;

    answers->knowns = mp_arena_grow(binary->arena, answers->knowns, answers->n_knowns,
                                    &answers->knowns_room, sizeof *answers->knowns);
    answers->knowns[answers->n_knowns] = *known;
    answers->knowns[answers->n_knowns].id = MP_NO_ID;
    return answers->n_knowns++;
}

void
mp_place_add(struct mp_binary *binary, const struct mp_place *place)
{
    struct mp_answers *answers = &binary->answers;

    answers->places = mp_arena_grow(binary->arena, answers->places, answers->n_places,
                                    &answers->places_room, sizeof *answers->places);
    answers->places[answers->n_places++] = *place;
}

struct mp_answer *
mp_answer_add(struct mp_binary *binary, uint64_t address)
{
    struct mp_answers *answers = &binary->answers;
    uint32_t known = answers->addresses.count;
    uint32_t number = mp_map_add_u64(&answers->addresses, address);

    if (number == known)
        answers->list = mp_arena_grow(binary->arena, answers->list, known, &answers->room,
                                      sizeof *answers->list);
    answers->list[number] = (struct mp_answer){ .address = address, .start = MP_NO_START,
                                                .first = answers->n_places, .file = "" };
    return &answers->list[number];
}

/* Ask the file, which is loaded. */
static struct mp_answer *
ask(struct mp_binary *binary, uint64_t address)
{
    struct mp_answer *answer = mp_answer_add(binary, address);

    binary->answers.changed = true;
    if (mp_dwarf_answer(binary, address)) {
        answer->count = binary->answers.n_places - answer->first;
        return answer;
    }
    answer->start = mp_fdes_find(binary->fdes, address);
    answer->count = mp_elf_answer(binary, address, answer->start);
    mp_dwarf_line(binary, address, &answer->file, &answer->line);
    return answer;
}

/* Are the types known, or to be had, that the functions of ANSWER mention? */
static bool
has_mentions(const struct mp_answers *answers, const struct mp_answer *answer)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct mp_known *known = &answers->knowns[answers->places[answer->first + i].known];

        if (!known->mentions_read && known->die.addr == NULL)
            return false;
    }
    return true;
}

/* The answer for ADDRESS, NULL: there is none; *WHOLE: with all that is asked for. */
static struct mp_answer *
find_answer(const struct mp_answers *answers, uint64_t address, bool mentions, bool *whole)
{
    uint32_t number = mp_map_find_u64(&answers->addresses, address);
    struct mp_answer *answer = number == MP_NO_ID ? NULL : &answers->list[number];

    *whole = answer != NULL && (!mentions || has_mentions(answers, answer));
    return answer;
}

const struct mp_answer *
mp_answer_of(struct mp_binary *binary, uint64_t address, bool mentions)
{
    bool whole;
    struct mp_answer *answer = find_answer(&binary->answers, address, mentions, &whole);

    return !whole && mp_binary_load(binary) ? ask(binary, address) : answer;
}

static int
compare_questions(const void *left, const void *right)
{
    const struct mp_question *a = left, *b = right;

    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

void
mp_answers_prepare(struct mp_binary *binary, struct mp_question *questions, uint32_t n)
{
    uint32_t left = 0;
    bool whole;

    for (uint32_t i = 0; i < n; i++) {
        find_answer(&binary->answers, questions[i].address, questions[i].mentions, &whole);
        if (!whole)
            questions[left++] = questions[i];
    }
    if (left == 0 || !mp_binary_load(binary))
        return;
    for (uint32_t i = 0; i < left; i++)
        questions[i].unit = mp_dwarf_unit_number(binary, questions[i].address);
    qsort(questions, left, sizeof *questions, compare_questions);
    for (uint32_t i = 0; i < left; i++)
        mp_answer_of(binary, questions[i].address, questions[i].mentions);
}

void
mp_answers_forget_ids(struct mp_answers *answers)
{
    for (uint32_t i = 0; i < answers->n_knowns; i++)
        answers->knowns[i].id = MP_NO_ID;
}

/* ------------------------------------------------------------------- into a profile */

/* Fill FUNCTION in, which may be known already by a copy of it elsewhere. */
static void
describe(struct mp_symboliser *symboliser, const struct mp_known *known,
         struct mp_symbol_function *function)
{
    struct mp_texts *names = &symboliser->names;

    if (function->name == NULL) {
        function->name = mp_texts_add(names, known->name);
        function->full = known->full == NULL ? function->name : mp_texts_add(names, known->full);
        function->file = mp_texts_add(names, known->file);
    }
    if (known->alias != NULL)
        function->name = function->full = mp_texts_add(names, known->alias);
    if (known->start != 0 && (function->start == 0 || known->start < function->start))
        function->start = known->start;
}

uint32_t
mp_known_take(struct mp_symboliser *symboliser, struct mp_binary *binary, uint32_t index)
{
    struct mp_known *known = &binary->answers.knowns[index];
    struct mp_symbol_function *function;

    if (known->id != MP_NO_ID)
        return known->id;
    known->id = mp_symbols_function(symboliser, binary->module, known->key, &function);
    if (known->id != MP_NO_ID)
        describe(symboliser, known, function);
    return known->id;
}

void
mp_answer_take(struct mp_symboliser *symboliser, struct mp_binary *binary,
               const struct mp_answer *answer, uint32_t frame)
{
    const struct mp_place *places = &binary->answers.places[answer->first];
    uint32_t last = answer->count - 1, concrete = mp_known_take(symboliser, binary,
                                                                places[last].known);

    for (uint32_t i = 0; i <= last; i++) {
        struct mp_location location = { .line = places[i].line, .inlined = i < last };

        location.function = i == last ? concrete
                                      : mp_known_take(symboliser, binary, places[i].known);
        location.file = mp_texts_add_path(&symboliser->files, places[i].file);
        if (symboliser->types != NULL)
            mp_types_note(symboliser->types, binary, frame, i == 0, places[i].known);
        if (i == last || symboliser->options->inlines)
            mp_symbols_locate(symboliser, location);
    }
}
