#include "told_follow.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code.h"
#include "die.h"
#include "file_copy.h"
#include "told_places.h"
#include "told_types.h"

#define STEPS_MAX   600u        /* instructions that are followed from one return address */
#define FRESH_STEPS 12u         /* instructions behind a copy at which variables are looked up */
#define WAYS_MAX    16u
#define MARKS_MAX   64u
#define SLOTS_MAX   8u
#define KNOWN_MAX   16u
#define CODE_BYTES  4096u       /* read at a time */
#define SCAN_MAX    4096u       /* instructions of a function, to find what registers hold before a call */
#define RANGES_MAX  16u         /* of a function's code */
#define WORD        8
#define RETURNED    0           /* DWARF's number of the register with a function's result: rax, x0 */

/* What is known where the code is followed to. */
struct way {
    uint64_t pc;
    uint32_t holds;             /* registers that hold the pointer */
    int64_t slots[SLOTS_MAX];   /* words of the frame that hold it */
    uint32_t n_slots;
    int64_t known[KNOWN_MAX];   /* words of the frame whose addresses others know; */
    uint32_t n_known;           /* KNOWN_MAX: of all of them, perhaps */
    Dwarf_Die types[MP_CODE_REGISTERS];         /* what the registers' values are; none: not known */
    bool tested;                /* the pointer was just compared with 0 */
    unsigned fresh;
};

struct mp_following {
    struct mp_arena *arena;

    /* the file */
    struct mp_binary *binary;
    int fd;                     /* its code; -1: cannot be had */
    uint64_t code_at;           /* address of what is in `code` */
    size_t code_size;
    uint8_t code[CODE_BYTES];

    /* the return address that is asked */
    struct mp_told_places places;
    struct way ways[WAYS_MAX];
    uint32_t n_ways;
    uint64_t marks[MARKS_MAX];  /* where ways have begun */
    uint32_t n_marks;
    struct mp_followed told;
};

/* ---------------------------------------------------------------------- code */

/* Bytes of code at ADDRESS; *SIZE: how many. */
static const uint8_t *
code_at(struct mp_following *following, uint64_t address, size_t *size)
{
    const uint64_t inside = address - following->code_at;
    GElf_Phdr header;
    uint32_t segment;
    uint64_t left;
    ssize_t got;

    if (inside < following->code_size && following->code_size - inside >= MP_CODE_MAX) {
        *size = following->code_size - (size_t)inside;
        return following->code + inside;
    }
    segment = mp_spans_find(&following->binary->code, address);
    *size = 0;
    if (following->fd < 0 || segment == MP_NO_ID ||
        gelf_getphdr(following->binary->elf, (int)segment, &header) == NULL ||
        address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
        return NULL;
    left = header.p_filesz - (address - header.p_vaddr);
    *size = left < CODE_BYTES ? left : CODE_BYTES;
    got = pread(following->fd, following->code, *size, (off_t)(header.p_offset + (address - header.p_vaddr)));
    following->code_at = address;
    following->code_size = *size = got > 0 ? (size_t)got : 0;
    return following->code;
}

/* ----------------------------------------------------------------------- file */

struct mp_following *
mp_following_new(struct mp_arena *arena)
{
    struct mp_following *following = mp_arena_alloc(arena, sizeof *following);

    following->arena = arena;
    following->fd = -1;
    return following;
}

/* The file's code is in the file itself: its copy has none. */
void
mp_following_open(struct mp_following *following, struct mp_binary *binary)
{
    struct stat status;
    const char *problem;
    GElf_Ehdr header;

    following->binary = binary;
    following->fd = -1;
    following->code_size = 0;
    if (gelf_getehdr(binary->elf, &header) == NULL || header.e_machine != EM_X86_64)
        return;
    following->fd = mp_file_open(binary->path, following->arena, &problem);
    if (following->fd >= 0 && (fstat(following->fd, &status) != 0 || status.st_dev != binary->device ||
                               status.st_ino != binary->inode))
        mp_following_close(following);
}

void
mp_following_close(struct mp_following *following)
{
    if (following->fd >= 0)
        close(following->fd);
    following->fd = -1;
}

/* -------------------------------------------------------------------- answers */

/* The pointer is, or is in, something of TYPE. */
static void
note(struct mp_following *following, Dwarf_Die type)
{
    Dwarf_Die target;
    bool byte;

    if (!mp_told_target(type, &target) || !mp_told_says(target, &byte))
        return;
    if (byte && following->told.byte.addr == NULL)
        following->told.byte = target;
    else if (!byte && following->told.object.addr == NULL)
        following->told.object = target;
}

/* All variables that live in PLACE. */
static void
note_variables(struct mp_following *following, struct mp_told_place place)
{
    Dwarf_Die type;
    uint32_t next = 0;

    while (following->told.object.addr == NULL && mp_told_place_type(&following->places, place, &next, &type))
        note(following, type);
}

static void
note_holders(struct mp_following *following, const struct way *way)
{
    mp_told_places_at(&following->places, way->pc);
    for (int reg = 0; reg < MP_CODE_REGISTERS; reg++)
        if ((way->holds >> reg & 1) != 0)
            note_variables(following, (struct mp_told_place){MP_TOLD_REGISTER, reg, 0});
    for (uint32_t i = 0; i < way->n_slots; i++)
        note_variables(following, (struct mp_told_place){MP_TOLD_FRAME, 0, way->slots[i]});
}

/* --------------------------------------------------------------------- memory */

/* Where the memory of CODE is, if no register but the frame's leads to it. */
static struct mp_told_place
place_of(struct mp_following *following, const struct mp_code *code)
{
    if (code->absolute)
        return (struct mp_told_place){MP_TOLD_ADDRESS, 0, code->offset};
    if (code->base == MP_CODE_NONE || code->index != MP_CODE_NONE)
        return (struct mp_told_place){.kind = MP_TOLD_NOWHERE};
    return mp_told_place_in_frame(&following->places, code->base, code->offset);
}

/* The type of what register REG holds, if it is known. */
static bool
type_of_register(struct mp_following *following, const struct way *way, int reg, Dwarf_Die *type)
{
    uint32_t next = 0;

    if (way->types[reg].addr != NULL) {
        *type = way->types[reg];
        return true;
    }
    return mp_told_place_type(&following->places, (struct mp_told_place){MP_TOLD_REGISTER, reg, 0}, &next, type);
}

/* The type of the memory of CODE, before which the way stands. */
static bool
type_of_memory(struct mp_following *following, const struct way *way, const struct mp_code *code, Dwarf_Die *type)
{
    const struct mp_told_place place = place_of(following, code);
    uint32_t next = 0;

    if (place.kind != MP_TOLD_NOWHERE)
        return mp_told_place_type(&following->places, place, &next, type);
    if (code->base == MP_CODE_NONE || code->offset < 0 || !type_of_register(following, way, code->base, type) ||
        !mp_told_target(*type, type) || type->addr == NULL)
        return false;
    if (code->index != MP_CODE_NONE && mp_told_is_before_array(*type, (uint64_t)code->offset))
        return false;           /* table[n - 1]? */
    return mp_told_part(type, (uint64_t)code->offset);
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

/* SIZE bytes at PLACE become something else. */
static void
forget_slots(struct way *way, struct mp_told_place place, unsigned size)
{
    if (place.kind != MP_TOLD_FRAME)
        return;
    for (uint32_t i = 0; i < way->n_slots;)
        if (way->slots[i] > place.at - WORD && way->slots[i] < place.at + (int64_t)size)
            way->slots[i] = way->slots[--way->n_slots];
        else
            i++;
}

/* Somebody gets to know the address of PLACE. */
static void
make_known(struct way *way, struct mp_told_place place)
{
    if (place.kind == MP_TOLD_FRAME && way->n_known < KNOWN_MAX)
        way->known[way->n_known++] = place.at;
}

/* A function that is called may change all that it knows of. */
static void
step_call(struct way *way, const struct mp_code *code)
{
    if (way->n_known == KNOWN_MAX)
        way->n_slots = 0;
    for (uint32_t i = 0; i < way->n_known; i++)
        forget_slots(way, (struct mp_told_place){MP_TOLD_FRAME, 0, way->known[i]}, WORD);
    change(way, code->written);
}

static void
step_copy(struct mp_following *following, struct way *way, const struct mp_code *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    Dwarf_Die type = {.addr = NULL};

    if (!held && !type_of_register(following, way, code->from, &type))
        type.addr = NULL;
    make_known(way, mp_told_place_in_frame(&following->places, code->from, 0));        /* mov %rsp,%rdi */
    change(way, code->written);
    way->types[code->to] = type;
    if (held)
        hold(way, code->to);
}

static void
step_load(struct mp_following *following, struct way *way, const struct mp_code *code)
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
step_store(struct mp_following *following, struct way *way, const struct mp_code *code)
{
    const bool held = (way->holds >> code->from & 1) != 0;
    const struct mp_told_place place = place_of(following, code);
    const int slot = slot_at(way, place);
    Dwarf_Die type;

    if (!held) {
        forget_slots(way, place, WORD);
        if (way->types[code->from].addr == NULL && type_of_memory(following, way, code, &type))
            way->types[code->from] = type;
        return;
    }
    if (place.kind == MP_TOLD_FRAME && slot < 0 && way->n_slots < SLOTS_MAX) {
        way->slots[way->n_slots++] = place.at;
        way->fresh = FRESH_STEPS;
    }
    if (type_of_memory(following, way, code, &type))
        note(following, type);
}

/* Is ADDRESS in the function that is followed, as far as that is known? */
static bool
is_in_function(struct mp_following *following, uint64_t address)
{
    Dwarf_Die *function = &following->places.function;

    return function->addr == NULL || dwarf_haspc(function, address - following->binary->bias) > 0;
}

/* A way from ADDRESS on, unless there was one, or it is in another function. */
static void
add_way(struct mp_following *following, const struct way *from, uint64_t address)
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

/* The way goes on behind CODE: false if it does not. */
static bool
step_branch(struct mp_following *following, struct way *way, const struct mp_code *code)
{
    if (way->tested && code->if_null)
        return true;            /* an allocation that failed is of no interest */
    add_way(following, way, code->target);
    return !(way->tested && code->if_not_null);
}

static void
step_return(struct mp_following *following, const struct way *way)
{
    Dwarf_Die type;

    if ((way->holds >> RETURNED & 1) == 0)
        return;
    type = mp_told_returned(&following->places);
    if (type.addr != NULL)
        note(following, type);
    following->told.returned = type.addr != NULL || following->places.function.addr == NULL;
}

/* False: nothing can be followed any more.  A call that never returns may be the last instruction of a function. */
static bool
step(struct mp_following *following, struct way *way)
{
    size_t size;
    const uint8_t *bytes = is_in_function(following, way->pc) ? code_at(following, way->pc, &size) : NULL;
    struct mp_code code;
    bool tested = false;

    if (bytes == NULL || !mp_code_x86_64(bytes, size, way->pc, &code))
        return false;
    mp_told_places_at(&following->places, way->pc);
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
    return (way->holds != 0 || way->n_slots > 0) && following->told.object.addr == NULL;
}

/* The code from FIRST to END is of the function that calls before ADDRESS: *STRAIGHT is where that goes on straight to
 * the call, as far as is known, and moves behind jumps, and to where these lead.  False: it is not known. */
static bool
find_straight(struct mp_following *following, uint64_t first, uint64_t end, uint64_t address, uint64_t *straight)
{
    const bool inside = first < address && address < end;
    struct mp_code code;
    uint64_t at = first;

    if (inside && first > *straight)
        *straight = first;
    for (uint32_t steps = 0; at < end && steps < SCAN_MAX; steps++, at += code.size) {
        size_t size;
        const uint8_t *bytes = code_at(following, at, &size);

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
look_before(struct mp_following *following, struct way *way, uint64_t address)
{
    Dwarf_Die *function = &following->places.function;
    const uint64_t bias = following->binary->bias;
    Dwarf_Addr base, start, end;
    uint64_t straight = 0;
    uint32_t steps = 0;
    ptrdiff_t next = 0;
    bool known = function->addr != NULL && following->fd >= 0 && !mp_die_has_scopes(function);

    for (unsigned i = 0;
         known && i < RANGES_MAX && (next = dwarf_ranges(function, next, &base, &start, &end)) > 0; i++)
        known = find_straight(following, start + bias, end + bias, address, &straight);
    way->pc = known && next == 0 ? straight : 0;
    for (uint64_t last = 0; way->pc != last && way->pc < address && steps++ < SCAN_MAX;) {
        last = way->pc;
        step(following, way);
    }
    if (way->pc != address)
        memset(way->types, 0, sizeof way->types);
}

struct mp_followed
mp_follow(struct mp_following *following, uint64_t address)
{
    struct way way = {.holds = 0};
    uint32_t steps = 0;

    mp_told_places_begin(&following->places, following->binary, address - 1);
    following->told = (struct mp_followed){.returned = false};
    following->n_ways = following->n_marks = 0;
    look_before(following, &way, address);
    following->n_ways = following->n_marks = 0;
    way.pc = address;
    way.holds = UINT32_C(1) << RETURNED;
    way.n_slots = 0;
    way.tested = false;
    way.fresh = FRESH_STEPS;
    following->ways[following->n_ways++] = way;
    while (following->n_ways > 0 && following->told.object.addr == NULL) {
        way = following->ways[--following->n_ways];
        do {
            if (way.fresh > 0) {
                way.fresh--;
                note_holders(following, &way);
            }
        } while (following->told.object.addr == NULL && steps++ < STEPS_MAX && step(following, &way));
    }
    return following->told;
}
