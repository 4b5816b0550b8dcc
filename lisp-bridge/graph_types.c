/* SPDX-License-Identifier: MIT */
#include "graph_state.h"

#include <stdio.h>
#include <string.h>

#include "functions.h"
#include "kinds.h"
#include "print_object.h"
#include "runtime/compiler.h"
#include "runtime/language/name.h"
#include "runtime/system/gate.h"

#define MAX_SLOTS 256u

/* Bit masks of words with references, and the index of a member's word. */
#define ALL_WORDS (~0u)
#define W(n) (1u << (n))
#define WORD_OF(type, member) (offsetof(type, member) / sizeof(cl_object))
#define WORD(type, member) WORD_OF(struct ecl_##type, member)
#define NEXT_ENTRY W(WORD_OF(struct mp_gc_entry, next))

/* ------------------------------------------------------------------ readable memory */

bool
mp_graph_is_readable(struct mp_object_graph *g, uintptr_t address, size_t size)
{
    const struct mp_graph_mapping *mapping;
    struct mp_graph_block block;

    if (mp_graph_find(&g->heap, address, &block))
        return address + size <= block.base + block.size;
    mapping = mp_graph_mapping(g, address);
    return mapping && mapping->readable && size <= mapping->end - address;
}

static uint32_t sizes[t_end];   /* sizes of objects; 0 if the type has no objects or libecl does not know the size */

void
mp_graph_types_open(void)
{
    struct mp_kind_name name;

    for (unsigned t = t_bignum; t < t_end; t++) {
        name = (struct mp_kind_name){ "", 0, 'o' };
        mp_lisp_describe_kind(MP_LISP_KIND(t), &name);
        if (name.name[0])
            sizes[t] = (uint32_t)mp_ecl.object_size((cl_type)t);
    }
    sizes[t_cfunfixed] = (uint32_t)mp_ecl.object_size(t_cfunfixed);     /* has the kind of t_cfun and is not in the
                                                                         * loop above */
}

bool
mp_graph_is(struct mp_object_graph *g, cl_object o, cl_type type)
{
    return o && !ECL_IMMEDIATE(o) && mp_graph_is_readable(g, (uintptr_t)o, sizes[type] ? sizes[type] : 8) &&
           o->d.t == (int)type;
}

static bool
is_cons(struct mp_object_graph *g, cl_object o)
{
    return o && ECL_CONSP(o) && mp_graph_is_readable(g, (uintptr_t)o - t_list, sizeof(struct ecl_cons));
}

bool
mp_graph_is_string(struct mp_object_graph *g, cl_object o)
{
    return mp_graph_is(g, o, t_base_string) || mp_graph_is(g, o, t_string);
}

bool
mp_graph_is_symbol(struct mp_object_graph *g, cl_object o)
{
    return mp_graph_is(g, o, t_symbol) && mp_graph_is_string(g, MP_MEMBER(o, symbol_name));
}

/* ------------------------------------------------------------------ definitions */

uint32_t
mp_graph_text(struct mp_object_graph *g, const char *name)
{
    uint32_t *text = mp_graph_key(g, MP_GRAPH_KEY_TEXT, (uintptr_t)name);

    if (text && !*text)
        *text = mp_stream_text(g->stream, name, strlen(name));
    return text ? *text : mp_stream_text(g->stream, name, strlen(name));
}

struct definition {
    enum mp_heap_shape shape;
    const char *name;
    uint32_t n_slots;
    const uint32_t *slots;      /* texts */
    struct mp_graph_type known;
};

static uint16_t
define(struct mp_object_graph *g, const struct definition *d)
{
    uint32_t name, number;

    if (g->n_types == MP_GRAPH_TYPES - 1)
        return 0;
    name = mp_stream_text(g->stream, d->name, strlen(d->name));
    number = mp_stream_type(g->stream, d->shape, name, d->n_slots, d->slots);
    g->n_types = number;
    g->types[number] = d->known;
    return (uint16_t)number;
}

uint16_t
mp_graph_fixed_type(struct mp_object_graph *g, enum mp_graph_fixed fixed)
{
    static const struct definition fixed_types[] = {
        [MP_GRAPH_CONS] = { MP_SHAPE_CONS, "CONS", 0, NULL, { .words = ALL_WORDS, .tag = t_list } },
        [MP_GRAPH_WITH_POINTERS] = { MP_SHAPE_BLOCK, "block with pointers", 0, NULL, { .words = ALL_WORDS } },
        [MP_GRAPH_WITHOUT] = { MP_SHAPE_LEAF, "block without pointers", 0, NULL, { .words = 0 } },
        [MP_GRAPH_FIXED_UNCOLLECTABLE] = { MP_SHAPE_BLOCK, "uncollectable block", 0, NULL,
                                           { .words = ALL_WORDS } },
        [MP_GRAPH_VALUES] = { MP_SHAPE_OTHER, "values of a thread's variables", 0, NULL, { .words = 0 } },
        [MP_GRAPH_LIBGC_TABLE] = { MP_SHAPE_OTHER, "table of libgc", 0, NULL, { .words = ALL_WORDS } },
        [MP_GRAPH_LIBGC_FINALIZER] = { MP_SHAPE_OTHER, "finalizer in libgc", 0, NULL, { .words = NEXT_ENTRY } },
        [MP_GRAPH_LIBGC_LINK] = { MP_SHAPE_OTHER, "weak link in libgc", 0, NULL, { .words = NEXT_ENTRY } },
    };
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_FIXED, fixed);

    if (type && !*type)
        *type = define(g, &fixed_types[fixed]);
    return type ? (uint16_t)*type : 0;
}

/* ------------------------------------------------------------------ ECL's own types */

#define NAMED(type, member, name) { WORD(type, member), name }
#define MAX_WORDS 10u           /* maximum number of words with references in an object */
#define MAX_SLOT_WORDS 16u      /* maximum number of words with names in an object */

/* Words with references according to ECL's alloc_2.d, for types in objects.h. In other types all words except the
 * header may be references. A word's name is shown in reports and may be NULL. */
struct layout_word {
    size_t word;                /* 0 marks the end */
    const char *name;
};
static const struct layout_word layouts[t_end][MAX_WORDS] = {
    [t_ratio] = { NAMED(ratio, den, "denominator"), NAMED(ratio, num, "numerator") },
    [t_complex] = { NAMED(complex, real, "real part"), NAMED(complex, imag, "imaginary part") },
    [t_package] = { NAMED(package, name, "name"), NAMED(package, nicknames, "nicknames"),
                    NAMED(package, local_nicknames, "local nicknames"), NAMED(package, nicknamedby, "nicknamed by"),
                    NAMED(package, shadowings, "shadowings"), NAMED(package, uses, "uses"),
                    NAMED(package, usedby, "used by"), NAMED(package, internal, "internal symbols"),
                    NAMED(package, external, "external symbols") },
    [t_hashtable] = { NAMED(hashtable, data, "entries"), NAMED(hashtable, sync_lock, "lock"),
                      NAMED(hashtable, generic_test, "test"), NAMED(hashtable, generic_hash, "hash function"),
                      NAMED(hashtable, rehash_size, NULL), NAMED(hashtable, threshold, NULL) },
    [t_array] = { NAMED(array, displaced, "displaced"), NAMED(array, dims, "dimensions"), NAMED(array, self, "data") },
    [t_vector] = { NAMED(vector, displaced, "displaced"), NAMED(vector, self, "data") },
    [t_string] = { NAMED(string, displaced, "displaced"), NAMED(string, self, "data") },
    [t_base_string] = { NAMED(base_string, displaced, "displaced"), NAMED(base_string, self, "data") },
    [t_bitvector] = { NAMED(vector, displaced, "displaced"), NAMED(vector, self, "data") },
    [t_pathname] = { NAMED(pathname, host, "host"), NAMED(pathname, device, "device"),
                     NAMED(pathname, directory, "directory"), NAMED(pathname, name, "name"),
                     NAMED(pathname, type, "type"), NAMED(pathname, version, "version") },
    [t_bclosure] = { NAMED(bclosure, code, "function"), NAMED(bclosure, lex, "environment") },
    [t_cfun] = { NAMED(cfun, name, "name"), NAMED(cfun, block, "code"), NAMED(cfun, file, "file"),
                 NAMED(cfun, file_position, "position") },
    [t_cfunfixed] = { NAMED(cfunfixed, name, "name"), NAMED(cfunfixed, block, "code"), NAMED(cfunfixed, file, "file"),
                      NAMED(cfunfixed, file_position, "position") },
    [t_cclosure] = { NAMED(cclosure, env, "environment"), NAMED(cclosure, block, "code"),
                     NAMED(cclosure, file, "file"), NAMED(cclosure, file_position, "position") },
    [t_codeblock] = { NAMED(codeblock, data, "constants"), NAMED(codeblock, temp_data, "temporary constants"),
                      NAMED(codeblock, next, "next"), NAMED(codeblock, name, "name"), NAMED(codeblock, links, NULL),
                      NAMED(codeblock, source, NULL), NAMED(codeblock, refs, NULL), NAMED(codeblock, error, NULL) },
    [t_instance] = { NAMED(instance, clas, "class"), NAMED(instance, slotds, "slot definitions"),
                     NAMED(instance, slots, "slots") },
    [t_weak_pointer] = { NAMED(weak_pointer, value, "value") },
};

/* Returns the words of type T. Types whose layout differs between builds are built in ROOM. */
static const struct layout_word *
layout_of(unsigned t, struct layout_word room[MAX_WORDS])
{
#define AT(member, name) { mp_ecl.at.member / sizeof(cl_object), name }
    const struct layout_word symbol[MAX_WORDS] = {
        NAMED(symbol, value, "value"), NAMED(symbol, gfdef, "function"), AT(symbol_plist, "plist"),
        AT(symbol_name, "name"), AT(symbol_cname, "C name"), AT(symbol_hpack, "package"),
        AT(symbol_setf, "setf function"), AT(symbol_macfun, "macro function"),
    };
    const struct layout_word bytecodes[MAX_WORDS] = {
        NAMED(bytecodes, name, "name"), NAMED(bytecodes, definition, "definition"), NAMED(bytecodes, code, "code"),
        NAMED(bytecodes, data, "constants"), AT(bytecodes_file, "file"), AT(bytecodes_file_position, "position"),
        AT(bytecodes_flex, "captured"),
    };
#undef AT

    if (t != t_symbol && t != t_bytecodes)
        return layouts[t];
    memcpy(room, t == t_symbol ? symbol : bytecodes, sizeof symbol);
    return room;
}

#define IS_ARRAY(t) ((t) >= t_array && (t) <= t_bitvector)
#define IS_LEAF(t) ((t) == t_bignum || ((t) >= t_singlefloat && (t) <= t_longfloat) || \
                    ((t) >= t_csfloat && (t) <= t_clfloat))

static const char *
tag_name(unsigned t)
{
    struct mp_kind_name name = { "FUNCTION", 0, 'o' };  /* also used for t_cfunfixed */

    mp_lisp_describe_kind(MP_LISP_KIND(t), &name);
    return name.name;
}

/* Defines a type called NAME for objects with tag T. DATA is the type of the block to which word DATA_WORD refers. */
static uint16_t
define_tagged(struct mp_object_graph *g, unsigned t, enum mp_heap_shape shape, const char *name, uint16_t data,
              unsigned data_word)
{
    struct layout_word room[MAX_WORDS];
    const struct layout_word *layout = layout_of(t, room);
    uint32_t slots[MAX_SLOT_WORDS] = { 0 }, n = 0;
    struct definition d = { shape, name, 0, slots,
                            { 0, data, (uint8_t)data_word, (uint8_t)t, t == t_weak_pointer } };

    for (unsigned i = 0; i < MAX_WORDS && layout[i].word; i++) {
        const uint32_t word = (uint32_t)layout[i].word;

        d.known.words |= W(word);
        if (layout[i].name && word < MAX_SLOT_WORDS) {
            slots[word] = mp_graph_text(g, layout[i].name);
            n = n > word ? n : word + 1;
        }
    }
    d.n_slots = n;
    if (!d.known.words && !IS_LEAF(t))
        d.known.words = ALL_WORDS & ~1u;
    return define(g, &d);
}

/* Like define_tagged(), but also defines DATA as a part of the objects. */
static uint16_t
define_whole(struct mp_object_graph *g, unsigned t, enum mp_heap_shape shape, const char *name, uint16_t data,
             unsigned data_word)
{
    const uint16_t type = define_tagged(g, t, shape, name, data, data_word);

    if (type && data)
        mp_stream_part(g->stream, data, type);
    return type;
}

static uint16_t
define_data(struct mp_object_graph *g, enum mp_heap_shape shape, const char *owner, const char *what, uint32_t n_slots,
            const uint32_t *slots)
{
    char room[600];
    struct mp_text text = mp_text_begin(room, sizeof room);

    mp_text_put(&text, owner);
    mp_text_put(&text, what);
    return define(g, &(struct definition){ shape, room, n_slots, slots,
                                           { .words = shape == MP_SHAPE_LEAF ? 0 : ALL_WORDS } });
}

static uint16_t
plain_type(struct mp_object_graph *g, unsigned t)
{
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_TAG, t);
    uint16_t data = 0;

    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    if (t == t_bytecodes)
        data = define_data(g, MP_SHAPE_LEAF, tag_name(t), " code", 0, NULL);
    *type = define_whole(g, t, IS_LEAF(t) ? MP_SHAPE_LEAF : MP_SHAPE_OTHER, tag_name(t), data,
                         WORD(bytecodes, code));
    return (uint16_t)*type;
}

uint16_t
mp_graph_data_type(struct mp_object_graph *g, unsigned tag, bool pointers)
{
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_TAG, 1024 + 2 * tag + pointers);

    if (tag < t_bignum || !type)
        return mp_graph_fixed_type(g, pointers ? MP_GRAPH_WITH_POINTERS : MP_GRAPH_WITHOUT);
    if (!*type)
        *type = define_data(g, pointers ? MP_SHAPE_BLOCK : MP_SHAPE_LEAF, tag_name(tag), " data", 0, NULL);
    return (uint16_t)*type;
}

/* ------------------------------------------------------------------ arrays, tables */

static const char *const elements[] = {
    [ecl_aet_object] = "T", [ecl_aet_sf] = "SINGLE-FLOAT", [ecl_aet_df] = "DOUBLE-FLOAT",
    [ecl_aet_lf] = "LONG-FLOAT", [ecl_aet_csf] = "(COMPLEX SINGLE-FLOAT)",
    [ecl_aet_cdf] = "(COMPLEX DOUBLE-FLOAT)", [ecl_aet_clf] = "(COMPLEX LONG-FLOAT)", [ecl_aet_bit] = "BIT",
    [ecl_aet_fix] = "FIXNUM", [ecl_aet_index] = "EXT:CL-INDEX", [ecl_aet_b8] = "(UNSIGNED-BYTE 8)",
    [ecl_aet_i8] = "(SIGNED-BYTE 8)", [ecl_aet_b16] = "(UNSIGNED-BYTE 16)", [ecl_aet_i16] = "(SIGNED-BYTE 16)",
    [ecl_aet_b32] = "(UNSIGNED-BYTE 32)", [ecl_aet_i32] = "(SIGNED-BYTE 32)", [ecl_aet_b64] = "(UNSIGNED-BYTE 64)",
    [ecl_aet_i64] = "(SIGNED-BYTE 64)", [ecl_aet_ch] = "CHARACTER", [ecl_aet_bc] = "BASE-CHAR",
};
#define N_ELEMENTS (sizeof elements / sizeof *elements)

/* Returns the type for data of arrays with tag T, whose elements are of type ELEMENT. NAME is the array type's name.
 * Displaced and other arrays share the type. */
static uint16_t
array_data(struct mp_object_graph *g, unsigned t, unsigned element, const char *name)
{
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_ARRAY, (uint64_t)t << 16 | 1u << 15 | element);

    if (type && !*type)
        *type = define_data(g, element == ecl_aet_object ? MP_SHAPE_VECTOR : MP_SHAPE_LEAF, name, " data", 0, NULL);
    return type ? (uint16_t)*type : 0;
}

static uint16_t
array_type(struct mp_object_graph *g, const struct mp_graph_block *block)
{
    const cl_object o = (cl_object)block->base;
    const bool compact = !mp_graph_has_pointers(block);
    const unsigned t = (unsigned)o->d.t, element = (uint8_t)o->vector.elttype;
    const bool displaced = is_cons(g, o->vector.displaced) && ECL_CONS_CAR(o->vector.displaced) != ECL_NIL;
    uint32_t *type;
    uint16_t data;
    char name[80];

    if (element >= N_ELEMENTS)
        return plain_type(g, t);
    type = mp_graph_key(g, MP_GRAPH_KEY_ARRAY, (uint64_t)t << 16 | element << 2 | (uint64_t)compact << 1 | displaced);
    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    if (t == t_array || t == t_vector)
        snprintf(name, sizeof name, "(%s %s)", tag_name(t), elements[element]);
    else
        snprintf(name, sizeof name, "%s", tag_name(t));
    data = compact ? 0 : array_data(g, t, element, name);
    if (displaced)
        strcat(name, ", displaced");
    *type = (displaced ? define_tagged : define_whole)(g, t, compact ? MP_SHAPE_LEAF : MP_SHAPE_VECTOR_HEAD, name, data,
                                                       WORD(vector, self));
    return (uint16_t)*type;
}

static uint16_t
table_type(struct mp_object_graph *g, cl_object o)
{
    static const char *const tests[] = {
        [ecl_htt_eq] = "EQ", [ecl_htt_eql] = "EQL", [ecl_htt_equal] = "EQUAL", [ecl_htt_equalp] = "EQUALP",
        [ecl_htt_pack] = "of a package", [ecl_htt_generic] = "of its own test",
    };
    static const char *const weak[] = {
        [ecl_htt_not_weak] = "", [ecl_htt_weak_key] = ", weak by key", [ecl_htt_weak_value] = ", weak by value",
        [ecl_htt_weak_key_and_value] = ", weak by key and value",
        [ecl_htt_weak_key_or_value] = ", weak by key or value",
    };
    static const char *const fill[] = { ", under a quarter full", ", a quarter full", ", half full",
                                        ", three quarters full" };
    const unsigned test = (uint8_t)o->hash.test, how = (uint8_t)o->hash.weak;
    const cl_index size = o->hash.size, n = o->hash.entries;
    const unsigned quarter = size && n < size ? (unsigned)(4 * n / size) : 3;
    uint32_t *type;
    uint16_t data;
    char name[120];

    if (test >= sizeof tests / sizeof *tests || how >= sizeof weak / sizeof *weak)
        return plain_type(g, t_hashtable);
    type = mp_graph_key(g, MP_GRAPH_KEY_TABLE, test << 8 | how << 4 | quarter);
    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    snprintf(name, sizeof name, "HASH-TABLE %s%s%s", tests[test], weak[how], fill[quarter]);
    data = define_data(g, MP_SHAPE_ENTRIES, name, ": entries", 0, NULL);
    g->types[data].keys = data && test != ecl_htt_pack;        /* the keys of a package are hash codes */
    *type = define_whole(g, t_hashtable, MP_SHAPE_HASH_TABLE, name, data, WORD(hashtable, data));
    return (uint16_t)*type;
}

/* ------------------------------------------------------------------ instances */

static bool
has_slots(struct mp_object_graph *g, cl_object o, cl_index n)
{
    return mp_graph_is(g, o, t_instance) && o->instance.length >= n &&
           mp_graph_is_readable(g, (uintptr_t)o->instance.slots, n * sizeof(cl_object));
}

/* Stores the slot names of CLASS's instances in NAMES, in order. Returns their number. */
static uint32_t
slot_names(struct mp_object_graph *g, cl_object class, uint32_t names[MAX_SLOTS])
{
    uint32_t n = 0, i = 0;
    char room[256];

    memset(names, 0, MAX_SLOTS * sizeof *names);
    if (!has_slots(g, class, MP_CLASS_SLOTS + 1))
        return 0;
    for (cl_object list = class->instance.slots[MP_CLASS_SLOTS]; is_cons(g, list) && i < MAX_SLOTS;
         list = ECL_CONS_CDR(list), i++) {
        cl_object slot = ECL_CONS_CAR(list), name;
        struct mp_text text = mp_text_begin(room, sizeof room);
        uint32_t at = i;

        if (!has_slots(g, slot, 1))
            return 0;
        name = slot->instance.slots[MP_SLOT_NAME];
        if (has_slots(g, slot, MP_SLOT_LOCATION + 1) && ECL_FIXNUMP(slot->instance.slots[MP_SLOT_LOCATION]))
            at = (uint32_t)ecl_fixnum(slot->instance.slots[MP_SLOT_LOCATION]);
        if (at >= MAX_SLOTS || !mp_graph_is_symbol(g, name))
            continue;
        mp_text_princ(&text, MP_MEMBER(name, symbol_name));
        names[at] = mp_stream_text(g->stream, room, strlen(room));
        n = at + 1 > n ? at + 1 : n;
    }
    return n;
}

/* Returns the index, plus 1, of the slot that contains the name of an instance of the class NAME, or 0. */
static uint8_t
name_slot(const char *name)
{
    static const struct { const char *class; uint8_t slot; } named[] = {
        { "STANDARD-CLASS", MP_CLASS_NAME }, { "STRUCTURE-CLASS", MP_CLASS_NAME },
        { "BUILT-IN-CLASS", MP_CLASS_NAME }, { "CLOS:FUNCALLABLE-STANDARD-CLASS", MP_CLASS_NAME },
        { "STANDARD-GENERIC-FUNCTION", MP_GENERIC_NAME },
    };

    for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(name, named[i].class) == 0)
            return (uint8_t)(named[i].slot + 1);
    return 0;
}

static uint16_t
instance_type(struct mp_object_graph *g, cl_object o)
{
    cl_object class = ECL_CLASS_OF(o);
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_CLASS, (uintptr_t)class), names[MAX_SLOTS], n;
    char room[300];
    struct mp_text text = mp_text_begin(room, sizeof room);
    uint16_t data;

    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    if (!has_slots(g, class, MP_CLASS_SUPERIORS + 1) || !mp_graph_is_symbol(g, ECL_CLASS_NAME(class)))
        return plain_type(g, t_instance);
    mp_text_print(&text, ECL_CLASS_NAME(class));
    n = slot_names(g, class, names);
    data = define_data(g, MP_SHAPE_INSTANCE, room, ": slots", n, names);
    *type = define_whole(g, t_instance, MP_SHAPE_INSTANCE, room, data, WORD(instance, slots));
    g->types[*type].name_slot = name_slot(room);
    return (uint16_t)*type;
}

/* ------------------------------------------------------------------ names of objects */

bool
mp_graph_name(struct mp_object_graph *g, cl_object o, const struct mp_graph_type *type, char *room, size_t size)
{
    struct mp_text text = mp_text_begin(room, size);
    cl_object name;

    switch (type->tag) {
    case t_symbol:
        name = o;
        break;
    case t_package:
        name = o->pack.name;
        break;
    case t_bytecodes:
        name = o->bytecodes.name;
        break;
    case t_cfun: case t_cfunfixed:
        name = o->cfun.name;
        break;
    case t_instance:
        if (!type->name_slot || !has_slots(g, o, type->name_slot))
            return false;
        name = o->instance.slots[type->name_slot - 1];
        break;
    default:
        return false;
    }
    if (mp_graph_is_symbol(g, name) || is_cons(g, name))
        mp_text_print(&text, name);
    else if (mp_graph_is_string(g, name))
        mp_text_princ(&text, name);
    return *room;
}

/* ------------------------------------------------------------------ symbols, closures */

uint32_t
mp_graph_package_text(struct mp_object_graph *g, cl_object package)
{
    uint32_t *text;
    char room[256];
    struct mp_text to = mp_text_begin(room, sizeof room);

    if (!mp_graph_is(g, package, t_package) || !mp_graph_is_string(g, package->pack.name))
        return 0;
    text = mp_graph_key(g, MP_GRAPH_KEY_GROUP, (uintptr_t)package);
    if (!text || *text)
        return text ? *text : 0;
    mp_text_princ(&to, package->pack.name);
    *text = mp_stream_text(g->stream, room, strlen(room));
    return *text;
}

/* Returns the type of symbol O. A symbol with a package has no reference to its value, because the value is a root of
 * its own. Otherwise the package, which refers to all its symbols, would retain all their values. So a value is
 * retained by the root of its symbol, as by a C variable. */
static uint16_t
symbol_type(struct mp_object_graph *g, cl_object o)
{
    cl_object package = MP_MEMBER(o, symbol_hpack);
    const bool named = mp_graph_is(g, package, t_package) && mp_graph_is_string(g, package->pack.name);
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_PACKAGE, named ? (uintptr_t)package : 0);
    char room[300];
    struct mp_text text = mp_text_begin(room, sizeof room);

    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    mp_text_put(&text, named ? "SYMBOL in " : "SYMBOL without package");
    if (named)
        mp_text_princ(&text, package->pack.name);
    *type = define_tagged(g, t_symbol, MP_SHAPE_SYMBOL, room, 0, 0);
    if (*type && named)
        g->types[*type].words = W(mp_ecl.at.symbol_name / sizeof(cl_object)) |
                                W(mp_ecl.at.symbol_cname / sizeof(cl_object)) |
                                W(mp_ecl.at.symbol_hpack / sizeof(cl_object));
    return (uint16_t)*type;
}

/* Returns whether the constants of the compiled file BLOCK can be read. */
static bool
is_block(struct mp_object_graph *g, cl_object block)
{
    return mp_graph_is(g, block, t_codeblock) && block->cblock.data_size >= 0 &&
           block->cblock.temp_data_size == 0 &&
           mp_graph_is_readable(g, (uintptr_t)block->cblock.data,
                                (size_t)block->cblock.data_size * sizeof(cl_object));
}

/* Writes the monitor's name of the function at START to TEXT. Returns false if the function has no name. Takes no lock.
 * In a copy of the process no other thread runs. In the process itself, libgc has stopped all threads that it knows;
 * none of them holds the gate's lock, because the holder of the lock blocks libgc's signal. */
static bool
put_told(struct mp_object_graph *g, struct mp_text *text, uintptr_t start)
{
    struct mp_gate_hold hold;
    const bool may = !g->in_place || mp_gate_lock(&hold);
    const char *told = may ? mp_name_told_held(start) : NULL, *outer = told ? mp_name_outer_held(start) : NULL;

    if (told)
        mp_text_put(text, told);
    if (outer) {
        mp_text_put(text, " in ");
        mp_text_put(text, outer);
    }
    if (g->in_place)
        mp_gate_unlock(&hold);
    return told;
}

/* Writes the name of CLOSURE's function to TEXT. */
static void
put_function(struct mp_object_graph *g, struct mp_text *text, cl_object closure)
{
    cl_object name = ECL_NIL;

    if (closure->d.t == t_cclosure && put_told(g, text, (uintptr_t)closure->cclosure.entry))
        return;

    if (closure->d.t == t_bclosure && mp_graph_is(g, closure->bclosure.code, t_bytecodes))
        name = closure->bclosure.code->bytecodes.name;
    if (mp_graph_is_symbol(g, name))
        mp_text_print(text, name);
    else if (closure->d.t == t_bclosure && mp_graph_is(g, closure->bclosure.code, t_bytecodes) &&
             is_cons(g, closure->bclosure.code->bytecodes.definition))
        mp_text_lambda(text, closure->bclosure.code);
    else if (closure->d.t != t_cclosure || !is_block(g, closure->cclosure.block) ||
             !mp_text_global_name(text, closure))
        mp_text_put(text, "without a name");
}

static uint16_t
closure_type(struct mp_object_graph *g, cl_object o)
{
    const bool compiled = o->d.t == t_cclosure;
    uint32_t *type = mp_graph_key(g, MP_GRAPH_KEY_CLOSURE,
                                  compiled ? (uintptr_t)o->cclosure.entry : (uintptr_t)o->bclosure.code);
    char room[560];
    struct mp_text text = mp_text_begin(room, sizeof room);

    if (!type || *type)
        return type ? (uint16_t)*type : 0;
    mp_text_put(&text, compiled ? "CLOSURE " : "INTERPRETED-CLOSURE ");
    put_function(g, &text, o);
    *type = define_tagged(g, (unsigned)o->d.t, MP_SHAPE_CLOSURE, room, 0, 0);
    return (uint16_t)*type;
}

/* ------------------------------------------------------------------ any object */

#define HEADER sizeof(struct ecl_base_string)   /* size of the smallest array header */

/* Returns whether the data of an array is in the same block as its header. */
static bool
is_compact(const struct mp_graph_block *block)
{
    const cl_object o = (cl_object)block->base;

    return (uintptr_t)o->vector.self.t - block->base - HEADER < block->size - HEADER;
}

/* Returns whether a block is an object with tag T. Data that happens to begin like an object has another size or kind
 * of block. */
static bool
is_object(const struct mp_graph_block *block, unsigned t)
{
    const bool atomic = IS_LEAF(t) || t == t_weak_pointer;
    const uint64_t size = t < t_end ? sizes[t] : 0;

    if (t < t_bignum || size == 0 || block->size < size ||
        (mp_graph_has_pointers(block) && ((cl_object)block->base)->d.m != 0))   /* only blocks with pointers are
                                                                                 * cleared by libgc */
        return false;
    if (t == t_bignum || (IS_ARRAY(t) && is_compact(block)))
        return true;
    return block->size < size + 2 * (uint64_t)MP_GC_GRANULE && mp_graph_has_pointers(block) != atomic;
}

uint16_t
mp_graph_type(struct mp_object_graph *g, const struct mp_graph_block *block)
{
    cl_object o = (cl_object)block->base;
    const unsigned t = (uint8_t)o->d.t;

    if (!is_object(block, t))
        return 0;
    switch (t) {
    case t_array: case t_vector: case t_string: case t_base_string: case t_bitvector:
        return array_type(g, block);
    case t_hashtable:
        return table_type(g, o);
    case t_instance:
        return instance_type(g, o);
    case t_symbol:
        return symbol_type(g, o);
    case t_bclosure: case t_cclosure:
        return closure_type(g, o);
    default:
        return plain_type(g, t);
    }
}
