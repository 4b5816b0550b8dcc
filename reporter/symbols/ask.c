#include "ask.h"

#include <stdlib.h>

#include "dwarf_answer.h"
#include "dwarf_units.h"
#include "elf_symbols.h"
#include "fde.h"

/* Adds an answer for ADDRESS from the file of BINARY, which is loaded. */
static struct mp_answer *
ask(struct mp_binary *binary, uint64_t address)
{
    struct mp_answer *answer = mp_answer_add(&binary->answers, address);

    binary->answers.changed = true;
    if (mp_dwarf_answer(binary, address)) {
        answer->count = binary->answers.n_places - answer->first;
        return answer;
    }
    if (binary->fdes == NULL)
        binary->fdes = mp_fdes_open(binary->elf, &binary->code, binary->arena);
    answer->start = mp_fdes_find(binary->fdes, address);
    answer->count = mp_elf_answer(binary, address, answer->start);
    mp_dwarf_line(binary, address, &answer->file, &answer->line);
    return answer;
}

/* Returns whether the types that the functions of ANSWER mention were read, or can be read. */
static bool
has_mentions(const struct mp_answers *answers, const struct mp_answer *answer)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct mp_known_function *known = &answers->knowns[answers->places[answer->first + i].known];

        if (!known->mentions_read && known->die.addr == NULL)
            return false;
    }
    return true;
}

/* Returns the answer for ADDRESS, or NULL. Sets *WHOLE to whether there is an answer and, if MENTIONS, its types
 * are available. */
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
        questions[i].unit = mp_unit_number(binary, questions[i].address);
    qsort(questions, left, sizeof *questions, compare_questions);
    for (uint32_t i = 0; i < left; i++)
        mp_answer_of(binary, questions[i].address, questions[i].mentions);
}
