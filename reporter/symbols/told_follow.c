#include "told_follow.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code.h"
#include "die.h"
#include "private_copy.h"
#include "told_places.h"
#include "told_types.h"

#define STEPS_MAX   600u        /* maximum number of instructions followed from one return address */
#define FRESH_STEPS 12u         /* number of instructions after a copy at which variables are looked up */
#define WAYS_MAX    16u
#define MARKS_MAX   64u
#define SLOTS_MAX   8u
#define KNOWN_MAX   16u
#define CODE_BYTES  4096u       /* bytes read at a time */
#define SCAN_MAX    4096u       /* maximum number of instructions scanned in a function to find register contents
                                   before a call */
#define RANGES_MAX  16u         /* maximum number of address ranges of a function */
#define WORD        8
#define RETURNED    0           /* DWARF number of the register with a function's result: rax, x0 */

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

struct mp_following {
    struct mp_arena *arena;

    /* the present file */
    struct mp_binary *binary;
    int fd;                     /* file with its code; -1 = unavailable */
    uint64_t code_at;           /* address of the first byte in `code` */
    size_t code_size;
    uint8_t code[CODE_BYTES];

    /* the present return address */
    struct mp_told_places places;
    struct way ways[WAYS_MAX];
    uint32_t n_ways;
    uint64_t marks[MARKS_MAX];  /* addresses at which ways began */
    uint32_t n_marks;
    struct mp_followed told;
};

/* ---------------------------------------------------------------------- code */

/* Returns the bytes of code at ADDRESS and sets *SIZE to their number. */
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

/* Opens the original file to read its code, because the private copy contains none. */
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

/* Notes that the pointer is stored in an object of TYPE, or in a part of it. */
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

/* Notes the types of all variables at PLACE. */
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

/* Returns the place of CODE's memory operand, if it is an address or only the frame's register leads to it. */
static struct mp_told_place
place_of(struct mp_following *following, const struct mp_instruction *code)
{
    if (code->absolute)
        return (struct mp_told_place){MP_TOLD_ADDRESS, 0, code->offset};
    if (code->base == MP_CODE_NONE || code->index != MP_CODE_NONE)
        return (struct mp_told_place){.kind = MP_TOLD_NOWHERE};
    return mp_told_place_in_frame(&following->places, code->base, code->offset);
}

/* Sets *TYPE to the type of register REG's value. Returns false if it is unknown. */
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

/* Sets *TYPE to the type of CODE's memory operand, given the state before CODE. Returns false if it is unknown. */
static bool
type_of_memory(struct mp_following *following, const struct way *way, const struct mp_instruction *code,
               Dwarf_Die *type)
{
    const struct mp_told_place place = place_of(following, code);
    uint32_t next = 0;

    if (place.kind != MP_TOLD_NOWHERE)
        return mp_told_place_type(&following->places, place, &next, type);
    if (code->base == MP_CODE_NONE || code->offset < 0 || !type_of_register(following, way, code->base, type) ||
        !mp_told_target(*type, type) || type->addr == NULL)
        return false;
    if (code->index != MP_CODE_NONE && mp_told_is_before_array(*type, (uint64_t)code->offset))
        return false;           /* may be table[n - 1] */
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

/* Forgets slots that overlap the SIZE bytes at PLACE, which are overwritten. */
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

/* Records that other functions may learn the address of PLACE. */
static void
make_known(struct way *way, struct mp_told_place place)
{
    if (place.kind == MP_TOLD_FRAME && way->n_known < KNOWN_MAX)
        way->known[way->n_known++] = place.at;
}

/* Handles a call. The called function may change all words whose addresses it may know. */
static void
step_call(struct way *way, const struct mp_instruction *code)
{
    if (way->n_known == KNOWN_MAX)
        way->n_slots = 0;
    for (uint32_t i = 0; i < way->n_known; i++)
        forget_slots(way, (struct mp_told_place){MP_TOLD_FRAME, 0, way->known[i]}, WORD);
    change(way, code->written);
}

static void
step_copy(struct mp_following *following, struct way *way, const struct mp_instruction *code)
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
step_load(struct mp_following *following, struct way *way, const struct mp_instruction *code)
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
step_store(struct mp_following *following, struct way *way, const struct mp_instruction *code)
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

/* Returns true if ADDRESS is in the followed function, or if that function is unknown. */
static bool
is_in_function(struct mp_following *following, uint64_t address)
{
    Dwarf_Die *function = &following->places.function;

    return function->addr == NULL || dwarf_haspc(function, address - following->binary->bias) > 0;
}

/* Adds a way from ADDRESS on, with the state of FROM. Ignores ADDRESS if a way began there before or if it is in
 * another function. */
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

/* Handles a branch. Returns false if the way does not continue behind it. */
static bool
step_branch(struct mp_following *following, struct way *way, const struct mp_instruction *code)
{
    if (way->tested && code->if_null)
        return true;            /* the path of a failed allocation is ignored */
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

/* Executes one instruction. Returns false if the way ends. A function may end with a call that never returns. */
static bool
step(struct mp_following *following, struct way *way)
{
    size_t size;
    const uint8_t *bytes = is_in_function(following, way->pc) ? code_at(following, way->pc, &size) : NULL;
    struct mp_instruction code;
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

/* Scans the range [FIRST, END) of the function's code for jumps, which may lead past the start of the straight-line
 * code before the call that returns to ADDRESS. Moves *STRAIGHT, that start, behind each jump and to each jump
 * target before ADDRESS. Returns false if control flow is unknown. */
static bool
find_straight(struct mp_following *following, uint64_t first, uint64_t end, uint64_t address, uint64_t *straight)
{
    const bool inside = first < address && address < end;
    struct mp_instruction code;
    uint64_t at = first;

    if (inside && first > *straight)
        *straight = first;
    for (uint32_t steps = 0; at < end && steps < SCAN_MAX; steps++, at += code.size) {
        size_t size;
        const uint8_t *bytes = code_at(following, at, &size);

        if (bytes == NULL || !mp_code_x86_64(bytes, size, at, &code))
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
