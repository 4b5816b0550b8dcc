/* SPDX-License-Identifier: MIT */
#include "infer.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "infer_places.h"
#include "infer_types.h"
#include "machine_code.h"

#define LEVELS_MAX  64u         /* maximum number of callers examined */
#define STEPS_MAX   600u        /* maximum number of instructions followed from one return address */
#define FRESH_STEPS 12u         /* number of instructions after a copy at which variables are looked up */
#define WAYS_MAX    16u
#define MARKS_MAX   64u
#define SLOTS_MAX   8u
#define KNOWN_MAX   16u
#define SCAN_MAX    4096u       /* maximum number of instructions scanned in a function to find register contents
                                   before a call */
#define RANGES_MAX  16u         /* maximum number of address ranges of a function */
#define WORD        8
#define RETURNED    0           /* DWARF number of the register with a function's result: rax, x0 */

/* ------------------------------------------------ following a pointer through machine code */

/* A path through the code, and the state at its present point. */
struct way {
    uint64_t pc;
    uint32_t holds;             /* registers that contain the pointer, one bit each */
    int64_t slots[SLOTS_MAX];   /* words of the frame that contain the pointer */
    uint32_t n_slots;
    int64_t known[KNOWN_MAX];   /* words of the frame whose addresses may be known to other functions */
    uint32_t n_known;           /* KNOWN_MAX = possibly all words */
    Dwarf_Die types[MP_CODE_REGISTERS];         /* types of the registers' values; absent if unknown */
    bool tested;                /* the pointer was just compared with 0 */
    unsigned fresh;
};

/* The result. A DIE without a value has addr NULL. */
struct followed {
    Dwarf_Die object, byte;     /* types to which the pointer points; `byte` is a weaker result, a type of single
                                   bytes */
    bool returned;              /* the function returns the pointer */
};

/* One file whose code is followed. */
struct following {
    struct mp_binary *binary;   /* the present file */

    /* the present return address */
    struct mp_infer_places places;
    struct way ways[WAYS_MAX];
    uint32_t n_ways;
    uint64_t marks[MARKS_MAX];  /* addresses at which ways began */
    uint32_t n_marks;
    struct followed found;
};

/* -------------------------------------------------------------------- answers */

/* Notes that the pointer is stored in an object of TYPE, or in a part of it. */
static void
note(struct following *following, Dwarf_Die type)
{
    Dwarf_Die target;
    bool byte;

    if (!mp_infer_target(type, &target) || !mp_infer_describes_block(target, &byte))
        return;
    if (byte && following->found.byte.addr == NULL)
        following->found.byte = target;
    else if (!byte && following->found.object.addr == NULL)
        following->found.object = target;
}

/* Notes the types of all variables at PLACE. */
static void
note_variables(struct following *following, struct mp_infer_place place)
{
    Dwarf_Die type;
    uint32_t next = 0;

    while (following->found.object.addr == NULL && mp_infer_place_type(&following->places, place, &next, &type))
        note(following, type);
}

static void
note_holders(struct following *following, const struct way *way)
{
    mp_infer_places_at(&following->places, way->pc);
    for (int reg = 0; reg < MP_CODE_REGISTERS; reg++)
        if ((way->holds >> reg & 1) != 0)
            note_variables(following, (struct mp_infer_place){MP_INFER_REGISTER, reg, 0});
    for (uint32_t i = 0; i < way->n_slots; i++)
        note_variables(following, (struct mp_infer_place){MP_INFER_FRAME, 0, way->slots[i]});
}

/* --------------------------------------------------------------------- memory */

/* Returns the place of CODE's memory operand, if it is an address or only the frame's register leads to it. */
static struct mp_infer_place
place_of(struct following *following, const struct mp_instruction *code)
{
    if (code->absolute)
        return (struct mp_infer_place){MP_INFER_ADDRESS, 0, code->offset};
    if (code->base == MP_CODE_NONE || code->index != MP_CODE_NONE)
        return (struct mp_infer_place){.kind = MP_INFER_NOWHERE};
    return mp_infer_place_in_frame(&following->places, code->base, code->offset);
}

/* Sets *TYPE to the type of register REG's value. Returns false if it is unknown. */
static bool
type_of_register(struct following *following, const struct way *way, int reg, Dwarf_Die *type)
{
    uint32_t next = 0;

    if (way->types[reg].addr != NULL) {
        *type = way->types[reg];
        return true;
    }
    return mp_infer_place_type(&following->places, (struct mp_infer_place){MP_INFER_REGISTER, reg, 0}, &next, type);
}

/* Sets *TYPE to the type of CODE's memory operand, given the state before CODE. Returns false if it is unknown. */
static bool
type_of_memory(struct following *following, const struct way *way, const struct mp_instruction *code,
               Dwarf_Die *type)
{
    const struct mp_infer_place place = place_of(following, code);
    uint32_t next = 0;

    if (place.kind != MP_INFER_NOWHERE)
        return mp_infer_place_type(&following->places, place, &next, type);
    if (code->base == MP_CODE_NONE || code->offset < 0 || !type_of_register(following, way, code->base, type) ||
        !mp_infer_target(*type, type) || type->addr == NULL)
        return false;
    if (code->index != MP_CODE_NONE && mp_infer_is_before_array(*type, (uint64_t)code->offset))
        return false;           /* may be table[n - 1] */
    return mp_infer_part(type, (uint64_t)code->offset);
}

static int
slot_at(const struct way *way, struct mp_infer_place place)
{
    for (uint32_t i = 0; place.kind == MP_INFER_FRAME && i < way->n_slots; i++)
        if (way->slots[i] == place.at)
            return (int)i;
    return -1;
}

/* ---------------------------------------------------------------------- steps */

static void
change(struct way *way, uint32_t written)
{
    way->holds &= ~written;
    for (int reg = 0; reg < MP_CODE_REGISTERS; reg++)
        if ((written >> reg & 1) != 0)
            way->types[reg].addr = NULL;
}

static void
hold(struct way *way, int reg)
{
    way->holds |= UINT32_C(1) << reg;
    way->fresh = FRESH_STEPS;
}

/* Forgets slots that overlap the SIZE bytes at PLACE, which are overwritten. */
static void
forget_slots(struct way *way, struct mp_infer_place place, unsigned size)
{
    if (place.kind != MP_INFER_FRAME)
        return;
    for (uint32_t i = 0; i < way->n_slots;)
        if (way->slots[i] > place.at - WORD && way->slots[i] < place.at + (int64_t)size)
            way->slots[i] = way->slots[--way->n_slots];
        else
            i++;
}

/* Records that other functions may learn the address of PLACE. */
static void
make_known(struct way *way, struct mp_infer_place place)
{
    if (place.kind == MP_INFER_FRAME && way->n_known < KNOWN_MAX)
        way->known[way->n_known++] = place.at;
}

/* Handles a call. The called function may change all words whose addresses it may know. */
static void
step_call(struct way *way, const struct mp_instruction *code)
{
    if (way->n_known == KNOWN_MAX)
        way->n_slots = 0;
    for (uint32_t i = 0; i < way->n_known; i++)
        forget_slots(way, (struct mp_infer_place){MP_INFER_FRAME, 0, way->known[i]}, WORD);
    change(way, code->written);
}

static void
step_copy(struct following *following, struct way *way, const struct mp_instruction *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    Dwarf_Die type = {.addr = NULL};

    if (!held && !type_of_register(following, way, code->from, &type))
        type.addr = NULL;
    make_known(way, mp_infer_place_in_frame(&following->places, code->from, 0));        /* mov %rsp,%rdi */
    change(way, code->written);
    way->types[code->to] = type;
    if (held)
        hold(way, code->to);
}

static void
step_load(struct following *following, struct way *way, const struct mp_instruction *code)
{
    const int slot = slot_at(way, place_of(following, code));
    Dwarf_Die type = {.addr = NULL};

    if (slot < 0 && !type_of_memory(following, way, code, &type))
        type.addr = NULL;
    change(way, code->written);
    way->types[code->to] = type;
    if (slot >= 0)
        hold(way, code->to);
}

static void
step_store(struct following *following, struct way *way, const struct mp_instruction *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    const struct mp_infer_place place = place_of(following, code);
    const int slot = slot_at(way, place);
    Dwarf_Die type;

    if (!held) {
        forget_slots(way, place, WORD);
        if (way->types[code->from].addr == NULL && type_of_memory(following, way, code, &type))
            way->types[code->from] = type;
        return;
    }
    if (place.kind == MP_INFER_FRAME && slot < 0 && way->n_slots < SLOTS_MAX) {
        way->slots[way->n_slots++] = place.at;
        way->fresh = FRESH_STEPS;
    }
    if (type_of_memory(following, way, code, &type))
        note(following, type);
}

/* Returns true if ADDRESS is in the followed function, or if that function is unknown. */
static bool
is_in_function(struct following *following, uint64_t address)
{
    Dwarf_Die *function = &following->places.function;

    return function->addr == NULL || mp_die_has_pc(function, address - following->binary->bias);
}

/* Adds a way from ADDRESS on, with the state of FROM. Ignores ADDRESS if a way began there before or if it is in
 * another function. */
static void
add_way(struct following *following, const struct way *from, uint64_t address)
{
    if (!is_in_function(following, address))
        return;
    for (uint32_t i = 0; i < following->n_marks; i++)
        if (following->marks[i] == address)
            return;
    if (following->n_ways == WAYS_MAX || following->n_marks == MARKS_MAX)
        return;
    following->marks[following->n_marks++] = address;
    following->ways[following->n_ways] = *from;
    following->ways[following->n_ways].pc = address;
    following->ways[following->n_ways++].fresh = FRESH_STEPS;
}

/* Handles a branch. Returns false if WAY does not continue with the next instruction. */
static bool
step_branch(struct following *following, struct way *way, const struct mp_instruction *code)
{
    if (way->tested && code->if_null)
        return true;            /* the path of a failed allocation is ignored */
    add_way(following, way, code->target);
    return !(way->tested && code->if_not_null);
}

static void
step_return(struct following *following, const struct way *way)
{
    Dwarf_Die type;

    if ((way->holds >> RETURNED & 1) == 0)
        return;
    type = mp_infer_returned(&following->places);
    if (type.addr != NULL)
        note(following, type);
    following->found.returned = type.addr != NULL || following->places.function.addr == NULL;
}

/* Executes one instruction. Returns false if the way ends. A function may end with a call that never returns. */
static bool
step(struct following *following, struct way *way)
{
    struct mp_instruction code;
    bool tested = false;

    if (!is_in_function(following, way->pc) || !mp_machine_code(following->binary, way->pc, &code))
        return false;
    mp_infer_places_at(&following->places, way->pc);
    switch (code.kind) {
    case MP_CODE_COPY: step_copy(following, way, &code); break;
    case MP_CODE_LOAD: step_load(following, way, &code); break;
    case MP_CODE_STORE: step_store(following, way, &code); break;
    case MP_CODE_IS_NULL:
        tested = code.from != MP_CODE_NONE ? (way->holds >> code.from & 1) != 0
                                           : slot_at(way, place_of(following, &code)) >= 0;
        break;
    case MP_CODE_JUMP:
        if (code.target != 0)
            add_way(following, way, code.target);
        return false;
    case MP_CODE_BRANCH:
        if (!step_branch(following, way, &code))
            return false;
        break;
    case MP_CODE_RETURN: step_return(following, way); return false;
    case MP_CODE_END: return false;
    case MP_CODE_OTHER:
        if (code.overwrites > 0)
            forget_slots(way, place_of(following, &code), code.overwrites);
        if (code.takes_address)
            make_known(way, place_of(following, &code));
        change(way, code.written);
        break;
    case MP_CODE_CALL: step_call(way, &code); break;
    }
    way->tested = tested;
    way->pc += code.size;
    return (way->holds != 0 || way->n_slots > 0) && following->found.object.addr == NULL;
}

/* *STRAIGHT is the start of the straight-line code before the call that returns to ADDRESS. Scans the range [FIRST,
 * END) of the function's code for jumps, and raises *STRAIGHT to the end of each jump and to each jump target before
 * ADDRESS. Returns false if control flow is unknown. */
static bool
find_straight(struct following *following, uint64_t first, uint64_t end, uint64_t address, uint64_t *straight)
{
    const bool inside = first < address && address < end;
    struct mp_instruction code;
    uint64_t at = first;

    if (inside && first > *straight)
        *straight = first;
    for (uint32_t steps = 0; at < end && steps < SCAN_MAX; steps++, at += code.size) {
        if (!mp_machine_code(following->binary, at, &code))
            return false;
        if (code.kind == MP_CODE_JUMP && code.target == 0)
            return false;       /* it may jump anywhere */
        if ((code.kind == MP_CODE_JUMP || code.kind == MP_CODE_BRANCH) && code.target <= address &&
            code.target > *straight)
            *straight = code.target;
        if ((code.kind == MP_CODE_JUMP || code.kind == MP_CODE_RETURN || code.kind == MP_CODE_END) &&
            at < address && inside && at + code.size > *straight)
            *straight = at + code.size;
    }
    return at >= end;
}

/* Infers the types of registers at ADDRESS, where a call returns, from the straight-line code before it. For
 * example, `table->entries` is often loaded before the object that is stored in it is allocated. Not done for
 * languages with exceptions, whose control flow is not visible in the code. */
static void
look_before(struct following *following, struct way *way, uint64_t address)
{
    Dwarf_Die *function = &following->places.function;
    const uint64_t bias = following->binary->bias;
    Dwarf_Addr base, start, end;
    uint64_t straight = 0;
    uint32_t steps = 0;
    ptrdiff_t next = 0;
    bool known = function->addr != NULL && following->binary->code_fd >= 0 && !mp_die_has_scopes(function);

    for (unsigned i = 0;
         known && i < RANGES_MAX && (next = mp_die_ranges(function, next, &base, &start, &end)) > 0; i++)
        known = find_straight(following, start + bias, end + bias, address, &straight);
    way->pc = known && next == 0 ? straight : 0;
    for (uint64_t last = 0; way->pc != last && way->pc < address && steps++ < SCAN_MAX;) {
        last = way->pc;
        step(following, way);
    }
    if (way->pc != address)
        memset(way->types, 0, sizeof way->types);
}

/* Follows the pointer that a call returned to ADDRESS, an offset in the module. */
static struct followed
follow(struct following *following, uint64_t address)
{
    struct way way = {.holds = 0};
    uint32_t steps = 0;

    mp_infer_places_begin(&following->places, following->binary, address - 1);
    following->found = (struct followed){.returned = false};
    following->n_ways = following->n_marks = 0;
    look_before(following, &way, address);
    following->n_ways = following->n_marks = 0;
    way.pc = address;
    way.holds = UINT32_C(1) << RETURNED;
    way.n_slots = 0;
    way.tested = false;
    way.fresh = FRESH_STEPS;
    following->ways[following->n_ways++] = way;
    while (following->n_ways > 0 && following->found.object.addr == NULL) {
        way = following->ways[--following->n_ways];
        do {
            if (way.fresh > 0) {
                way.fresh--;
                note_holders(following, &way);
            }
        } while (following->found.object.addr == NULL && steps++ < STEPS_MAX && step(following, &way));
    }
    return following->found;
}

/* ---------------------------------------------------------------- callers of the allocator */

/* The result for one return address. */
struct frame_types {
    bool asked, handed_on;      /* handed_on: the function returns the pointer */
    const struct mp_inferred *inferred, *bytes;     /* NULL = unknown; `bytes` is a weaker result, a type of single
                                                       bytes */
};

struct inference {
    const struct mp_profile *profile;
    struct mp_arena *arena;
    struct frame_types *frames; /* indexed by frame */
    struct following *following;
    struct mp_binary *binary;   /* the file being examined */
    struct mp_map types;        /* addresses of DIEs of its described types */
    const struct mp_inferred **described;           /* indexed by numbers in `types`; NULL if the type has no name */
    uint32_t described_room;
};

static const struct mp_inferred *
describe(struct inference *inference, Dwarf_Die target)
{
    const uint32_t n = inference->types.count;
    uint32_t id;
    struct mp_inferred *inferred;

    if (target.addr == NULL)
        return NULL;
    id = mp_map_add_u64(&inference->types, (uintptr_t)target.addr);
    if (id == n) {
        inference->described = mp_arena_grow(inference->arena, inference->described, n, &inference->described_room,
                                             sizeof *inference->described);
        inferred = mp_arena_alloc(inference->arena, sizeof *inferred);
        inference->described[id] =
            mp_infer_describe(inference->binary, target, inference->arena, inferred) ? inferred : NULL;
    }
    return inference->described[id];
}

static void
ask(struct inference *inference, uint32_t number)
{
    const struct mp_frame *frame = &inference->profile->frames[number];
    const struct followed followed = follow(inference->following, frame->offset);
    struct frame_types *result = &inference->frames[number];

    result->inferred = describe(inference, followed.object);
    result->bytes = describe(inference, followed.byte);
    result->handed_on = followed.returned;
}

/* Compares frames by module and offset. */
static int
compare_frames(const void *left, const void *right, void *data)
{
    const struct mp_frame *frames = data;
    const struct mp_frame *a = &frames[*(const uint32_t *)left], *b = &frames[*(const uint32_t *)right];

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Examines the N frames of LIST, which all belong to one module. */
static void
ask_module(struct inference *inference, const uint32_t *list, uint32_t n)
{
    static const struct mp_symbol_options options = {.places = true};
    const struct mp_profile *profile = inference->profile;
    const uint32_t module = profile->frames[*list].module;
    const char *problem;

    if (profile->modules[module].build_id_size == 0)
        return;                 /* the file may have been replaced meanwhile */
    inference->binary = mp_binary_open(profile, &options, module, NULL, 0, &problem);
    if (inference->binary == NULL)
        return;
    if (mp_binary_load(inference->binary)) {
        inference->types = (struct mp_map){.arena = inference->arena};
        inference->described = NULL;
        inference->described_room = 0;
        inference->following->binary = inference->binary;
        for (uint32_t i = 0; i < n; i++)
            ask(inference, list[i]);
    }
    mp_binary_close(inference->binary);
}

/* Returns whether frame NUMBER is a call with a known return address. */
static bool
is_call(const struct mp_profile *profile, uint32_t number)
{
    const struct mp_frame *frame = number < profile->n_frames ? &profile->frames[number] : NULL;

    return frame && frame->mark == 0 && !frame->exact && !frame->interpreted && frame->offset > 0 &&
           frame->module < profile->n_modules;
}

/* Returns the innermost context on the chain of CONTEXT that needs to be examined next. Returns 0 if the result is
 * final; *INFERRED is the inferred type then, or NULL. */
static uint32_t
next_question(const struct inference *inference, uint32_t context, const struct mp_inferred **inferred)
{
    const struct mp_context *contexts = inference->profile->contexts;
    const struct mp_inferred *bytes = NULL;

    *inferred = NULL;
    for (uint32_t level = 0; context != 0 && level < LEVELS_MAX; level++, context = contexts[context].parent) {
        const uint32_t number = contexts[context].frame;
        const struct frame_types *frame;

        if (!is_call(inference->profile, number))
            break;
        if (inference->profile->frames[number].tail)
            continue;           /* it returns what the function returns that it jumped to */
        frame = &inference->frames[number];
        if (!frame->asked)
            return context;
        bytes = frame->bytes ? frame->bytes : bytes;
        if (frame->inferred || !frame->handed_on) {
            bytes = frame->inferred ? frame->inferred : bytes;
            break;
        }
    }
    *inferred = bytes;
    return 0;
}

/* Examines the next frame of each chain, opening each file once. Returns false if nothing was left to examine. */
static bool
ask_round(struct inference *inference, const uint32_t *contexts, uint32_t n, const struct mp_inferred **inferred)
{
    const struct mp_profile *profile = inference->profile;
    uint32_t *list = mp_need(malloc((n + (size_t)1) * sizeof *list)), count = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t question =
            contexts[i] < profile->n_contexts ? next_question(inference, contexts[i], &inferred[i]) : 0;
        const uint32_t frame = question == 0 ? MP_NO_ID : profile->contexts[question].frame;

        if (frame == MP_NO_ID || inference->frames[frame].asked)
            continue;
        inference->frames[frame].asked = true;
        list[count++] = frame;
    }
    qsort_r(list, count, sizeof *list, compare_frames, profile->frames);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && profile->frames[list[end]].module == profile->frames[list[first]].module;)
            end++;
        ask_module(inference, &list[first], end - first);
    }
    free(list);
    return count > 0;
}

const struct mp_inferred **
mp_infer_types(const struct mp_profile *profile, const uint32_t *contexts, uint32_t n, struct mp_arena *arena)
{
    const struct mp_inferred **inferred = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *inferred);
    struct inference *inference = mp_arena_alloc(arena, sizeof *inference);

    inference->profile = profile;
    inference->arena = arena;
    inference->following = mp_arena_alloc(arena, sizeof *inference->following);
    inference->frames = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *inference->frames);
    while (ask_round(inference, contexts, n, inferred))
        ;
    return inferred;
}
