#include "told.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code.h"
#include "die.h"
#include "file_copy.h"
#include "module.h"
#include "told_places.h"
#include "told_types.h"

#define STEPS_MAX   600u        /* instructions that are followed from one return address */
#define FRESH_STEPS 12u         /* instructions behind a copy at which variables are looked up */
#define WAYS_MAX    16u
#define MARKS_MAX   64u
#define SLOTS_MAX   8u
#define CODE_BYTES  4096u       /* read at a time */
#define SCAN_MAX    4096u       /* instructions of a function, to find what registers hold before a call */
#define RANGES_MAX  16u         /* of a function's code */
#define LEVELS_MAX  64u         /* callers that are asked */
#define RETURNED    0           /* DWARF's number of the register with a function's result: rax, x0 */

/* What is known where the code is followed to. */
struct way {
    uint64_t pc;
    uint32_t holds;             /* registers that hold the pointer */
    int64_t slots[SLOTS_MAX];   /* words of the frame that hold it */
    uint32_t n_slots;
    Dwarf_Die types[MP_CODE_REGISTERS];         /* what the registers' values are; none: not known */
    bool tested;                /* the pointer was just compared with 0 */
    unsigned fresh;
};

/* What one return address tells. */
struct frame_told {
    bool asked, handed_on;      /* handed_on: the function returns the pointer */
    const struct mp_told *told, *bytes;         /* NULL: nothing; `bytes`, a weaker answer: that it is so */
};

struct telling {
    const struct mp_profile *profile;
    struct mp_arena *arena;
    struct frame_told *frames;  /* by frame */
    struct mp_map types;        /* addresses of DIEs that were described */
    const struct mp_told **described;           /* by their ids; NULL: it has no name */
    uint32_t described_room;

    /* the file that is asked */
    struct mp_binary *binary;
    int fd;                     /* its code; -1: cannot be had */
    GElf_Half machine;
    uint64_t code_at;           /* address of what is in `code` */
    size_t code_size;
    uint8_t code[CODE_BYTES];

    /* the return address that is asked */
    struct mp_told_places places;
    struct way ways[WAYS_MAX];
    uint32_t n_ways;
    uint64_t marks[MARKS_MAX];  /* where ways have begun */
    uint32_t n_marks;
    Dwarf_Die object, byte;     /* what it points to; none */
    bool returned;
};

/* ---------------------------------------------------------------------- code */

/* Bytes of code at ADDRESS; *SIZE: how many. */
static const uint8_t *
code_at(struct telling *telling, uint64_t address, size_t *size)
{
    GElf_Phdr header;
    uint32_t segment;
    ssize_t got;

    if (address >= telling->code_at && address + MP_CODE_MAX <= telling->code_at + telling->code_size) {
        *size = telling->code_size - (size_t)(address - telling->code_at);
        return telling->code + (address - telling->code_at);
    }
    segment = mp_spans_find(&telling->binary->code, address);
    *size = 0;
    if (telling->fd < 0 || segment == MP_NO_ID || gelf_getphdr(telling->binary->elf, (int)segment, &header) == NULL ||
        address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
        return NULL;
    *size = header.p_filesz - (address - header.p_vaddr) < CODE_BYTES ? header.p_filesz - (address - header.p_vaddr)
                                                                       : CODE_BYTES;
    got = pread(telling->fd, telling->code, *size, (off_t)(header.p_offset + (address - header.p_vaddr)));
    telling->code_at = address;
    telling->code_size = *size = got > 0 ? (size_t)got : 0;
    return telling->code;
}

/* The file's code: its copy has none. */
static void
open_code(struct telling *telling)
{
    struct mp_binary *binary = telling->binary;
    struct stat status;
    const char *problem;
    GElf_Ehdr header;

    telling->fd = -1;
    telling->code_size = 0;
    telling->machine = gelf_getehdr(binary->elf, &header) != NULL ? header.e_machine : EM_NONE;
    if (telling->machine != EM_X86_64)
        return;
    telling->fd = mp_file_open(binary->path, telling->arena, &problem);
    if (telling->fd >= 0 && (fstat(telling->fd, &status) != 0 || status.st_dev != binary->device ||
                             status.st_ino != binary->inode)) {
        close(telling->fd);
        telling->fd = -1;
    }
}

/* -------------------------------------------------------------------- answers */

/* The pointer is, or is in, something of TYPE. */
static void
note(struct telling *telling, Dwarf_Die type)
{
    Dwarf_Die target;
    bool byte;

    if (!mp_told_target(type, &target) || !mp_told_says(target, &byte))
        return;
    if (byte && telling->byte.addr == NULL)
        telling->byte = target;
    else if (!byte && telling->object.addr == NULL)
        telling->object = target;
}

/* All variables that live in PLACE. */
static void
note_variables(struct telling *telling, struct mp_told_place place)
{
    Dwarf_Die type;
    uint32_t next = 0;

    while (telling->object.addr == NULL && mp_told_place_type(&telling->places, place, &next, &type))
        note(telling, type);
}

static void
note_holders(struct telling *telling, const struct way *way)
{
    mp_told_places_at(&telling->places, way->pc);
    for (int reg = 0; reg < MP_CODE_REGISTERS; reg++)
        if ((way->holds >> reg & 1) != 0)
            note_variables(telling, (struct mp_told_place){MP_TOLD_REGISTER, reg, 0});
    for (uint32_t i = 0; i < way->n_slots; i++)
        note_variables(telling, (struct mp_told_place){MP_TOLD_FRAME, 0, way->slots[i]});
}

/* --------------------------------------------------------------------- memory */

/* Where the memory of CODE is, if no register but the frame's leads to it. */
static struct mp_told_place
place_of(struct telling *telling, const struct mp_code *code)
{
    if (code->absolute)
        return (struct mp_told_place){MP_TOLD_ADDRESS, 0, code->offset};
    if (code->base == MP_CODE_NONE || code->index != MP_CODE_NONE)
        return (struct mp_told_place){.kind = MP_TOLD_NOWHERE};
    return mp_told_place_in_frame(&telling->places, code->base, code->offset);
}

/* The type of what register REG holds, if it is known. */
static bool
type_of_register(struct telling *telling, const struct way *way, int reg, Dwarf_Die *type)
{
    uint32_t next = 0;

    if (way->types[reg].addr != NULL) {
        *type = way->types[reg];
        return true;
    }
    return mp_told_place_type(&telling->places, (struct mp_told_place){MP_TOLD_REGISTER, reg, 0}, &next, type);
}

/* The type of the memory of CODE, before which the way stands. */
static bool
type_of_memory(struct telling *telling, const struct way *way, const struct mp_code *code, Dwarf_Die *type)
{
    const struct mp_told_place place = place_of(telling, code);
    uint32_t next = 0;

    if (place.kind != MP_TOLD_NOWHERE)
        return mp_told_place_type(&telling->places, place, &next, type);
    return code->base != MP_CODE_NONE && code->offset >= 0 && type_of_register(telling, way, code->base, type) &&
           mp_told_target(*type, type) && type->addr != NULL && mp_told_part(type, (uint64_t)code->offset);
}

static int
slot_at(const struct way *way, struct mp_told_place place)
{
    for (uint32_t i = 0; place.kind == MP_TOLD_FRAME && i < way->n_slots; i++)
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

/* SLOT may be none: negative. */
static void
forget_slot(struct way *way, int slot)
{
    if (slot >= 0)
        way->slots[slot] = way->slots[--way->n_slots];
}

static void
step_copy(struct telling *telling, struct way *way, const struct mp_code *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    Dwarf_Die type = {.addr = NULL};

    if (!held && !type_of_register(telling, way, code->from, &type))
        type.addr = NULL;
    change(way, code->written);
    way->types[code->to] = type;
    if (held)
        hold(way, code->to);
}

static void
step_load(struct telling *telling, struct way *way, const struct mp_code *code)
{
    const int slot = slot_at(way, place_of(telling, code));
    Dwarf_Die type = {.addr = NULL};

    if (slot < 0 && !type_of_memory(telling, way, code, &type))
        type.addr = NULL;
    change(way, code->written);
    way->types[code->to] = type;
    if (slot >= 0)
        hold(way, code->to);
}

static void
step_store(struct telling *telling, struct way *way, const struct mp_code *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    const struct mp_told_place place = place_of(telling, code);
    const int slot = slot_at(way, place);
    Dwarf_Die type;

    if (!held) {
        forget_slot(way, slot);
        if (way->types[code->from].addr == NULL && type_of_memory(telling, way, code, &type))
            way->types[code->from] = type;
        return;
    }
    if (place.kind == MP_TOLD_FRAME && slot < 0 && way->n_slots < SLOTS_MAX) {
        way->slots[way->n_slots++] = place.at;
        way->fresh = FRESH_STEPS;
    }
    if (type_of_memory(telling, way, code, &type))
        note(telling, type);
}

/* A way from ADDRESS on, unless there was one, or it is in another function. */
static void
add_way(struct telling *telling, const struct way *from, uint64_t address)
{
    Dwarf_Die *function = &telling->places.function;

    if (function->addr != NULL && dwarf_haspc(function, address - telling->binary->bias) <= 0)
        return;
    for (uint32_t i = 0; i < telling->n_marks; i++)
        if (telling->marks[i] == address)
            return;
    if (telling->n_ways == WAYS_MAX || telling->n_marks == MARKS_MAX)
        return;
    telling->marks[telling->n_marks++] = address;
    telling->ways[telling->n_ways] = *from;
    telling->ways[telling->n_ways].pc = address;
    telling->ways[telling->n_ways++].fresh = FRESH_STEPS;
}

/* The way goes on behind CODE: false if it does not. */
static bool
step_branch(struct telling *telling, struct way *way, const struct mp_code *code)
{
    if (way->tested && code->if_null)
        return true;            /* an allocation that failed is of no interest */
    add_way(telling, way, code->target);
    return !(way->tested && code->if_not_null);
}

static void
step_return(struct telling *telling, const struct way *way)
{
    Dwarf_Die type;

    if ((way->holds >> RETURNED & 1) == 0)
        return;
    telling->returned = true;
    type = mp_told_returned(&telling->places);
    if (type.addr != NULL)
        note(telling, type);
}

/* False: nothing can be followed any more. */
static bool
step(struct telling *telling, struct way *way)
{
    size_t size;
    const uint8_t *bytes = code_at(telling, way->pc, &size);
    struct mp_code code;
    bool tested = false;

    if (bytes == NULL || !mp_code_x86_64(bytes, size, way->pc, &code))
        return false;
    mp_told_places_at(&telling->places, way->pc);
    switch (code.kind) {
    case MP_CODE_COPY: step_copy(telling, way, &code); break;
    case MP_CODE_LOAD: step_load(telling, way, &code); break;
    case MP_CODE_STORE: step_store(telling, way, &code); break;
    case MP_CODE_IS_NULL:
        tested = code.from != MP_CODE_NONE ? (way->holds >> code.from & 1) != 0
                                           : slot_at(way, place_of(telling, &code)) >= 0;
        break;
    case MP_CODE_JUMP:
        if (code.target != 0)
            add_way(telling, way, code.target);
        return false;
    case MP_CODE_BRANCH:
        if (!step_branch(telling, way, &code))
            return false;
        break;
    case MP_CODE_RETURN: step_return(telling, way); return false;
    case MP_CODE_END: return false;
    case MP_CODE_OTHER:
        if (code.overwrites)
            forget_slot(way, slot_at(way, place_of(telling, &code)));
        change(way, code.written);
        break;
    case MP_CODE_CALL: change(way, code.written); break;
    }
    way->tested = tested;
    way->pc += code.size;
    return (way->holds != 0 || way->n_slots > 0) && telling->object.addr == NULL;
}

/* The code from FIRST to END is of the function that calls before ADDRESS: *STRAIGHT is where that goes on straight to
 * the call, as far as is known, and moves behind jumps, and to where these lead.  False: it is not known. */
static bool
find_straight(struct telling *telling, uint64_t first, uint64_t end, uint64_t address, uint64_t *straight)
{
    const bool inside = first < address && address < end;
    struct mp_code code;
    uint64_t at = first;

    if (inside && first > *straight)
        *straight = first;
    for (uint32_t steps = 0; at < end && steps < SCAN_MAX; steps++, at += code.size) {
        size_t size;
        const uint8_t *bytes = code_at(telling, at, &size);

        if (bytes == NULL || !mp_code_x86_64(bytes, size, at, &code))
            return false;
        if (code.kind == MP_CODE_JUMP && code.target == 0)
            return false;       /* it may lead anywhere */
        if ((code.kind == MP_CODE_JUMP || code.kind == MP_CODE_BRANCH) && code.target <= address &&
            code.target > *straight)
            *straight = code.target;
        if ((code.kind == MP_CODE_JUMP || code.kind == MP_CODE_RETURN || code.kind == MP_CODE_END) &&
            at < address && inside && at + code.size > *straight)
            *straight = at + code.size;
    }
    return at >= end;
}

/* What registers hold at ADDRESS, where a call returns, by the code that is run before: `table->entries` is often read
 * before what is stored in one of them is allocated.  Not of languages with exceptions: these jump unseen. */
static void
look_before(struct telling *telling, struct way *way, uint64_t address)
{
    Dwarf_Die *function = &telling->places.function;
    const uint64_t bias = telling->binary->bias;
    Dwarf_Addr base, start, end;
    uint64_t straight = 0;
    ptrdiff_t next = 0;
    bool known = function->addr != NULL && telling->fd >= 0 && !mp_die_has_scopes(function);

    for (unsigned i = 0;
         known && i < RANGES_MAX && (next = dwarf_ranges(function, next, &base, &start, &end)) > 0; i++)
        known = find_straight(telling, start + bias, end + bias, address, &straight);
    way->pc = known && next == 0 ? straight : 0;
    for (uint32_t steps = 0; way->pc != 0 && way->pc < address && steps < SCAN_MAX; steps++)
        step(telling, way);
    if (way->pc != address)
        memset(way->types, 0, sizeof way->types);
}

static void
follow(struct telling *telling, uint64_t address)
{
    struct way way = {.holds = 0};
    uint32_t steps = 0;

    telling->object.addr = telling->byte.addr = NULL;
    telling->returned = false;
    telling->n_ways = telling->n_marks = 0;
    look_before(telling, &way, address);
    telling->n_ways = telling->n_marks = 0;
    way.pc = address;
    way.holds = UINT32_C(1) << RETURNED;
    way.n_slots = 0;
    way.tested = false;
    way.fresh = FRESH_STEPS;
    telling->ways[telling->n_ways++] = way;
    while (telling->n_ways > 0 && telling->object.addr == NULL) {
        way = telling->ways[--telling->n_ways];
        do {
            if (way.fresh > 0) {
                way.fresh--;
                note_holders(telling, &way);
            }
        } while (telling->object.addr == NULL && steps++ < STEPS_MAX && step(telling, &way));
    }
}

/* --------------------------------------------------------------------- frames */

static const struct mp_told *
describe(struct telling *telling, Dwarf_Die target)
{
    const uint32_t n = telling->types.count;
    uint32_t id;
    struct mp_told *told;

    if (target.addr == NULL)
        return NULL;
    id = mp_map_add_u64(&telling->types, (uintptr_t)target.addr);
    if (id == n) {
        telling->described = mp_arena_grow(telling->arena, telling->described, n, &telling->described_room,
                                           sizeof *telling->described);
        told = mp_arena_alloc(telling->arena, sizeof *told);
        telling->described[id] = mp_told_describe(telling->binary, target, telling->arena, told) ? told : NULL;
    }
    return telling->described[id];
}

static void
ask(struct telling *telling, uint32_t number)
{
    const struct mp_frame *frame = &telling->profile->frames[number];
    struct frame_told *result = &telling->frames[number];

    mp_told_places_begin(&telling->places, telling->binary, frame->offset - 1);
    follow(telling, frame->offset);
    result->told = describe(telling, telling->object);
    result->bytes = describe(telling, telling->byte);
    result->handed_on = telling->returned;
}

/* Frames that are wanted, by module. */
static int
compare_frames(const void *left, const void *right, void *data)
{
    const struct mp_frame *frames = data;
    const struct mp_frame *a = &frames[*(const uint32_t *)left], *b = &frames[*(const uint32_t *)right];

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Ask the N frames of LIST, which are of one module. */
static void
ask_module(struct telling *telling, const uint32_t *list, uint32_t n)
{
    static const struct mp_symbol_options options = {.places = true};
    const struct mp_profile *profile = telling->profile;
    const uint32_t module = profile->frames[*list].module;
    const char *problem;

    if (profile->modules[module].build_id_size == 0)
        return;                 /* the file may be another one by now */
    telling->binary = mp_binary_open(profile, &options, module, NULL, 0, &problem);
    if (telling->binary == NULL)
        return;
    if (mp_binary_load(telling->binary)) {
        telling->types = (struct mp_map){.arena = telling->arena};
        telling->described = NULL;
        telling->described_room = 0;
        open_code(telling);
        for (uint32_t i = 0; i < n; i++)
            ask(telling, list[i]);
        if (telling->fd >= 0)
            close(telling->fd);
    }
    mp_binary_close(telling->binary);
}

/* Is FRAME a call whose return address is known? */
static bool
is_call(const struct mp_profile *profile, uint32_t number)
{
    const struct mp_frame *frame = number < profile->n_frames ? &profile->frames[number] : NULL;

    return frame && frame->mark == 0 && !frame->exact && !frame->interpreted && frame->offset > 0 &&
           frame->module < profile->n_modules;
}

/* The innermost context on the chain of CONTEXT that no answer was had for and that answers lead to; 0: none, and
 * *TOLD is what is told. */
static uint32_t
next_question(const struct telling *telling, uint32_t context, const struct mp_told **told)
{
    const struct mp_context *contexts = telling->profile->contexts;
    const struct mp_told *bytes = NULL;

    *told = NULL;
    for (uint32_t level = 0; context != 0 && level < LEVELS_MAX; level++, context = contexts[context].parent) {
        const uint32_t number = contexts[context].frame;
        const struct frame_told *frame;

        if (!is_call(telling->profile, number))
            break;
        frame = &telling->frames[number];
        if (!frame->asked)
            return context;
        bytes = frame->bytes ? frame->bytes : bytes;
        if (frame->told || !frame->handed_on) {
            bytes = frame->told ? frame->told : bytes;
            break;
        }
    }
    *told = bytes;
    return 0;
}

/* Ask what stands next on all chains, each file once; false: there is nothing left to ask. */
static bool
ask_round(struct telling *telling, const uint32_t *contexts, uint32_t n, const struct mp_told **told)
{
    const struct mp_profile *profile = telling->profile;
    uint32_t *list = mp_need(malloc((n + (size_t)1) * sizeof *list)), count = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t question = contexts[i] < profile->n_contexts ? next_question(telling, contexts[i], &told[i]) : 0;
        const uint32_t frame = question == 0 ? MP_NO_ID : profile->contexts[question].frame;

        if (frame == MP_NO_ID || telling->frames[frame].asked)
            continue;
        telling->frames[frame].asked = true;
        list[count++] = frame;
    }
    qsort_r(list, count, sizeof *list, compare_frames, profile->frames);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && profile->frames[list[end]].module == profile->frames[list[first]].module;)
            end++;
        ask_module(telling, &list[first], end - first);
    }
    free(list);
    return count > 0;
}

const struct mp_told **
mp_told_of(const struct mp_profile *profile, const uint32_t *contexts, uint32_t n, struct mp_arena *arena)
{
    const struct mp_told **told = mp_arena_alloc(arena, (n + (size_t)1) * sizeof *told);
    struct telling *telling = mp_arena_alloc(arena, sizeof *telling);

    telling->profile = profile;
    telling->arena = arena;
    telling->frames = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *telling->frames);
    while (ask_round(telling, contexts, n, told))
        ;
    return told;
}
