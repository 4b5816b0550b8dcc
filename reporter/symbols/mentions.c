#include "mentions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "dwarf_units.h"

#define CHAIN_MAX 32            /* maximum number of typedefs, pointers etc. between a variable and a struct */

/* ------------------------------------------------------------ mentions of a function */

/* The types of one function while they are read. */
struct mentions {
    struct mp_binary *binary;
    struct mp_map dies;         /* DIEs met so far */
    struct mp_known_function *known;
    uint32_t room;
};

/* Adds the type DIE. A scalar is only added if it is POINTED to. */
static void
add_mention(struct mentions *mentions, Dwarf_Die *die, bool pointed)
{
    bool scalar;
    uint64_t size = mp_die_size(*die, MP_BIN_LARGE, &scalar);
    bool declared = mp_die_is_aggregate(dwarf_tag(die)) && dwarf_bytesize(die) < 0;
    uint32_t before = mentions->dies.count;
    struct mp_known_function *known = mentions->known;
    const char *name;

    if ((size == 0 && !declared) || (size > 0 && scalar && !pointed) ||
        mp_map_add_u64(&mentions->dies, (uintptr_t)die->addr) < before)
        return;
    name = mp_die_qualified_name(&mentions->binary->texts, die);
    if (name == NULL)
        return;
    known->mentions = mp_arena_grow(mentions->binary->arena, known->mentions, known->n_mentions,
                                    &mentions->room, sizeof *known->mentions);
    known->mentions[known->n_mentions++] = (struct mp_mention){ name, (uint32_t)size };
    if (size == 0)
        mp_catalog_ask(&mentions->binary->answers, name);
}

/* Adds the types on the path from DIE to the type of which it consists or to which it points. POINTED means that DIE
 * counts as the target of a pointer. */
static void
mention(struct mentions *mentions, Dwarf_Die die, bool pointed)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die whole;
        int tag;

        if (mp_die_reference(&die, DW_AT_signature, &whole))
            die = whole;        /* defined in a type unit */
        tag = dwarf_tag(&die);
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            add_mention(mentions, &die, pointed);
        pointed = tag == DW_TAG_pointer_type ||
                  (pointed && tag != DW_TAG_typedef && tag != DW_TAG_subroutine_type);
        if (mp_die_is_aggregate(tag) || !mp_die_reference(&die, DW_AT_type, &die))
            return;
    }
}

static void
read_mentions(struct mentions *mentions)
{
    Dwarf_Die top = mentions->known->die, type;
    struct mp_die_walk walk;
    bool descend = true;

    if (mp_die_reference(&top, DW_AT_type, &type))
        mention(mentions, type, false);
    mp_die_walk_begin(&walk, &top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block || tag == DW_TAG_GNU_formal_parameter_pack;
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            mention(mentions, *die, true);
        else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
                  tag == DW_TAG_template_type_parameter) &&
                 mp_die_reference(die, DW_AT_type, &type))
            mention(mentions, type, false);
    }
}

void
mp_mentions_read(struct mp_binary *binary, struct mp_known_function *known)
{
    struct mp_arena *scratch;
    struct mentions mentions = { .binary = binary, .known = known };

    if (known->mentions_read || known->die.addr == NULL)
        return;
    mp_units_trim(binary, &known->die);
    scratch = mp_arena_new();
    mentions.dies.arena = scratch;
    read_mentions(&mentions);
    known->mentions_read = true;
    binary->answers.changed = true;
    mp_arena_free(scratch);
}

/* ------------------------------------------------------------------------- the catalog */

/* The names of the namespaces and classes around a DIE in the walk. */
struct scopes {
    const char *name[MP_DIE_DEPTH];     /* NULL = no part of the name */
};

/* The first types of one size. */
struct first {
    const char *name[MP_CATALOG_FIRST];
    uint32_t n;
};

/* A walk of a binary's debug information. */
struct walk {
    struct mp_binary *binary;
    struct first *first;        /* indexed by size */
    uint64_t most;              /* limit for the bytes of names; beyond it only types asked for are added */
    bool cut;                   /* other types were left out */
};

/* Inserts NAME into the list of the first types of SIZE, if it belongs there. */
static void
add_first(struct walk *walk, const char *name, uint32_t size)
{
    struct first *first = &walk->first[size];
    uint32_t i = first->n;

    for (uint32_t k = 0; k < first->n; k++)
        if (strcmp(first->name[k], name) == 0)
            return;
    if (i == MP_CATALOG_FIRST && !mp_catalog_before(name, first->name[--i]))
        return;
    for (; i > 0 && mp_catalog_before(name, first->name[i - 1]); i--)
        first->name[i] = first->name[i - 1];
    first->name[i] = mp_texts_add(&walk->binary->texts, name);
    first->n += first->n < MP_CATALOG_FIRST;
}

/* Adds the type OWN of SIZE inside SCOPES. */
static void
add_type(struct walk *walk, const struct scopes *scopes, int depth, const char *own, uint32_t size)
{
    struct mp_answers *answers = &walk->binary->answers;
    const char *parts[MP_DIE_DEPTH + 1];
    char name[MP_TEXT_MAX + 1];
    size_t n = 0;

    for (int i = 1; i < depth; i++)
        if (scopes->name[i] != NULL)
            parts[n++] = scopes->name[i];
    parts[n++] = own;
    mp_texts_join_into(name, parts, n);
    if (answers->catalog.bytes < walk->most ||
        mp_map_find(&answers->catalog.names, name, strlen(name)) != MP_NO_ID) {
        mp_catalog_add(answers, mp_texts_add(&walk->binary->texts, name), size);
        return;
    }
    walk->cut |= !mp_catalog_has(&answers->catalog, name, size);
    if (walk->first != NULL)
        add_first(walk, name, size);
}

static void
visit_unit(struct walk *walk, Dwarf_Die *unit)
{
    bool has_scopes = mp_die_has_scopes(unit), descend = true;
    struct mp_die_walk dies;
    struct scopes scopes = { { NULL } };

    mp_die_walk_begin(&dies, unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&dies, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        bool aggregate = mp_die_is_aggregate(tag), scalar = false;
        uint64_t size;

        descend = tag == DW_TAG_namespace || tag == DW_TAG_module || (has_scopes && aggregate);
        if (descend)
            scopes.name[dies.depth] = mp_die_own_name(die);
        size = aggregate || tag == DW_TAG_typedef ? mp_die_size(*die, MP_BIN_LARGE, &scalar) : 0;
        if (size > 0 && !scalar && dwarf_diename(die) != NULL)
            add_type(walk, &scopes, dies.depth, dwarf_diename(die), (uint32_t)size);
    }
}

static void
visit_all(struct walk *walk)
{
    struct mp_trim trim = { .dwarf = walk->binary->dwarf };
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    while (mp_die_next_unit(walk->binary->dwarf, &cu, &kind, &top, &code)) {
        mp_trim_at(&trim, &code);
        visit_unit(walk, &top);
    }
    for (uint32_t size = 0; walk->first != NULL && size < MP_BIN_LARGE; size++)
        for (uint32_t i = 0; i < walk->first[size].n; i++)
            mp_catalog_add(&walk->binary->answers, walk->first[size].name[i], size);
}

/* Makes the catalog complete on a second call if the bounded catalog of the first call does not suffice. Otherwise
 * the many profiles of one run would walk the file again and again. */
const struct mp_catalog *
mp_catalog_of(struct mp_binary *binary)
{
    struct mp_catalog *catalog = &binary->answers.catalog;
    struct walk walk = { .binary = binary,
                         .most = catalog->walked ? UINT64_MAX : MP_CATALOG_MOST };

    if (catalog->whole || (catalog->n_known == catalog->names.count &&
                           (catalog->has_first || !binary->program)))
        return catalog;
    if (mp_binary_load(binary)) {
        binary->answers.changed = true;
        if (binary->program)
            walk.first = mp_need(calloc(MP_BIN_LARGE, sizeof *walk.first));
        if (binary->dwarf != NULL)
            visit_all(&walk);
        free(walk.first);
    }
    catalog->walked = true;
    catalog->whole = !walk.cut;
    catalog->has_first |= binary->program;
    catalog->n_known = catalog->names.count;
    return catalog;
}
