/* SPDX-License-Identifier: MIT */
#include "infer_types.h"

#include <dwarf.h>
#include <string.h>

#include "die.h"
#include "reporter/base/text.h"

#define CHAIN_MAX    32         /* maximum number of typedefs, pointers and nested structures */
#define MEMBERS_MAX  4096       /* maximum number of members examined in a structure */
#define WORDS_MAX    512u       /* maximum number of words with names */
#define WORD         8u
#define SIZE_LIMIT   (UINT64_C(1) << 31)
#define PARTS_MAX    8192u      /* maximum number of parts of a structure, nested ones included, that are examined
                                   for names */
#define DEPTH_MAX    8
#define NAME_MAX_BYTES 256u     /* maximum bytes of a member's name */

static const Dwarf_Die none;

/* ------------------------------------------------------------------ pointers */

static bool
is_other_name(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* Returns TYPE without typedefs, const, volatile etc. The result is absent for void. */
static Dwarf_Die
plain_of(Dwarf_Die type)
{
    for (int i = 0; i < CHAIN_MAX && type.addr != NULL; i++) {
        Dwarf_Die whole;

        if (mp_die_reference(&type, DW_AT_signature, &whole))
            type = whole;
        if (!is_other_name(dwarf_tag(&type)))
            return type;
        if (!mp_die_reference(&type, DW_AT_type, &type))
            return none;
    }
    return none;
}

bool
mp_infer_target(Dwarf_Die type, Dwarf_Die *target)
{
    int tag;

    type = plain_of(type);
    tag = type.addr == NULL ? 0 : dwarf_tag(&type);
    if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
        return false;
    if (!mp_die_reference(&type, DW_AT_type, target))
        *target = none;
    return true;
}

/* ------------------------------------------------------------------- members */

/* Returns the number of elements of the dimension RANGE of an array, or -1 if it is not specified. */
static int64_t
count_in(Dwarf_Die *range)
{
    Dwarf_Attribute value;
    Dwarf_Word count;

    if (dwarf_formudata(dwarf_attr(range, DW_AT_count, &value), &count) == 0)
        return count < INT32_MAX ? (int64_t)count : INT32_MAX;
    if (dwarf_formudata(dwarf_attr(range, DW_AT_upper_bound, &value), &count) == 0)
        return count < INT32_MAX ? (int64_t)count + 1 : count == UINT64_MAX ? 0 : INT32_MAX;
    return -1;
}

/* Returns the number of elements of the array TYPE in all its dimensions, or -1 if it is not specified. *N is the
 * number of dimensions. */
static int64_t
count_of(Dwarf_Die *type, int *n)
{
    int64_t count = 1;
    Dwarf_Die range;
    bool more = mp_die_child(type, &range) == 0;

    for (*n = 0; more && *n < CHAIN_MAX && dwarf_tag(&range) == DW_TAG_subrange_type; ++*n) {
        const int64_t its = count_in(&range);

        count = its < 0 || count < 0 ? -1 : its * count < INT32_MAX ? its * count : INT32_MAX;
        more = mp_die_sibling(&range, &range) == 0;
    }
    return *n > 0 ? count : -1;
}

uint64_t
mp_infer_size(Dwarf_Die type)
{
    uint64_t elements = 1;

    for (int i = 0; i < CHAIN_MAX && elements > 0; i++) {
        Dwarf_Die plain = plain_of(type);
        int tag = plain.addr == NULL ? 0 : dwarf_tag(&plain), size, dimensions;
        int64_t count;

        if (tag == DW_TAG_array_type) {
            count = count_of(&plain, &dimensions);
            if (count <= 0 || (uint64_t)count > SIZE_LIMIT / elements || !mp_die_reference(&plain, DW_AT_type, &type))
                return 0;
            elements *= (uint64_t)count;
            continue;
        }
        size = tag == 0 ? -1 : dwarf_bytesize(&plain);
        if (size < 0 && tag == DW_TAG_pointer_type)
            size = (int)WORD;
        return size < 0 ? 0 : elements * (uint64_t)size;
    }
    return 0;
}

/* Sets *CHILD to the next member of TYPE after *CHILD, or to the first one if *CHILD is absent. Returns false at
 * the end. Skips static members and bit fields. */
static bool
next_member(Dwarf_Die *type, Dwarf_Die *child)
{
    const char *last = child->addr == NULL ? type->addr : child->addr;
    bool more = (child->addr == NULL ? mp_die_child(type, child) : mp_die_sibling(child, child)) == 0;

    while (more && (const char *)child->addr > last) {
        int tag = dwarf_tag(child);

        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && !dwarf_hasattr(child, DW_AT_external) &&
            !dwarf_hasattr(child, DW_AT_data_bit_offset) && !dwarf_hasattr(child, DW_AT_bit_size))
            return true;
        last = child->addr;
        more = mp_die_sibling(child, child) == 0;
    }
    return false;
}

/* Sets *PLACE to the offset of MEMBER. Returns false if it is not constant. */
static bool
place_of(Dwarf_Die *member, uint64_t *place)
{
    Dwarf_Attribute value;
    Dwarf_Word offset = 0;

    if (dwarf_attr(member, DW_AT_data_member_location, &value) != NULL && dwarf_formudata(&value, &offset) != 0)
        return false;
    *place = offset;
    return true;
}

/* Returns whether PLAIN is a structure without members, such as an empty base class. It may share its offset with
 * members of other types. */
static bool
is_empty(Dwarf_Die plain)
{
    Dwarf_Die member = none;

    return plain.addr != NULL && mp_die_is_aggregate(dwarf_tag(&plain)) && !next_member(&plain, &member);
}

/* Finds the member of the structure TYPE at *OFFSET. Sets *RESULT to its type and *OFFSET to the remaining offset
 * inside it. */
static bool
member_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *result)
{
    Dwarf_Die member = none;

    for (int i = 0; i < MEMBERS_MAX && next_member(type, &member); i++) {
        uint64_t place, size;
        Dwarf_Die its;

        if (!place_of(&member, &place) || place > *offset || !mp_die_reference(&member, DW_AT_type, &its))
            continue;
        size = mp_infer_size(its);
        *result = its;
        its = plain_of(its);
        if (size == 0 ? its.addr == NULL || dwarf_tag(&its) != DW_TAG_array_type : *offset - place >= size)
            continue;
        if (is_empty(its))
            continue;
        *offset -= place;
        return true;
    }
    return false;
}

bool
mp_infer_part(Dwarf_Die *type, uint64_t offset)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die plain = plain_of(*type);
        const int tag = plain.addr == NULL ? 0 : dwarf_tag(&plain);

        if (tag == DW_TAG_array_type) {
            uint64_t size;

            if (!mp_die_reference(&plain, DW_AT_type, type) || (size = mp_infer_size(*type)) == 0)
                return false;
            offset %= size;
        } else if (tag == DW_TAG_union_type) {
            return false;       /* it is unknown which member is meant */
        } else if (!mp_die_is_aggregate(tag)) {
            return offset == 0;
        } else if (!member_at(&plain, &offset, type)) {
            return false;
        }
    }
    return false;
}

bool
mp_infer_is_before_array(Dwarf_Die type, uint64_t offset)
{
    Dwarf_Die plain = plain_of(type), member = none;

    if (plain.addr == NULL || !mp_die_is_aggregate(dwarf_tag(&plain)))
        return false;
    for (int i = 0; i < MEMBERS_MAX && next_member(&plain, &member); i++) {
        uint64_t place;
        Dwarf_Die its, array;

        if (!place_of(&member, &place) || place <= offset || !mp_die_reference(&member, DW_AT_type, &its))
            continue;
        array = plain_of(its);
        if (array.addr != NULL && dwarf_tag(&array) == DW_TAG_array_type &&
            mp_die_reference(&array, DW_AT_type, &its) && place - offset <= mp_infer_size(its))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------- names */

/* Returns the DIE that names TYPE. That is its structure, or for an unnamed structure its last typedef. For other
 * types it is the first DIE with a name. */
static Dwarf_Die
named(Dwarf_Die type)
{
    Dwarf_Die name = none, plain = plain_of(type);

    const bool aggregate = plain.addr != NULL && mp_die_is_aggregate(dwarf_tag(&plain));

    if (aggregate && dwarf_diename(&plain) != NULL)
        return plain;
    for (int i = 0; i < CHAIN_MAX && type.addr != NULL; i++) {
        int tag = dwarf_tag(&type);

        if (dwarf_diename(&type) != NULL && (name.addr == NULL || (aggregate && is_other_name(tag))))
            name = type;
        if (!is_other_name(tag) || !mp_die_reference(&type, DW_AT_type, &type))
            break;
    }
    return name;
}

/* Returns the element type of an array, or TYPE itself. Arrays are described by their elements. */
static Dwarf_Die
element_of(Dwarf_Die type)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die plain = plain_of(type);

        if (plain.addr == NULL || dwarf_tag(&plain) != DW_TAG_array_type)
            return type;
        if (!mp_die_reference(&plain, DW_AT_type, &type))
            return none;
    }
    return none;
}

/* Returns a name such as "node" or "node **", or NULL if TYPE has no name. */
static const char *
name_of(struct mp_binary *binary, Dwarf_Die type, struct mp_arena *arena)
{
    Dwarf_Die die, target;
    unsigned stars = 0;
    const char *name;

    while (stars < 4 && mp_infer_target(type, &target)) {
        stars++;
        type = target;
    }
    if (type.addr == NULL || plain_of(type).addr == NULL) {
        name = "void";
    } else {
        die = plain_of(type);
        name = dwarf_tag(&die) == DW_TAG_subroutine_type ? "function" : NULL;
        die = named(type);
        if (die.addr != NULL)
            name = mp_die_qualified_name(&binary->texts, &die);
    }
    if (name == NULL)
        return NULL;
    return mp_arena_printf(arena, "%s%s%.*s", name, stars > 0 ? " " : "", (int)stars, "****");
}

bool
mp_infer_describes_block(Dwarf_Die target, bool *byte)
{
    Dwarf_Die type = element_of(target), plain = plain_of(type), pointed;
    int tag = plain.addr == NULL ? 0 : dwarf_tag(&plain);

    *byte = tag == DW_TAG_base_type && mp_infer_size(plain) == 1;
    if (tag == 0 || tag == DW_TAG_unspecified_type || tag == DW_TAG_subroutine_type)
        return false;
    return mp_infer_target(type, &pointed) || named(type).addr != NULL;
}

/* -------------------------------------------------------------------- shapes */

static bool
is_polymorphic(Dwarf_Die *type)
{
    Dwarf_Die member = none;

    if (dwarf_hasattr(type, DW_AT_containing_type))
        return true;
    for (int i = 0; i < MEMBERS_MAX && next_member(type, &member); i++) {
        const char *name = dwarf_diename(&member);

        if (name != NULL && strncmp(name, "_vptr", 5) == 0)
            return true;
    }
    return false;
}

/* Returns whether another structure of the unit begins with a member of TYPE. A larger block may then be such a
 * structure. Also true for a type unit, whose users are in other units. */
static bool
is_begin_of_another(Dwarf_Die *type)
{
    struct mp_die_walk walk;
    Dwarf_Die unit;
    bool descend = false;

    if (dwarf_diecu(type, &unit, NULL, NULL) == NULL || dwarf_tag(&unit) != DW_TAG_compile_unit)
        return true;
    mp_die_walk_begin(&walk, &unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        Dwarf_Die member = none, first;
        uint64_t place;

        descend = dwarf_tag(die) == DW_TAG_namespace;
        if (!mp_die_is_aggregate(dwarf_tag(die)) || !next_member(die, &member) || !place_of(&member, &place) ||
            place != 0 || !mp_die_reference(&member, DW_AT_type, &first))
            continue;
        first = plain_of(first);
        if (first.addr == type->addr)
            return true;
    }
    return false;
}

/* Returns the offset of the structure's last member if that is an array without a length or of one element, else 0.
 * A typedef of an array, such as jmp_buf, does not count. */
static uint64_t
trailing_of(Dwarf_Die *type)
{
    Dwarf_Die member = none, last = none, its;
    uint64_t place;
    int dimensions;

    for (int i = 0; i < MEMBERS_MAX && next_member(type, &member); i++)
        last = member;
    if (last.addr == NULL || !place_of(&last, &place) || !mp_die_reference(&last, DW_AT_type, &its))
        return 0;
    return dwarf_tag(&its) == DW_TAG_array_type && count_of(&its, &dimensions) <= 1 ? place : 0;
}

struct wording {
    struct mp_inferred *inferred;
    struct mp_arena *arena;
    uint32_t left;              /* remaining number of parts to examine */
};

/* Returns whether another part may be examined. The limit counts all parts, because a nested part can have as many
 * parts as the structure around it. */
static bool
take_part(struct wording *wording)
{
    if (wording->left == 0)
        return false;
    wording->left--;
    return true;
}

static void
name_word(struct wording *wording, uint64_t place, const char *name)
{
    const uint64_t word = place / WORD;

    if (place % WORD == 0 && word < wording->inferred->n_words && wording->inferred->words[word] == NULL)
        wording->inferred->words[word] = name;
}

static void name_members(struct wording *wording, Dwarf_Die type, uint64_t base, const char *prefix, int depth);

static void name_elements(struct wording *wording, Dwarf_Die type, uint64_t base, const char *name, int depth);

/* Names the words of TYPE, which is called NAME and located at BASE. */
static void
name_part(struct wording *wording, Dwarf_Die type, uint64_t base, const char *name, int depth)
{
    Dwarf_Die plain = plain_of(type);
    const int tag = plain.addr == NULL ? 0 : dwarf_tag(&plain);

    if (depth < DEPTH_MAX && mp_die_is_aggregate(tag))
        name_members(wording, plain, base, name, depth + 1);
    else if (depth < DEPTH_MAX && tag == DW_TAG_array_type)
        name_elements(wording, plain, base, name, depth + 1);
    else
        name_word(wording, base, name);
}

/* Names the elements of the array TYPE, which is called NAME and located at BASE. Arrays of several dimensions get
 * no names. */
static void
name_elements(struct wording *wording, Dwarf_Die type, uint64_t base, const char *name, int depth)
{
    int dimensions;
    const int64_t count = count_of(&type, &dimensions);
    const uint64_t end = (uint64_t)wording->inferred->n_words * WORD;
    Dwarf_Die element;
    uint64_t size;

    if (dimensions != 1 || !mp_die_reference(&type, DW_AT_type, &element) || (size = mp_infer_size(element)) < WORD)
        return;
    for (int64_t i = 0; i < count && base < end && take_part(wording); i++, base += size)
        name_part(wording, element, base, mp_arena_printf(wording->arena, "%s[%lld]", name, (long long)i), depth);
}

static void
name_members(struct wording *wording, Dwarf_Die type, uint64_t base, const char *prefix, int depth)
{
    const uint64_t end = (uint64_t)wording->inferred->n_words * WORD;
    Dwarf_Die member = none, its;
    uint64_t place;

    while (next_member(&type, &member) && take_part(wording)) {
        const char *own = dwarf_tag(&member) == DW_TAG_inheritance ? NULL : dwarf_diename(&member);

        if (!place_of(&member, &place) || !mp_die_reference(&member, DW_AT_type, &its) || place >= end ||
            base + place >= end)
            continue;
        own = own == NULL ? "" : mp_text_clean(wording->arena, own, strnlen(own, NAME_MAX_BYTES));
        if (*prefix)
            own = *own ? mp_arena_printf(wording->arena, "%s.%s", prefix, own) : prefix;
        name_part(wording, its, base + place, own, depth);
    }
}

bool
mp_infer_describe(struct mp_binary *binary, Dwarf_Die target, struct mp_arena *arena, struct mp_inferred *inferred)
{
    Dwarf_Die type = element_of(target), plain = plain_of(type);
    struct wording wording;

    *inferred = (struct mp_inferred){.name = name_of(binary, type, arena), .size = mp_infer_size(type)};
    if (inferred->name == NULL)
        return false;
    if (plain.addr == NULL || !mp_die_is_aggregate(dwarf_tag(&plain)))
        return true;
    inferred->derived = inferred->size <= WORD || is_polymorphic(&plain) || is_begin_of_another(&plain);
    inferred->trailing = trailing_of(&plain);
    inferred->n_words = (uint32_t)(inferred->size / WORD < WORDS_MAX ? inferred->size / WORD : WORDS_MAX);
    inferred->words = mp_arena_alloc(arena, (inferred->n_words + (size_t)1) * sizeof *inferred->words);
    wording = (struct wording){inferred, arena, PARTS_MAX};
    name_members(&wording, plain, 0, "", 0);
    for (uint32_t i = 0; i < inferred->n_words; i++)
        if (!inferred->words[i])
            inferred->words[i] = "";
    return true;
}
