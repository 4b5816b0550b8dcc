#include "mentions.h"

#include <dwarf.h>

#include "die.h"
#include "dwarf_units.h"
#include "module.h"

#define CHAIN_MAX 32            /* typedefs, pointers ... between a variable and a struct */

/* ------------------------------------------------------------------- of one function */

/* The types of one function, while they are read. */
struct mentions {
    struct mp_binary *binary;
    struct mp_map dies;         /* that were met */
    struct mp_known *known;
    uint32_t room;
};

static void
add_mention(struct mentions *mentions, Dwarf_Die *die)
{
    uint64_t size = mp_die_size(*die, MP_BIN_LARGE);
    bool declared = mp_die_is_aggregate(dwarf_tag(die)) && dwarf_bytesize(die) < 0;
    uint32_t before = mentions->dies.count;
    struct mp_known *known = mentions->known;
    const char *name;

    if ((size == 0 && !declared) ||
        mp_map_add_u64(&mentions->dies, (uintptr_t)die->addr) < before)
        return;
    name = mp_die_qualified_name(&mentions->binary->texts, die);
    if (name == NULL)
        return;
    known->mentions = mp_arena_grow(mentions->binary->arena, known->mentions, known->n_mentions,
                                    &mentions->room, sizeof *known->mentions);
    known->mentions[known->n_mentions++] = (struct mp_mention){ name, (uint32_t)size };
}

/* The types on the way from DIE to what it is made of or points to. */
static void
mention(struct mentions *mentions, Dwarf_Die die)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die whole;
        int tag;

        if (mp_die_reference(&die, DW_AT_signature, &whole))
            die = whole;        /* of a type unit */
        tag = dwarf_tag(&die);
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            add_mention(mentions, &die);
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
        mention(mentions, type);
    mp_die_walk_begin(&walk, &top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block || tag == DW_TAG_GNU_formal_parameter_pack;
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            mention(mentions, *die);
        else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
                  tag == DW_TAG_template_type_parameter) &&
                 mp_die_reference(die, DW_AT_type, &type))
            mention(mentions, type);
    }
}

void
mp_mentions_read(struct mp_binary *binary, struct mp_known *known)
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

/* Names of the namespaces and classes around a DIE, in the walk. */
struct scopes {
    const char *name[MP_DIE_DEPTH];     /* NULL: adds nothing */
};

static const char *
join_name(struct mp_binary *binary, const struct scopes *scopes, int depth, const char *name)
{
    const char *parts[MP_DIE_DEPTH + 1];
    size_t n = 0;

    for (int i = 1; i < depth; i++)
        if (scopes->name[i] != NULL)
            parts[n++] = scopes->name[i];
    parts[n] = name;
    return mp_texts_join(&binary->texts, parts, n + 1);
}

static void
visit_unit(struct mp_binary *binary, Dwarf_Die *unit)
{
    bool has_scopes = mp_die_has_scopes(unit), descend = true;
    struct mp_die_walk walk;
    struct scopes scopes = { { NULL } };

    mp_die_walk_begin(&walk, unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        bool aggregate = mp_die_is_aggregate(tag);
        uint64_t size;

        descend = tag == DW_TAG_namespace || tag == DW_TAG_module || (has_scopes && aggregate);
        if (descend)
            scopes.name[walk.depth] = mp_die_own_name(die);
        size = aggregate || tag == DW_TAG_typedef ? mp_die_size(*die, MP_BIN_LARGE) : 0;
        if (size > 0 && dwarf_diename(die) != NULL)
            mp_catalog_add(&binary->answers,
                           join_name(binary, &scopes, walk.depth, dwarf_diename(die)),
                           (uint32_t)size);
    }
}

const struct mp_catalog *
mp_catalog_of(struct mp_binary *binary)
{
    struct mp_catalog *catalog = &binary->answers.catalog;
    struct mp_trim trim = { 0 };
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    if (catalog->read)
        return catalog;
    catalog->read = true;
    if (!mp_binary_load(binary))
        return catalog;
    binary->answers.changed = true;
    if (binary->dwarf == NULL)
        return catalog;
    trim.dwarf = binary->dwarf;
    while (mp_die_next_unit(binary->dwarf, &cu, &kind, &top, &code)) {
        mp_trim_at(&trim, &code);
        visit_unit(binary, &top);
    }
    return catalog;
}
