/* SPDX-License-Identifier: MIT */
/* Makes the texts for nodes of a heap, and the head of the report. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "heap_texts.h"
#include "heap_report.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/table/json_head.h"

/* ------------------------------------------------------------------ names */

const char *
mp_heap_type_text(const struct mp_heap *heap, uint32_t type)
{
    if (*heap->types[type].name)
        return heap->types[type].name;
    return type == 0 ? "(no type)" : heap->types[type].shape == MP_SHAPE_BLOCK ? "(block)" : "(unnamed)";
}

/* The states of hash tables. lisp-bridge/graph_types.c adds them to the names of types. */
static const char *const states[] = {", under a quarter full", ", a quarter full", ", half full",
                                     ", three quarters full"};

void
mp_heap_forget_states(struct mp_heap *heap)
{
    for (uint32_t i = 0; i < heap->n_types; i++) {
        const char *name = heap->types[i].name, *at;

        if (strncmp(name, "HASH-TABLE ", 11) != 0)
            continue;
        for (size_t j = 0; j < sizeof states / sizeof *states; j++)
            if ((at = strstr(name, states[j])) != NULL)
                heap->types[i].name = mp_arena_printf(heap->arena, "%.*s%s", (int)(at - name), name,
                                                      at + strlen(states[j]));
    }
}

const char *
mp_heap_site_text(const struct mp_heap *heap, uint32_t site, struct mp_arena *arena)
{
    const struct mp_heap_site *at = &heap->sites[site];
    const char *file = mp_text_basename(at->file);

    if (site == 0)
        return "(not recorded)";
    if (!*at->function && at->context == 0)
        return "(not known)";
    if (!*at->function)
        return mp_arena_printf(arena, "(context %llu)", (unsigned long long)at->context);
    if (!*at->file)
        return at->function;
    if (mp_lisp_text_is(at->function, NULL, file))
        return at->function;
    return at->line > 0 ? mp_arena_printf(arena, "%s (%s:%u)", at->function, file, at->line)
                        : mp_arena_printf(arena, "%s (%s)", at->function, file);
}

const char *
mp_heap_top_text(const struct mp_heap *heap, uint32_t top)
{
    const struct mp_heap_top *of = &heap->tops[top];

    switch (of->level) {
    case MP_TOP_ALL: return "all roots";
    case MP_TOP_KIND: return mp_heap_kind_words(of->kind);
    case MP_TOP_GROUP: return *of->group ? of->group : "(no group)";
    default: return *of->title ? of->title : "(no name)";
    }
}

const char *
mp_heap_node_text(const struct mp_heap *heap, uint32_t node, struct mp_arena *arena)
{
    const struct mp_heap_beginning *text;
    const char *type;

    if (node >= heap->n_objects)
        return mp_heap_top_text(heap, node - heap->n_objects);
    type = mp_heap_type_text(heap, mp_heap_class(heap, node)->type);
    text = mp_heap_beginning(heap, node);
    if (!text)
        return type;
    if (!text->is_name)
        return mp_arena_printf(arena, "%s \"%s\"", type, text->text);
    return mp_arena_printf(arena, "%s %s", mp_heap_shape(heap, node) == MP_SHAPE_SYMBOL ? "SYMBOL" : type, text->text);
}

static const char *
key_text(const struct mp_heap_key *key, struct mp_arena *arena)
{
    return key->kind == MP_KEY_FIXNUM ? mp_arena_printf(arena, "%lld", (long long)key->number)
                                      : mp_text_clean(arena, key->text, key->length);
}

/* Returns "value of KEY" for a value slot of a hash table, or "value" if the key is not known. */
static const char *
value_text(const struct mp_heap *heap, uint32_t entries, uint64_t slot, struct mp_arena *arena)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, entries);
    struct mp_heap_key key = mp_heap_first_key(heap, entries);

    while (mp_heap_next(heap, &walk) && walk.slot < slot)
        if (walk.slot == slot - 1) {
            const struct mp_heap_beginning *text = mp_heap_beginning(heap, walk.to);
            const bool symbol = text && text->is_name && mp_heap_shape(heap, walk.to) == MP_SHAPE_SYMBOL;

            return mp_arena_printf(arena, "value of %s",
                                   symbol ? text->text : mp_heap_node_text(heap, walk.to, arena));
        }
    while (mp_heap_next_key(&key) && key.entry <= slot / 2)
        if (key.entry == slot / 2)
            return mp_arena_printf(arena, "value of %s", key_text(&key, arena));
    return "value";
}

/* Returns the name of slot SLOT of OBJECT. A slot without a name is called by its number, and a slot with the value of
 * a hash table by the key. */
static const char *
heap_slot_name(const struct mp_heap *heap, uint32_t object, uint64_t slot, struct mp_arena *arena)
{
    const struct mp_heap_type *type = &heap->types[mp_heap_class(heap, object)->type];

    if (slot < type->n_slots && *type->slots[slot])
        return type->slots[slot];
    if (type->shape == MP_SHAPE_CONS && slot < 2)
        return slot == 0 ? "car" : "cdr";
    if (type->shape == MP_SHAPE_ENTRIES)
        return slot % 2 == 0 ? "key" : value_text(heap, object, slot, arena);
    return mp_arena_printf(arena, "%llu", (unsigned long long)slot);
}

const char *
mp_heap_slot_text(const struct mp_heap *heap, uint32_t from, uint32_t to, struct mp_arena *arena)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, from);

    if (from >= heap->n_objects)
        return "";
    while (mp_heap_next(heap, &walk))
        if (walk.to == to && !walk.weak)
            return heap_slot_name(heap, from, walk.slot, arena);
    return "";
}

const char *
mp_heap_reference_text(const struct mp_heap *heap, uint32_t from, uint32_t reference, struct mp_arena *arena)
{
    struct mp_heap_walk walk = mp_heap_walk(heap, from);
    const struct mp_heap_top *top;

    if (from >= heap->n_objects) {
        top = &heap->tops[from - heap->n_objects];
        return *top->group ? mp_arena_printf(arena, "%s, %s", mp_heap_kind_words(top->kind), top->group)
                           : mp_heap_kind_words(top->kind);
    }
    while (walk.at <= reference && mp_heap_next(heap, &walk))
        continue;
    return heap_slot_name(heap, from, walk.slot, arena);
}

/* ------------------------------------------------------------------- head */

static void
print_when(const struct mp_heap *heap, FILE *out)
{
    time_t seconds = (time_t)(heap->facts[MP_FACT_REALTIME] / 1000000000u);
    const char *trigger = mp_heap_trigger_words(heap->facts[MP_FACT_TRIGGER]);
    char text[64], number[MP_NUMBER_SIZE];
    struct tm at;

    if (heap->facts[MP_FACT_REALTIME] > 0 && localtime_r(&seconds, &at) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &at) > 0)
        fprintf(out, "Taken        %s", text);
    else
        fputs("Taken        at a time that is not known", out);
    if (heap->facts[MP_FACT_SINCE_START] > 0)
        fprintf(out, ", %s after the start", mp_number_duration(heap->facts[MP_FACT_SINCE_START], number));
    if (*trigger)
        fprintf(out, ", asked for by %s", trigger);
    if (heap->facts[MP_FACT_STOPPED] > 0)
        fprintf(out, "; the program stood still for %s", mp_number_duration(heap->facts[MP_FACT_STOPPED], number));
    fputc('\n', out);
}

static void
print_amount(const char *what, uint64_t bytes, uint64_t objects, FILE *out)
{
    char number[MP_NUMBER_SIZE], other[MP_NUMBER_SIZE];

    fprintf(out, "%-12s %s bytes in %s object%s\n", what, mp_number_grouped(bytes, number),
            mp_number_grouped(objects, other), mp_plural(objects));
}

void
mp_heap_head_print(const struct mp_heap *heap, const struct mp_heap_sum *reached, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    fputs("Snapshot", out);
    if (heap->facts[MP_FACT_NUMBER] > 0)
        fprintf(out, "     %llu", (unsigned long long)heap->facts[MP_FACT_NUMBER]);
    if (*heap->texts[MP_FACT_NAME])
        fprintf(out, " \"%s\"", heap->texts[MP_FACT_NAME]);
    fprintf(out, " of a heap%s%s", *heap->texts[MP_FACT_LANGUAGE] ? " of " : "", heap->texts[MP_FACT_LANGUAGE]);
    if (*heap->texts[MP_FACT_PROGRAM])
        fprintf(out, ", %s", heap->texts[MP_FACT_PROGRAM]);
    if (heap->facts[MP_FACT_PID] > 0)
        fprintf(out, ", process %llu", (unsigned long long)heap->facts[MP_FACT_PID]);
    fputc('\n', out);
    print_when(heap, out);
    if (heap->facts[MP_FACT_HEAP] > 0) {
        fprintf(out, "Heap         %s bytes", mp_number_grouped(heap->facts[MP_FACT_HEAP], number));
        if (heap->facts[MP_FACT_FREE] > 0)
            fprintf(out, ", of which %s are free blocks", mp_number_grouped(heap->facts[MP_FACT_FREE], number));
        fputc('\n', out);
    }
    if (heap->facts[MP_FACT_LIVE] > 0) {
        fprintf(out, "Live         %s bytes", mp_number_grouped(heap->facts[MP_FACT_LIVE], number));
        if (heap->facts[MP_FACT_WORD] > 0)
            fprintf(out, ", %s words",
                    mp_number_grouped(heap->facts[MP_FACT_LIVE] / heap->facts[MP_FACT_WORD], number));
        fputs(", after the last collection\n", out);
    }
    print_amount("Objects", heap->bytes, heap->n_whole, out);
    print_amount("Unreachable", heap->bytes - reached->bytes, heap->n_whole - reached->objects, out);
    if (heap->facts[MP_FACT_MISSING_SITES] > 0)
        fprintf(out, "Missing      sites of %s object%s\n",
                mp_number_grouped(heap->facts[MP_FACT_MISSING_SITES], number),
                mp_plural(heap->facts[MP_FACT_MISSING_SITES]));
    if (heap->facts[MP_FACT_THREADS_WITHOUT_REGISTERS] > 0)
        fprintf(out, "Missing      registers of %s thread%s\n",
                mp_number_grouped(heap->facts[MP_FACT_THREADS_WITHOUT_REGISTERS], number),
                mp_plural(heap->facts[MP_FACT_THREADS_WITHOUT_REGISTERS]));
    if (heap->facts[MP_FACT_RESIZED] > 0)
        fprintf(out, "Missing      %s block%s just being resized\n",
                mp_number_grouped(heap->facts[MP_FACT_RESIZED], number), mp_plural(heap->facts[MP_FACT_RESIZED]));
}

/* Keys of facts in JSON. A fact without a key is a text, or is not written. */
static const char *const fact_keys[MP_FACTS] = {
    [MP_FACT_NUMBER] = "number", [MP_FACT_PID] = "pid", [MP_FACT_REALTIME] = "realtime_ns",
    [MP_FACT_SINCE_START] = "since_start_ns", [MP_FACT_STOPPED] = "stopped_ns", [MP_FACT_WRITING] = "writing_ns",
    [MP_FACT_WORD] = "word_bytes",
    [MP_FACT_HEAP] = "heap_bytes", [MP_FACT_FREE] = "free_bytes", [MP_FACT_LIVE] = "live_bytes",
    [MP_FACT_ALLOCATED] = "allocated_bytes", [MP_FACT_SINCE_COLLECTION] = "since_collection_bytes",
    [MP_FACT_COLLECTIONS] = "collections", [MP_FACT_MISSING_SITES] = "missing_sites",
    [MP_FACT_THREADS_WITHOUT_REGISTERS] = "threads_without_registers", [MP_FACT_RESIZED] = "blocks_resized",
};

void
mp_heap_head_json(const struct mp_heap *heap, const struct mp_heap_sum *reached, struct mp_json_out *to)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_open(out, '{');
    mp_json_key_text_or_null(out, "language", heap->texts[MP_FACT_LANGUAGE]);
    mp_json_key_text_or_null(out, "name", heap->texts[MP_FACT_NAME]);
    mp_json_key_text_or_null(out, "program", heap->texts[MP_FACT_PROGRAM]);
    mp_json_key_text_or_null(out, "data_file", heap->texts[MP_FACT_DATA_FILE]);
    mp_json_key_text_or_null(out, "trigger", mp_heap_trigger_words(heap->facts[MP_FACT_TRIGGER]));
    for (unsigned i = 0; i < MP_FACTS; i++)
        if (fact_keys[i])
            mp_json_key_number_or_null(out, fact_keys[i], heap->facts[i], heap->facts[i] > 0);
    mp_json_key_number(out, "objects", heap->n_whole);
    mp_json_key_number(out, "bytes", heap->bytes);
    mp_json_key_number(out, "unreachable_objects", heap->n_whole - reached->objects);
    mp_json_key_number(out, "unreachable_bytes", heap->bytes - reached->bytes);
    mp_json_close(out, '}');
}
