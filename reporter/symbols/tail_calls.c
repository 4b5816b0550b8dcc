/* SPDX-License-Identifier: MIT */
#include "tail_calls.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "dwarf_units.h"
#include "lookup.h"
#include "machine_code.h"

#define PATH_MAX_CALLS  16u     /* maximum number of functions on a path */
#define SEARCH_STEPS    512u    /* maximum number of jumps followed in one search */
#define CODE_MAX        16384u  /* maximum number of instructions of a function */
#define STUB_MAX        3u      /* maximum number of instructions of a stub in the procedure linkage table */
#define OUTSIDE         UINT64_MAX      /* target in another module */

/* A call whose return address is in frame OUTER. The next inner frame is INNER, or MP_NO_ID if the chain ends. */
struct pair {
    uint32_t outer, inner;
    uint32_t first, n;          /* range in `restored`: frames between them, outermost first */
};

/* A jump out of a function. */
struct jump {
    uint64_t end;               /* address after it */
    uint64_t target;            /* or OUTSIDE */
};

/* A function of the present file. */
struct callee {
    uint32_t known;             /* index in the file's answers, or MP_NO_ID */
    bool whole;                 /* all its tail calls are known */
    uint32_t first, n;          /* range in `jumps` */
};

struct mp_tail_calls {
    struct mp_profile *profile;
    struct mp_arena *arena;
    const uint32_t *first;      /* by module: the first one of the same file */
    struct pair *pairs; uint32_t n_pairs, pairs_room;   /* sorted by outer frame */
    uint32_t *pairs_of;         /* by frame: its first pair; one more follows the last */
    uint32_t *restored; uint32_t n_restored, restored_room;     /* frames */
    struct mp_map places;       /* module and address of each frame that was appended to the profile */
    uint32_t n_recorded;        /* number of the profile's other frames */
    uint32_t frames_room;

    /* the present file */
    struct mp_binary *binary;
    struct mp_map addresses;    /* where its functions begin */
    struct callee *callees; uint32_t callees_room;      /* by number in `addresses` */
    struct jump *jumps; uint32_t n_jumps, jumps_room;
};

/* A path of tail calls, outermost first. */
struct path {
    uint32_t callees[PATH_MAX_CALLS], jumps[PATH_MAX_CALLS], n;
};

/* ---------------------------------------------------------------------- calls of the profile */

/* Returns whether FRAME is code of no language's runtime. */
static bool
is_plain(const struct mp_profile *profile, const struct mp_frame *frame)
{
    return frame->mark == 0 && frame->module < profile->n_modules && !mp_frame_name(profile, frame) &&
           !frame->runtime && !frame->interpreted && !frame->tail;
}

static void
add_pair(struct mp_tail_calls *calls, struct mp_map *known, uint32_t outer, uint32_t inner)
{
    const struct mp_profile *profile = calls->profile;
    const struct mp_frame *in = inner == MP_NO_ID ? NULL : &profile->frames[inner];
    const struct mp_frame *out = &profile->frames[outer];

    if (!is_plain(profile, out) || out->exact || out->offset == 0 ||
        (in && (!is_plain(profile, in) || in->unproved)) ||
        mp_map_add_u64(known, (uint64_t)outer << 32 | inner) != calls->n_pairs)
        return;
    calls->pairs = mp_arena_grow(calls->arena, calls->pairs, calls->n_pairs, &calls->pairs_room, sizeof *calls->pairs);
    calls->pairs[calls->n_pairs++] = (struct pair){.outer = outer, .inner = inner};
}

static int
compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    return a->outer != b->outer ? (a->outer < b->outer ? -1 : 1) : (a->inner > b->inner) - (a->inner < b->inner);
}

/* Marks contexts with figures of their own, whose chains end with the call of an allocation function. */
static bool *
find_ends(const struct mp_profile *profile, struct mp_arena *arena)
{
    bool *ends = mp_arena_alloc(arena, profile->n_contexts * sizeof *ends);

    for (uint32_t i = 0; i < profile->n_cells; i++)
        ends[profile->cells[i].context] = true;
    for (uint32_t i = 0; i < profile->n_samples; i++)
        ends[profile->samples[i].context] = true;
    for (uint32_t i = 0; profile->bad_frees && i < profile->bad_frees->n; i++)
        ends[profile->bad_frees->places[i].context] = true;
    for (uint32_t i = 0; profile->mappings && i < profile->mappings->n; i++)
        ends[profile->mappings->list[i].context] = true;
    for (uint32_t i = 0; profile->timeline && i < profile->timeline->n_changes; i++)
        ends[profile->timeline->changes[i].context] = true;
    ends[0] = false;
    return ends;
}

/* Finds the first pair of each frame in the sorted pairs. */
static void
index_pairs(struct mp_tail_calls *calls)
{
    for (uint32_t i = 0, frame = 0; frame <= calls->n_recorded; calls->pairs_of[frame++] = i)
        while (i < calls->n_pairs && calls->pairs[i].outer < frame)
            i++;
}

struct mp_tail_calls *
mp_tail_calls_new(struct mp_profile *profile, const uint32_t *first, struct mp_arena *arena)
{
    struct mp_tail_calls *calls = mp_arena_alloc(arena, sizeof *calls);
    struct mp_map known = {.arena = arena};
    const bool *ends = find_ends(profile, arena);

    *calls = (struct mp_tail_calls){.profile = profile, .arena = arena, .first = first, .places.arena = arena,
                                    .n_recorded = profile->n_frames, .frames_room = profile->n_frames};
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];

        if (context->parent != 0)
            add_pair(calls, &known, profile->contexts[context->parent].frame, context->frame);
        if (ends[i])
            add_pair(calls, &known, context->frame, MP_NO_ID);
    }
    if (calls->n_pairs > 0)
        qsort(calls->pairs, calls->n_pairs, sizeof *calls->pairs, compare_pairs);
    calls->pairs_of = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *calls->pairs_of);
    index_pairs(calls);
    return calls;
}

/* ---------------------------------------------------------------------- the tail calls of a function */

/* Returns whether the debug information of FUNCTION describes all its tail calls. */
static bool
is_described(Dwarf_Die *function)
{
    static const unsigned int flags[] = {DW_AT_call_all_calls, DW_AT_call_all_tail_calls, DW_AT_call_all_source_calls,
        DW_AT_GNU_all_call_sites, DW_AT_GNU_all_tail_call_sites, DW_AT_GNU_all_source_call_sites};
    Dwarf_Attribute value;
    bool set;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (dwarf_attr_integrate(function, flags[i], &value) != NULL && dwarf_formflag(&value, &set) == 0 && set)
            return true;
    return false;
}

/* Returns whether CODE does nothing, like the byte that the linker puts behind a call that it made shorter. */
static bool
is_nop(const struct mp_instruction *code)
{
    return code->kind == MP_CODE_OTHER && code->size == 1 && code->written == 0;
}

/* Returns whether SITE describes the call whose instruction is from START to END. If the linker put a nop behind it,
 * OTHER_END is the address after that, else END. */
static bool
is_site_of(const struct mp_binary *binary, Dwarf_Die *site, uint64_t start, uint64_t end, uint64_t other_end)
{
    Dwarf_Attribute value;
    Dwarf_Addr at;

    if (dwarf_tag(site) != DW_TAG_call_site && dwarf_tag(site) != DW_TAG_GNU_call_site)
        return false;
    if (dwarf_formaddr(dwarf_attr(site, DW_AT_call_pc, &value), &at) == 0)
        return at + binary->bias == start;
    if (dwarf_formaddr(dwarf_attr(site, DW_AT_call_return_pc, &value), &at) != 0 &&
        dwarf_formaddr(dwarf_attr(site, DW_AT_low_pc, &value), &at) != 0)
        return false;
    return at + binary->bias == end || at + binary->bias == other_end;
}

/* Finds the description of the call in FUNCTION whose instruction is from START to END. */
static bool
find_site(struct mp_binary *binary, Dwarf_Die *function, uint64_t start, uint64_t end, Dwarf_Die *site)
{
    struct mp_instruction next;
    const uint64_t other_end = end + (mp_machine_code(binary, end, &next) && is_nop(&next));
    struct mp_die_walk walk;
    bool descend = true;

    mp_die_walk_begin(&walk, function);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        const int tag = dwarf_tag(die);

        *site = *die;
        if (is_site_of(binary, site, start, end, other_end))
            return true;
        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block;
    }
    return false;
}

/* Returns the name of FUNCTION for the linker, or else its name in the source, or NULL. */
static const char *
name_of(Dwarf_Die *function)
{
    Dwarf_Attribute value;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &value) != NULL ||
        dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &value) != NULL)
        return dwarf_formstring(&value);
    return dwarf_diename(function);
}

/* Returns whether the debug information states that the instruction of FUNCTION from START to END calls the function at
 * TARGET. If equal functions were merged, it states the name of another one. */
static bool
is_call_of(struct mp_binary *binary, Dwarf_Die *function, uint64_t start, uint64_t end, uint64_t target)
{
    struct mp_unit *unit = mp_unit_at(binary, target);
    Dwarf_Die *called = unit ? mp_unit_function(binary, unit, target) : NULL, site, origin;
    const char *name = called ? name_of(called) : NULL, *stated;

    if (name == NULL || !find_site(binary, function, start, end, &site) ||
        (!mp_die_reference(&site, DW_AT_call_origin, &origin) &&
         !mp_die_reference(&site, DW_AT_abstract_origin, &origin)))
        return false;
    stated = name_of(&origin);
    return stated != NULL && strcmp(stated, name) == 0;
}

/* Returns whether ADDRESS is in the global offset table of BINARY, which has the addresses of other modules. */
static bool
is_in_got(const struct mp_binary *binary, uint64_t address)
{
    size_t names;
    GElf_Shdr header;
    const char *name;

    if (elf_getshdrstrndx(binary->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(binary->elf, section)) != NULL && mp_budget_work(1);)
        if (gelf_getshdr(section, &header) != NULL && address >= header.sh_addr &&
            address - header.sh_addr < header.sh_size && (header.sh_flags & SHF_ALLOC) != 0 &&
            (name = elf_strptr(binary->elf, names, header.sh_name)) != NULL)
            return strcmp(name, ".got") == 0 || strcmp(name, ".got.plt") == 0;
    return false;
}

/* Returns whether CODE jumps to an address from the global offset table. */
static bool
jumps_outside(const struct mp_binary *binary, const struct mp_instruction *code)
{
    return code->kind == MP_CODE_JUMP && code->target == 0 && code->absolute &&
           is_in_got(binary, (uint64_t)code->offset);
}

/* Returns whether the code at ADDRESS only jumps to another module. */
static bool
is_stub(struct mp_binary *binary, uint64_t address)
{
    struct mp_instruction code;

    for (uint32_t i = 0; i < STUB_MAX && mp_machine_code(binary, address, &code); i++, address += code.size)
        if (code.kind != MP_CODE_OTHER)
            return jumps_outside(binary, &code);
    return false;
}

/* Returns whether the answers for ADDRESS and OTHER are the same functions and lines. */
static bool
same_place(struct mp_binary *binary, uint64_t address, uint64_t other)
{
    const struct mp_answer *answer = mp_answer_of(binary, address, false);
    const struct mp_answer a = answer ? *answer : (struct mp_answer){.count = 0};
    const struct mp_place *places;

    answer = mp_answer_of(binary, other, false);
    if (!answer || answer->count != a.count)
        return false;
    places = binary->answers.places;
    for (uint32_t i = 0; i < a.count; i++) {
        const struct mp_place *x = &places[a.first + i], *y = &places[answer->first + i];

        if (x->known != y->known || x->line != y->line || strcmp(x->file, y->file) != 0)
            return false;
    }
    return a.count > 0;
}

/* Adds the jump to TARGET that ends at END. Compilers copy tail calls, so several jumps of one source line to one
 * target count once. */
static void
add_jump(struct mp_tail_calls *calls, struct callee *callee, uint64_t end, uint64_t target)
{
    for (uint32_t i = callee->first; i < calls->n_jumps && target != OUTSIDE; i++)
        if (calls->jumps[i].target == target && same_place(calls->binary, calls->jumps[i].end - 1, end - 1))
            return;
    calls->jumps = mp_arena_grow(calls->arena, calls->jumps, calls->n_jumps, &calls->jumps_room, sizeof *calls->jumps);
    calls->jumps[calls->n_jumps++] = (struct jump){end, target};
    callee->n++;
}

/* Adds the jump CODE at START of FUNCTION if it leaves the function. Returns false if the target is unknown. A jump to
 * an address in a register counts as a jump inside of the function, for a switch, unless the debug information
 * describes it as a call. Also returns false for a tail call of FUNCTION itself, which is a cycle. */
static bool
follow(struct mp_tail_calls *calls, struct callee *callee, Dwarf_Die *function, const struct mp_instruction *code,
       uint64_t start)
{
    struct mp_binary *binary = calls->binary;
    const uint64_t end = start + code->size;
    Dwarf_Die site;

    if (jumps_outside(binary, code)) {
        add_jump(calls, callee, end, OUTSIDE);
    } else if (code->target == 0) {
        return !code->absolute && code->base == MP_CODE_NONE && code->index == MP_CODE_NONE &&
               !find_site(binary, function, start, end, &site);
    } else if (mp_die_has_pc(function, code->target - binary->bias)) {
        return code->target != mp_dwarf_entry(binary, function) || !find_site(binary, function, start, end, &site);
    } else if (mp_dwarf_function(binary, code->target) == MP_NO_ID && is_stub(binary, code->target)) {
        add_jump(calls, callee, end, OUTSIDE);
    } else {
        add_jump(calls, callee, end, code->target);
        return is_call_of(binary, function, start, end, code->target);
    }
    return true;
}

/* Adds the jumps out of FUNCTION in its range [AT, END). Returns false if they are not all known. */
static bool
scan(struct mp_tail_calls *calls, struct callee *callee, Dwarf_Die *function, uint64_t at, uint64_t end)
{
    struct mp_instruction code;
    bool ended = false;

    for (uint32_t n = 0; at < end; at += code.size) {
        if (n++ == CODE_MAX || !mp_budget_work(n % 8 == 0) || !mp_machine_code(calls->binary, at, &code))
            return false;
        if ((code.kind == MP_CODE_JUMP || code.kind == MP_CODE_BRANCH) &&
            !follow(calls, callee, function, &code, at))
            return false;
        ended = is_nop(&code) ? ended : code.kind != MP_CODE_OTHER && code.kind != MP_CODE_BRANCH;
    }
    return at == end && ended;
}

/* Returns whether A and B, indices in the file's answers or MP_NO_ID, are one function. Answers from the cache may have
 * another index. */
static bool
same_function(const struct mp_tail_calls *calls, uint32_t a, uint32_t b)
{
    const struct mp_known_function *knowns = calls->binary->answers.knowns;

    return a == b || (a != MP_NO_ID && b != MP_NO_ID && strcmp(knowns[a].key, knowns[b].key) == 0);
}

/* Returns the number of the function whose code starts at ADDRESS, with its tail calls. */
static uint32_t
callee_at(struct mp_tail_calls *calls, uint64_t address)
{
    struct mp_binary *binary = calls->binary;
    const uint32_t n = calls->addresses.count, number = mp_map_add_u64(&calls->addresses, address);
    struct mp_unit *unit = mp_unit_at(binary, address);
    Dwarf_Die *die = unit && number == n ? mp_unit_function(binary, unit, address) : NULL, function;
    struct callee callee = {.known = MP_NO_ID, .first = calls->n_jumps};
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    if (number < n)
        return number;
    if (die != NULL) {
        function = *die;
        callee.known = mp_dwarf_function(binary, address);
        callee.whole = mp_dwarf_entry(binary, &function) == address && is_described(&function);
        while (callee.whole && (next = mp_die_ranges(&function, next, &base, &start, &end)) > 0)
            callee.whole = scan(calls, &callee, &function, start + binary->bias, end + binary->bias);
        callee.whole &= next == 0;
    }
    calls->callees = mp_arena_grow(calls->arena, calls->callees, n, &calls->callees_room, sizeof *calls->callees);
    calls->callees[number] = callee;
    return number;
}

/* ---------------------------------------------------------------------- paths */

/* Finds the only path of tail calls from the function at ENTRY to GOAL, a function in the file's answers, or MP_NO_ID
 * for another module. Also follows the tail calls of GOAL, which must not lead back. Returns false if there are several
 * paths, or none, or if one is unknown. */
static bool
find_path(struct mp_tail_calls *calls, uint64_t entry, uint32_t goal, struct path *path)
{
    struct path at = {.n = 1, .callees = {callee_at(calls, entry)}};
    uint32_t next[PATH_MAX_CALLS] = {0}, reached = 0;   /* `reached`: number of functions up to GOAL, or 0 */

    path->n = 0;
    for (uint32_t steps = 0; at.n > 0; steps++) {
        const uint32_t top = at.n - 1;
        const struct callee *callee = &calls->callees[at.callees[top]];
        uint64_t target;
        uint32_t number;

        if (steps == SEARCH_STEPS || (!callee->whole && reached == 0))
            return false;
        if (next[top] == callee->n) {
            reached = reached == at.n ? 0 : reached;
            at.n--;
            continue;
        }
        at.jumps[top] = callee->first + next[top]++;
        target = calls->jumps[at.jumps[top]].target;
        if (target == OUTSIDE && reached > 0)
            continue;
        if (target == OUTSIDE) {
            if (goal != MP_NO_ID || path->n > 0)
                return false;
            *path = at;
            continue;
        }
        number = callee_at(calls, target);
        for (uint32_t i = 0; i < at.n; i++)
            if (at.callees[i] == number)
                return false;
        if (at.n == PATH_MAX_CALLS)
            return false;
        if (reached == 0 && goal != MP_NO_ID && same_function(calls, calls->callees[number].known, goal)) {
            if (path->n > 0)
                return false;
            *path = at;
            reached = at.n + 1;
        }
        next[at.n] = 0;
        at.callees[at.n++] = number;
    }
    return path->n > 0;
}

/* Returns the frame of MODULE for the tail call that ends at ADDRESS. */
static uint32_t
frame_at(struct mp_tail_calls *calls, uint32_t module, uint64_t address)
{
    struct mp_profile *profile = calls->profile;
    const uint64_t key[] = {module, address};
    const uint32_t id = calls->n_recorded + mp_map_add(&calls->places, key, sizeof key);

    if (id == profile->n_frames) {
        profile->frames = mp_arena_grow(profile->arena, profile->frames, id, &calls->frames_room,
                                        sizeof *profile->frames);
        profile->frames[profile->n_frames++] =
            (struct mp_frame){.module = module, .offset = address, .tail = true, .name = MP_NO_ID};
    }
    return id;
}

/* Returns the function, an index in the answers, that contains ADDRESS, or MP_NO_ID. */
static uint32_t
function_at(struct mp_binary *binary, uint64_t address)
{
    const struct mp_answer *answer = mp_answer_of(binary, address, false);

    return answer && answer->count > 0 ? binary->answers.places[answer->first + answer->count - 1].known : MP_NO_ID;
}

/* Returns whether the debug information confirms that the call which ends at ADDRESS calls TARGET. */
static bool
is_certain(struct mp_binary *binary, uint64_t address, uint64_t target)
{
    struct mp_unit *unit = mp_unit_at(binary, address - 1);
    Dwarf_Die *die = unit ? mp_unit_function(binary, unit, address - 1) : NULL;
    Dwarf_Die function = die ? *die : (Dwarf_Die){.addr = NULL};

    return die && is_call_of(binary, &function, address - 1, address, target);
}

/* Adds to the answers the path of tail calls from the call that ends at ADDRESS and enters TARGET to the function GOAL,
 * which starts at GOAL_START. Returns its index, or MP_NO_ID if the file cannot be read. Parts and clones of a function
 * are the same function. */
static uint32_t
add_path(struct mp_tail_calls *calls, uint64_t address, uint64_t target, uint32_t goal, uint64_t goal_start)
{
    struct mp_binary *binary = calls->binary;
    struct path path = {.n = 0};
    uint32_t number, first;

    if (!mp_binary_load(binary))
        return MP_NO_ID;
    if (!is_certain(binary, address, target) || !find_path(calls, target, goal, &path))
        path.n = 0;
    number = mp_tail_path_add(&binary->answers, address, goal_start);
    first = binary->answers.n_tail_ends;
    for (uint32_t i = 0; i < path.n; i++) {
        const uint32_t next = i + 1 < path.n ? calls->callees[path.callees[i + 1]].known : goal;

        if (!same_function(calls, calls->callees[path.callees[i]].known, next))
            mp_tail_end_add(&binary->answers, calls->jumps[path.jumps[i]].end);
    }
    binary->answers.tails[number] = (struct mp_tail_path){first, binary->answers.n_tail_ends - first};
    binary->answers.changed = true;
    return number;
}

/* Restores the functions between the frames of PAIR. TARGET is the address that was called. Most calls enter the
 * function of the inner frame, and no code needs to be read for them. */
static void
restore(struct mp_tail_calls *calls, struct pair *pair, uint64_t target)
{
    const struct mp_profile *profile = calls->profile;
    struct mp_binary *binary = calls->binary;
    const struct mp_frame *inner = pair->inner == MP_NO_ID ? NULL : &profile->frames[pair->inner];
    const uint32_t module = profile->frames[pair->outer].module;
    const uint64_t address = profile->frames[pair->outer].offset;
    uint64_t goal_start = MP_NO_START;
    uint32_t goal = MP_NO_ID, entered, number;
    struct mp_tail_path path;

    if (inner && calls->first[inner->module] == binary->module) {
        goal = function_at(binary, inner->offset - (!inner->exact && inner->offset > 0));
        if (goal == MP_NO_ID || binary->answers.knowns[goal].start == target)
            return;
        goal_start = binary->answers.knowns[goal].start;
    }
    entered = function_at(binary, target);
    if (entered == MP_NO_ID || same_function(calls, entered, goal) || !binary->answers.knowns[entered].declared)
        return;
    number = mp_tail_path_find(&binary->answers, address, goal_start);
    if (number == MP_NO_ID)
        number = add_path(calls, address, target, goal, goal_start);
    if (number == MP_NO_ID)
        return;
    path = binary->answers.tails[number];
    pair->first = calls->n_restored;
    pair->n = path.count;
    for (uint32_t i = 0; i < path.count; i++) {
        calls->restored = mp_arena_grow(calls->arena, calls->restored, calls->n_restored, &calls->restored_room,
                                        sizeof *calls->restored);
        calls->restored[calls->n_restored++] = frame_at(calls, module, binary->answers.tail_ends[path.first + i]);
    }
}

void
mp_tail_calls_find(struct mp_tail_calls *calls, struct mp_binary *binary, const struct mp_symbol_frame *frames,
                   uint32_t count)
{
    calls->binary = binary;
    calls->addresses = (struct mp_map){.arena = calls->arena};
    calls->callees = NULL;
    calls->callees_room = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t frame = frames[i].frame;
        const bool calling = calls->pairs_of[frame] < calls->pairs_of[frame + 1];
        const struct mp_answer *answer = calling ? mp_answer_of(binary, frames[i].address, false) : NULL;
        const uint64_t target = answer ? answer->target : 0;

        for (uint32_t k = calls->pairs_of[frame]; target != 0 && k < calls->pairs_of[frame + 1]; k++)
            restore(calls, &calls->pairs[k], target);
    }
}

/* ---------------------------------------------------------------------- the profile's contexts */

/* Removes the pairs of frames between which nothing was restored. They are nearly all pairs. */
static void
remove_pairs(struct mp_tail_calls *calls)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < calls->n_pairs; i++)
        if (calls->pairs[i].n > 0)
            calls->pairs[n++] = calls->pairs[i];
    calls->n_pairs = n;
    index_pairs(calls);
}

/* Returns the pair of frames OUTER and INNER if functions between them were restored, else NULL. */
static const struct pair *
find_pair(const struct mp_tail_calls *calls, uint32_t outer, uint32_t inner)
{
    for (uint32_t i = calls->pairs_of[outer]; i < calls->pairs_of[outer + 1]; i++)
        if (calls->pairs[i].inner == inner)
            return &calls->pairs[i];
    return NULL;
}

/* Contexts of restored frames, which several chains may share. Any other new context has one old context. */
struct inserted {
    struct mp_map keys;         /* parent << 32 | frame */
    uint32_t *contexts, room;   /* by key */
};

static uint32_t
append(struct mp_profile *profile, uint32_t parent, uint32_t frame)
{
    profile->contexts[profile->n_contexts] = (struct mp_context){.parent = parent, .frame = frame};
    return profile->n_contexts++;
}

/* Returns the new context of the frames that were restored between OUTER, whose new context is CONTEXT, and INNER. */
static uint32_t
insert(struct mp_tail_calls *calls, struct inserted *inserted, uint32_t context, uint32_t outer, uint32_t inner)
{
    const struct pair *pair = find_pair(calls, outer, inner);

    for (uint32_t i = 0; pair && i < pair->n; i++) {
        const uint32_t frame = calls->restored[pair->first + i], n = inserted->keys.count;
        const uint32_t key = mp_map_add_u64(&inserted->keys, (uint64_t)context << 32 | frame);

        if (key == n) {
            inserted->contexts = mp_arena_grow(calls->arena, inserted->contexts, n, &inserted->room,
                                               sizeof *inserted->contexts);
            inserted->contexts[key] = append(calls->profile, context, frame);
        }
        context = inserted->contexts[key];
    }
    return context;
}

/* Returns the maximum number of contexts after the insertion. */
static uint64_t
count_contexts(const struct mp_tail_calls *calls, const bool *ends)
{
    const struct mp_profile *profile = calls->profile;
    uint64_t most = profile->n_contexts;

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_context *context = &profile->contexts[i];
        const struct pair *pair =
            context->parent != 0 ? find_pair(calls, profile->contexts[context->parent].frame, context->frame) : NULL;

        most += pair ? pair->n : 0;
        pair = ends[i] ? find_pair(calls, context->frame, MP_NO_ID) : NULL;
        most += pair ? pair->n : 0;
    }
    return most;
}

/* Replaces all references to old contexts in PROFILE by references to new ones. New contexts have the order of the old
 * ones, so all lists remain sorted. ENDS has, by old context, the new context of the figures that were counted there;
 * WITHIN has the new context that calls the old context's children. */
static void
renumber(struct mp_profile *profile, const uint32_t *ends, const uint32_t *within)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        profile->cells[i].context = ends[profile->cells[i].context];
    for (uint32_t i = 0; i < profile->n_samples; i++)
        profile->samples[i].context = ends[profile->samples[i].context];
    for (uint32_t i = 0; profile->bad_frees && i < profile->bad_frees->n; i++)
        profile->bad_frees->places[i].context = ends[profile->bad_frees->places[i].context];
    for (uint32_t i = 0; profile->mappings && i < profile->mappings->n; i++)
        profile->mappings->list[i].context = ends[profile->mappings->list[i].context];
    for (uint32_t i = 0; profile->timeline && i < profile->timeline->n_changes; i++)
        profile->timeline->changes[i].context = ends[profile->timeline->changes[i].context];
    for (uint32_t i = 0; i < profile->n_forms; i++)
        profile->forms[i] = within[profile->forms[i]];
}

void
mp_tail_calls_insert(struct mp_tail_calls *calls)
{
    struct mp_profile *profile = calls->profile;
    const struct mp_context *old = profile->contexts;
    const uint32_t n = profile->n_contexts;
    struct inserted inserted = {.keys.arena = calls->arena};
    uint32_t *within, *end;
    const bool *ends;
    uint64_t most;

    if (calls->n_restored == 0)
        return;
    remove_pairs(calls);
    ends = find_ends(profile, calls->arena);
    most = count_contexts(calls, ends);
    if (most >= MP_NO_ID)
        mp_no_memory();
    within = mp_arena_alloc(calls->arena, n * sizeof *within);
    end = mp_arena_alloc(profile->arena, n * sizeof *end);
    profile->contexts = mp_arena_alloc(profile->arena, most * sizeof *profile->contexts);
    profile->n_contexts = 0;
    append(profile, 0, MP_NO_ID);
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t outer = old[old[i].parent].frame, frame = old[i].frame;
        uint32_t parent = within[old[i].parent];

        if (old[i].parent != 0)
            parent = insert(calls, &inserted, parent, outer, frame);
        within[i] = end[i] = append(profile, parent, frame);
        if (ends[i])
            end[i] = insert(calls, &inserted, within[i], frame, MP_NO_ID);
    }
    renumber(profile, end, within);
    profile->restored_to = end;
}
