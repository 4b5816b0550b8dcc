/* SPDX-License-Identifier: MIT */
/* Finds what most of the resident memory is, if it is not blocks: free memory of malloc, or what the program maps. */
#include <string.h>

#include "facts.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/graph/context_calls.h"

enum { BYTES, FREE_SHARE, MOST_SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {MP_LEAST_UNUSED, MP_IN_BYTES, "a part of at least %s is reported"},
    [FREE_SHARE] = {250, MP_IN_PERMILLE, "that is at least %s of the resident memory and certainly free inside malloc"},
    [MOST_SHARE] = {500, MP_IN_PERMILLE, "or at least %s of it and mapped by one library, or files"},
};

/* Programs and libraries with allocators of their own, which an environment variable replaces by malloc. */
static const struct {
    const char *owner, *remedy;
} remedies[] = {
    {"python", "PYTHONMALLOC=malloc makes the interpreter use malloc, so that mprof records each block."},
    {"libpython", "PYTHONMALLOC=malloc makes the interpreter use malloc, so that mprof records each block."},
    {"php", "USE_ZEND_ALLOC=0 makes the interpreter use malloc, so that mprof records each block."},
    {"libphp", "USE_ZEND_ALLOC=0 makes the interpreter use malloc, so that mprof records each block."},
};

static const char *
remedy_of(const char *owner)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (strncmp(owner, remedies[i].owner, strlen(remedies[i].owner)) == 0)
            return remedies[i].remedy;
    return "mprof report --table=mappings shows who asked for it.";
}

/* Adds a finding about PART of the resident memory, with the chain CALLS, which may be empty. */
static struct mp_finding *
add(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_calls *calls, uint64_t part, const char *table)
{
    const uint64_t whole = facts->view->account->resident;
    struct mp_finding *finding = mp_facts_find_calls(facts, rule, calls);

    finding->permille = finding->rank = (uint32_t)((long double)part * 1000 / whole);
    mp_finding_figure(finding, "resident", MP_IN_BYTES, whole);
    mp_finding_figure(finding, "part", MP_IN_BYTES, part);
    mp_facts_command_of_all(facts, finding, table);
    return finding;
}

static void
find_free(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_resident *account = facts->view->account;
    const uint64_t unused = account->surely_free;
    const struct mp_calls none = {.profile = facts->view, .whole = true};

    if (!mp_rule_has(rule, BYTES, unused) || !mp_rule_share(rule, FREE_SHARE, unused, account->resident))
        return;
    MP_FINDING_TEXT(facts, add(facts, rule, &none, unused, "--table=resident"),
                    "At least %s of the %s of resident memory (%s) are free memory inside malloc, which has not "
                    "returned it to the system. malloc_trim(0) returns the whole pages in it; if threads allocate, "
                    "MALLOC_ARENA_MAX=1 lets them share it.", mp_facts_bytes(facts, unused),
                    mp_facts_bytes(facts, account->resident), mp_facts_share(facts, unused, account->resident));
}

/* Returns the bytes that OWNER has mapped, and the largest of its mappings in *LARGEST. */
static uint64_t
mapped_by(const struct mp_profile *view, const char *owner, uint32_t *largest)
{
    const struct mp_resident *account = view->account;
    uint64_t sum = 0, most = 0;

    for (uint32_t i = 0; i < account->n; i++) {
        const struct mp_resident_item *item = &account->items[i];

        if (item->part != MP_PART_MAPPED || item->mapping == 0 ||
            strcmp(mp_mapping_owner(view, item->mapping - 1), owner) != 0)
            continue;
        sum += item->bytes;
        if (item->bytes > most) {
            most = item->bytes;
            *largest = item->mapping - 1;
        }
    }
    return sum;
}

static void
find_mapped(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_profile *view = facts->view;
    const struct mp_resident *account = view->account;

    for (uint32_t i = 0; i < account->n; i++) {
        uint32_t largest = 0;
        const char *owner;
        struct mp_calls calls;
        uint64_t sum;

        if (account->items[i].part != MP_PART_MAPPED || account->items[i].mapping == 0)
            continue;
        owner = mp_mapping_owner(view, account->items[i].mapping - 1);
        sum = mapped_by(view, owner, &largest);
        if (!mp_rule_has(rule, BYTES, sum) || !mp_rule_share(rule, MOST_SHARE, sum, account->resident))
            continue;
        calls = mp_context_calls(view->mappings->of, view->mappings->list[largest].context, facts->findings->arena);
        MP_FINDING_TEXT(facts, add(facts, rule, &calls, sum, "--table=mappings"),
                        "Most of the resident memory is mapped by %s and does not come from malloc: %s of %s (%s). %s",
                        owner, mp_facts_bytes(facts, sum), mp_facts_bytes(facts, account->resident),
                        mp_facts_share(facts, sum, account->resident), remedy_of(owner));
        return;
    }
}

static void
find_files(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_resident *account = facts->view->account;
    const uint64_t sum = mp_resident_sum(account, MP_PART_FILES);
    const struct mp_calls none = {.profile = facts->view, .whole = true};

    for (uint32_t i = 0; i < account->n; i++) {
        const struct mp_resident_item *item = &account->items[i];

        if (item->part != MP_PART_FILES || !item->name)
            continue;
        if (!mp_rule_has(rule, BYTES, sum) || !mp_rule_share(rule, MOST_SHARE, sum, account->resident))
            return;
        MP_FINDING_TEXT(facts, add(facts, rule, &none, sum, "--table=resident"),
                        "Most of the resident memory is that of mapped files and libraries, not of malloc: %s of %s "
                        "(%s), of which %s are %s.", mp_facts_bytes(facts, sum),
                        mp_facts_bytes(facts, account->resident), mp_facts_share(facts, sum, account->resident),
                        mp_facts_bytes(facts, item->bytes), mp_text_basename(item->name));
        return;                         /* items are sorted by size, so this is the largest file */
    }
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    if (!facts->view->account)
        return;
    find_free(facts, rule);
    find_mapped(facts, rule);
    find_files(facts, rule);
}

const struct mp_rule mp_rule_resident = {
    .key = "resident", .title = "Resident memory", .family = MP_RULES_FAULTS, .of = MP_OF_ALL,
    .about = "When the process had most memory that mprof run has seen, much of it was free inside glibc's malloc, or "
             "most of it was mapped by one library or program beside malloc, or was files and libraries.  What is free "
             "is at least what malloc's heap had beyond all live blocks and their headers.",
    MP_RULE_LIMITS(limits), .find = find,
};
