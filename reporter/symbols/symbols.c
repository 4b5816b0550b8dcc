/* SPDX-License-Identifier: MIT */
/*
 * symbols.c -- the driver of symbolisation.
 *
 * Frames are sorted by module and address, and each module's file is opened once (binary.h). The file's answer for
 * an address (lookup.h) is converted to functions and locations of the profile (collected.h). At the end each function
 * gets a text (identity.h), and each bin gets its types (types.h).
 */
#include "symbols.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "better_names.h"
#include "collected.h"
#include "elf_open.h"
#include "elf_symbols.h"
#include "inlined_copies.h"
#include "lisp_operations.h"
#include "lookup.h"
#include "symbol_files.h"
#include "tail_calls.h"
#include "types.h"

/* --------------------------------------------------------------- offsets in files */

/* The mapped parts of a file, as offsets in the file. */
struct parts {
    struct mp_spans spans;      /* value: index in the list */
    uint64_t *differences;      /* from offset to address */
    uint32_t n, room;
};

static void
read_parts(struct parts *parts, Elf *elf, struct mp_arena *arena)
{
    GElf_Phdr header;
    size_t count;

    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            (header.p_flags & PF_X) == 0 || header.p_filesz > UINT64_MAX - header.p_offset)
            continue;
        parts->differences = mp_arena_grow(arena, parts->differences, parts->n, &parts->room,
                                           sizeof *parts->differences);
        parts->differences[parts->n] = header.p_vaddr - header.p_offset;
        mp_spans_add(&parts->spans, arena, header.p_offset, header.p_offset + header.p_filesz, parts->n++);
    }
    mp_spans_flatten(&parts->spans, arena);
}

static struct parts
parts_of(const struct mp_profile *profile, uint32_t module, struct mp_arena *arena)
{
    struct parts parts = {0};
    const int fd = mp_binary_file(profile, module, arena);
    Elf *elf = fd >= 0 ? mp_elf_open(fd, ELF_C_READ) : NULL;

    if (elf != NULL)
        read_parts(&parts, elf, arena);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return parts;
}

static void
place(struct mp_frame *frame, const struct parts *parts)
{
    const uint32_t part = mp_spans_find(&parts->spans, frame->offset - (!frame->exact && frame->offset > 0));

    if (part != MP_NO_ID)
        frame->offset += parts->differences[part];
}

/* Other tools recorded only mappings, so the frames of modules with `in_file` set have offsets in the file. Converts
 * them to addresses. A frame remains unchanged if the file is missing or contains no code at that offset. Without the
 * file, `in_file` stays set and the module loses its build-id, because no file could name its frames later. */
static void
place_frames(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    struct parts *parts = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *parts);
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted);

    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (profile->frames[i].module < profile->n_modules)
            wanted[profile->frames[i].module] = true;
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].in_file && wanted[i])
            parts[i] = parts_of(profile, i, arena);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (profile->frames[i].module < profile->n_modules && profile->frames[i].mark == 0)
            place(&profile->frames[i], &parts[profile->frames[i].module]);
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        struct mp_module *module = &profile->modules[i];

        module->in_file = module->in_file && wanted[i] && parts[i].n == 0;
        if (module->in_file)
            module->build_id_size = 0;
    }
    mp_arena_free(arena);
}

/* ------------------------------------------------------------- frames without a file */

/* Adds a location of the function IS, which has no symbol. KEY identifies it in its module. */
static void
locate_plain(struct mp_symboliser *symboliser, const char *key, const struct mp_function *is)
{
    struct mp_symbol_function *function;
    uint32_t id = mp_symbols_function(symboliser, is->module, key, &function);

    function->is = *is;
    function->filled = true;
    mp_symbols_locate(symboliser, (struct mp_location){ .function = id, .file = "" });
}

/* Adds a location of the function at START of MODULE, or at address START if MODULE is MP_NO_ID. */
static void
locate_place(struct mp_symboliser *symboliser, uint32_t module, uint64_t start)
{
    char key[32];

    snprintf(key, sizeof key, "place %llx", (unsigned long long)start);
    locate_plain(symboliser, key,
                 &(struct mp_function){ .kind = MP_FUNCTION_PLACE, .module = module, .start = start });
}

static void
locate_outside(struct mp_symboliser *symboliser, const struct mp_frame *frame)
{
    static const char *const marks[] = {
        [MP_FRAME_CUT_DEPTH] = "[cut: depth]",
        [MP_FRAME_CUT_NO_RULE] = "[cut: no unwind information]",
        [MP_FRAME_CUT_MEMORY] = "[cut: no memory]",
    };
    struct mp_function function = { .module = MP_NO_ID };
    char text[32];

    if (!frame->interpreted && frame->mark == 0) {
        locate_place(symboliser, MP_NO_ID, frame->offset);
        return;
    }
    if (frame->interpreted)
        snprintf(text, sizeof text, "ecl_interpret");
    else if (frame->mark < sizeof marks / sizeof *marks)
        snprintf(text, sizeof text, "%s", marks[frame->mark]);
    else
        snprintf(text, sizeof text, "[mark %lu]", (unsigned long)frame->mark);
    function.plain = mp_texts_add(&symboliser->names, text);
    locate_plain(symboliser, text, &function);
}

/* ----------------------------------------------------------------- frames of a module */

/* Returns for each module the first module of the same file, so that a file loaded twice has each function once. */
static uint32_t *
merge_modules(struct mp_symboliser *symboliser)
{
    const struct mp_profile *profile = symboliser->profile;
    struct mp_map files = { .arena = symboliser->scratch };
    uint32_t *first = mp_arena_alloc(symboliser->scratch,
                                     (profile->n_modules + 1) * sizeof *first);
    uint32_t *of_number = mp_arena_alloc(symboliser->scratch,
                                         (profile->n_modules + 1) * sizeof *of_number);

    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];
        const uint64_t state[3] = {module->inode, module->size, module->mtime};     /* identifies it without build-id */
        size_t path = strlen(module->path), size = path + 1 + sizeof module->build_id;
        char *key = mp_arena_alloc(symboliser->scratch, size + sizeof state);
        uint32_t known = files.count, number;

        memcpy(key, module->path, path + 1);
        memcpy(key + path + 1, module->build_id, sizeof module->build_id);
        memcpy(key + size, state, sizeof state);
        number = mp_map_add(&files, key, size + (module->build_id_size == 0 ? sizeof state : 0));
        if (number == known)
            of_number[number] = i;
        first[i] = of_number[number];
    }
    return first;
}

static int
compare_tasks(const void *left, const void *right)
{
    const struct mp_symbol_frame *a = left, *b = right;

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Returns for each frame whether a context uses it. */
static bool *
find_used(struct mp_symboliser *symboliser)
{
    const struct mp_profile *profile = symboliser->profile;
    bool *used = mp_arena_alloc(symboliser->scratch,
                                (profile->n_frames + (size_t)1) * sizeof *used);

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        used[profile->contexts[i].frame] = true;
    return used;
}

/* Names the frames outside of modules. Returns the other frames, sorted. If the profile has names already, returns only
 * the frames of modules whose names may become better. */
static struct mp_symbol_frame *
sort_frames(struct mp_symboliser *symboliser, const uint32_t *first, uint32_t *n_tasks)
{
    struct mp_profile *profile = symboliser->profile;
    struct mp_symbol_frame *tasks = mp_arena_alloc(
        symboliser->scratch, (profile->n_frames + (size_t)1) * sizeof *tasks);
    const bool *used = find_used(symboliser);

    *n_tasks = 0;
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        struct mp_frame *frame = &profile->frames[i];

        if (symboliser->better && (frame->module >= profile->n_modules || !symboliser->better[first[frame->module]]))
            continue;
        if (frame->mark == 0 && frame->module < profile->n_modules) {
            /* the call is before its return address */
            uint64_t address = frame->offset - (!frame->exact && frame->offset > 0);

            tasks[(*n_tasks)++] = (struct mp_symbol_frame){
                first[frame->module], i, address,
                !used[i] && frame->exact && mp_frame_name(profile, frame) };
            continue;
        }
        frame->first_location = symboliser->n_locations;
        frame->n_locations = 1;
        locate_outside(symboliser, frame);
    }
    qsort(tasks, *n_tasks, sizeof *tasks, compare_tasks);
    return tasks;
}

/* Returns whether the language's runtime names the frames of all COUNT tasks. */
static bool
all_named(const struct mp_symboliser *symboliser, const struct mp_symbol_frame *tasks,
          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!mp_frame_name(symboliser->profile, &symboliser->profile->frames[tasks[i].frame]))
            return false;
    return true;
}

/* Appends the places of ANSWER, at least one, to FRAME, and notes their types. */
static void
locate_places(struct mp_symboliser *symboliser, struct mp_binary *binary,
              const struct mp_answer *answer, uint32_t frame)
{
    const struct mp_place *places = &binary->answers.places[answer->first];
    struct mp_known_function *knowns = binary->answers.knowns;
    uint32_t last = answer->count - 1;
    uint32_t concrete = mp_symbols_known(symboliser, binary->module, &knowns[places[last].known]);

    for (uint32_t i = 0; i <= last; i++) {
        struct mp_location location = { .line = places[i].line, .inlined = i < last };

        location.function = i == last ? concrete
                                      : mp_symbols_known(symboliser, binary->module,
                                                         &knowns[places[i].known]);
        location.file = mp_texts_add_path(&symboliser->files, places[i].file);
        mp_types_note(symboliser->types, binary, frame, i == 0, places[i].known);
        mp_symbols_locate(symboliser, location);
    }
}

/* Names the frame of TASK. Returns false if no function is known. */
static bool
locate(struct mp_symboliser *symboliser, struct mp_binary *binary,
       const struct mp_symbol_frame *task)
{
    struct mp_frame *frame = &symboliser->profile->frames[task->frame];
    const struct mp_answer *answer = NULL;
    struct mp_location *location;

    if (binary != NULL)
        answer = mp_answer_of(binary, task->address, mp_types_wanted(symboliser->types,
                                                                     task->frame));
    if (answer == NULL) {
        locate_place(symboliser, task->module, frame->offset);
        return false;
    }
    if (answer->count > 0)
        locate_places(symboliser, binary, answer, task->frame);
    else        /* frames of one function get the same name if the unwind table provides its start */
        locate_place(symboliser, task->module, answer->start == MP_NO_START ? frame->offset : answer->start);
    location = &symboliser->locations[symboliser->n_locations - 1];
    if (answer->line > 0 || *answer->file != '\0') {
        location->file = mp_texts_add_path(&symboliser->files, answer->file);
        location->line = answer->line;
    }
    return answer->count > 0;
}

/* Prepares answers for all of TASKS, and reads types where they are wanted. */
static void
prepare(struct mp_symboliser *symboliser, struct mp_binary *binary,
        const struct mp_symbol_frame *tasks, uint32_t count)
{
    struct mp_question *questions = calloc(count, sizeof *questions);
    uint32_t n = 0;

    for (uint32_t i = 0; questions != NULL && i < count; i++)
        if (!tasks[i].entry)
            questions[n++] = (struct mp_question){
                .address = tasks[i].address,
                .mentions = mp_types_wanted(symboliser->types, tasks[i].frame) };
    if (questions != NULL)
        mp_answers_prepare(binary, questions, n);
    free(questions);
    for (uint32_t i = 0; i < count; i++) {
        const bool wanted = mp_types_wanted(symboliser->types, tasks[i].frame);
        const struct mp_answer *answer =
            wanted && !tasks[i].entry ? mp_answer_of(binary, tasks[i].address, true) : NULL;

        if (answer != NULL)
            mp_types_read(symboliser->types, binary, tasks[i].frame, answer);
    }
}

/* Restores the frames that tail calls removed between the COUNT frames of one module and their callees, and names the
 * restored frames. */
static void
locate_restored(struct mp_symboliser *symboliser, struct mp_binary *binary, const struct mp_symbol_frame *tasks,
                uint32_t count)
{
    struct mp_profile *profile = symboliser->profile;
    uint32_t next = profile->n_frames;

    symboliser->named = false;
    mp_tail_calls_find(symboliser->tail_calls, binary, tasks, count);
    for (; next < profile->n_frames; next++) {
        struct mp_frame *frame = &profile->frames[next];
        const struct mp_symbol_frame task = {.module = tasks->module, .frame = next, .address = frame->offset - 1};

        frame->first_location = symboliser->n_locations;
        locate(symboliser, binary, &task);
        frame->n_locations = symboliser->n_locations - frame->first_location;
    }
}

/* Returns whether the frame of TASK keeps the names that it has. */
static bool
keeps_names(const struct mp_symboliser *symboliser, struct mp_binary *binary, const struct mp_symbol_frame *task)
{
    const struct mp_frame *frame = &symboliser->profile->frames[task->frame];

    return symboliser->better &&
           (task->entry || binary == NULL ||
            !mp_better_is(symboliser->profile, frame,
                          mp_answer_of(binary, task->address, mp_types_wanted(symboliser->types, task->frame)),
                          &binary->answers));
}

/* Names the COUNT frames of one module. Returns its problem, or "". */
static const char *
locate_all(struct mp_symboliser *symboliser, const struct mp_symbol_frame *tasks, uint32_t count)
{
    uint64_t *addresses = malloc(count * sizeof *addresses);
    struct mp_binary *binary = NULL;
    const char *problem = "unreadable (no memory)";
    uint32_t found = 0;
    bool renamed = false;

    if (addresses != NULL) {
        for (uint32_t i = 0; i < count; i++)
            addresses[i] = tasks[i].address;
        binary = mp_binary_open(symboliser->profile, symboliser->options, tasks->module, addresses,
                                count, &problem);
        free(addresses);
    }
    if (binary != NULL)
        prepare(symboliser, binary, tasks, count);
    for (uint32_t i = 0; i < count; i++) {
        struct mp_frame *frame = &symboliser->profile->frames[tasks[i].frame];

        if (keeps_names(symboliser, binary, &tasks[i])) {
            found += mp_better_has_name(symboliser->profile, frame);
            continue;
        }
        frame->first_location = symboliser->n_locations;
        if (tasks[i].entry)
            continue;
        renamed = true;
        symboliser->named = mp_frame_name(symboliser->profile, frame) != NULL;
        found += locate(symboliser, binary, &tasks[i]);
        frame->n_locations = symboliser->n_locations - frame->first_location;
    }
    symboliser->profile->renamed |= symboliser->better && renamed;
    if (binary == NULL && symboliser->better)
        return symboliser->profile->modules[tasks->module].problem;
    if (binary == NULL)
        return all_named(symboliser, tasks, count) ? "" : problem;
    if (renamed)
        locate_restored(symboliser, binary, tasks, count);
    if (!symboliser->better)
        mp_symbols_copies(symboliser, binary, tasks, count);
    mp_types_collect(symboliser->types, binary);
    if (binary->account.refused)
        binary->problem = "names incomplete (they exceed --symbol-limit)";
    problem = mp_arena_strdup(symboliser->profile->arena, binary->problem);
    mp_binary_close(binary);
    if (*problem != '\0')
        return problem;
    if (found > 0 || all_named(symboliser, tasks, count))
        return "";
    return "no symbols";
}

static void
locate_modules(struct mp_symboliser *symboliser, const struct mp_symbol_frame *tasks,
               uint32_t n_tasks, const uint32_t *first)
{
    struct mp_profile *profile = symboliser->profile;
    const char **problems = mp_arena_alloc(symboliser->scratch,
                                           (profile->n_modules + (size_t)1) * sizeof *problems);
    uint32_t end;

    for (uint32_t i = 0; i < n_tasks; i = end) {
        for (end = i; end < n_tasks && tasks[end].module == tasks[i].module; end++)
            ;
        if (symboliser->options->progress != NULL)
            symboliser->options->progress(i, n_tasks);
        problems[tasks[i].module] = locate_all(symboliser, &tasks[i], end - i);
    }
    if (symboliser->options->progress != NULL && n_tasks > 0)
        symboliser->options->progress(n_tasks, n_tasks);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (!symboliser->better || problems[first[i]] != NULL)
            profile->modules[i].problem = problems[first[i]] == NULL ? "" : problems[first[i]];
}

/* -------------------------------------------------------------------------- results */

static void
store_results(struct mp_symboliser *symboliser)
{
    struct mp_profile *profile = symboliser->profile;
    size_t size = symboliser->n_locations * sizeof *profile->locations;

    profile->n_functions = symboliser->keys.count;
    profile->functions = mp_arena_alloc(profile->arena,
                                        profile->n_functions * sizeof *profile->functions);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        profile->functions[i] = symboliser->functions[i].is;
    profile->n_locations = symboliser->n_locations;
    profile->locations = mp_arena_alloc(profile->arena, size);
    if (size > 0)
        memcpy(profile->locations, symboliser->locations, size);
}

/* Sets the runtime's names of functions, and their files. If the runtime has several names for a function, the
 * alphabetically first one is used. */
static void
set_runtime_names(struct mp_symboliser *symboliser)
{
    struct mp_profile *profile = symboliser->profile;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];
        const struct mp_name *name = mp_frame_name(profile, frame);
        uint32_t id = profile->locations[frame->first_location + frame->n_locations - 1].function;
        struct mp_function *function = &profile->functions[id];

        if (name == NULL || name->dispatch || frame->module == MP_NO_ID ||
            (function->runtime_name && strcmp(function->runtime_name, name->name) <= 0))
            continue;
        function->runtime_name = name->name;
        function->file = *name->file == '\0' ? NULL : name->file;
    }
}

/* Finds names, or better names. FIRST is the result of merge_modules(). */
static void
symbolise(struct mp_symboliser *symboliser, const uint32_t *first)
{
    struct mp_profile *profile = symboliser->profile;
    struct mp_symbol_frame *tasks;
    uint32_t n_tasks;

    symboliser->types = mp_types_new(profile, symboliser->scratch);
    if (symboliser->better)
        mp_better_begin(symboliser);
    else
        place_frames(profile);
    symboliser->tail_calls = mp_tail_calls_new(profile, first, symboliser->scratch);
    tasks = sort_frames(symboliser, first, &n_tasks);
    locate_modules(symboliser, tasks, n_tasks, first);
    if (symboliser->better && !profile->renamed)
        return;
    mp_tail_calls_insert(symboliser->tail_calls);
    store_results(symboliser);
    if (symboliser->better)
        mp_better_end(profile);
    mp_identity_texts(profile);
    mp_types_finish(symboliser->types, profile);
    if (!symboliser->better) {
        mp_symbols_keep_copies(symboliser);
        mp_symbols_name_operations(profile);
    }
    set_runtime_names(symboliser);
    profile->symbolised = true;
}

bool
mp_symbolise(struct mp_profile *profile, const struct mp_symbol_options *options,
             struct mp_error *error)
{
    struct mp_arena *scratch;
    struct mp_symboliser symboliser;
    uint32_t *first;

    if (!mp_symbols_readable(error))
        return false;
    mp_named_files_note(profile);
    scratch = mp_arena_new();
    symboliser = (struct mp_symboliser){
        .profile = profile, .options = options, .scratch = scratch,
        .names.map.arena = profile->arena, .files.map.arena = profile->arena, .keys.arena = scratch,
    };
    first = merge_modules(&symboliser);
    if (profile->symbolised)
        symboliser.better = mp_better_modules(profile, first, scratch);
    if (!profile->symbolised || symboliser.better)
        symbolise(&symboliser, first);
    mp_symbols_find_constructors(profile);      /* also of a sealed file, whose sources may not have been readable */
    mp_named_files_tell(profile);
    mp_arena_free(scratch);
    return true;
}

bool
mp_symbols_any(const struct mp_profile *profile, bool (*is)(void *data, const char *name), void *data)
{
    const struct mp_symbol_options options = {.cache = false};
    const char *problem;
    bool found = false;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    for (uint32_t i = 0; i < profile->n_modules && !found; i++) {
        struct mp_binary *binary = mp_binary_open(profile, &options, i, NULL, 0, &problem);

        if (binary == NULL)
            continue;
        found = mp_binary_load(binary) && mp_elf_any(binary, is, data);
        mp_binary_close(binary);
    }
    return found;
}
