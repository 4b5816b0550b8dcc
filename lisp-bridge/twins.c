/* SPDX-License-Identifier: MIT */
/*
 * twins.c -- finds identical-code-folded functions in a compiled Lisp file.
 *
 * gcc -O2 (-fipa-icf) keeps one of several equal functions and redirects all direct calls to this one. If another one
 * has a function object, it remains as a jump to the kept function, or as a copy without debug information. So a frame
 * of the kept function may belong to a call of any of the equal functions.
 */
#include "fas_file.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ecl_c_name.h"
#include "runtime/language/name.h"

#define MAX_COMPARED ((uint64_t)64 << 20)      /* maximum bytes of compared code */
#define MAX_JUMP 80u           /* maximum bytes of a function that consists of a jump and padding */

/* A function. Addresses are as in the file, not as loaded. */
struct function {
    uint64_t start, size;
    const uint8_t *code;
    const char *name;           /* C name; "" in a stripped file */
    uint32_t unit;              /* compilation unit; gcc folds functions only within a unit */
    bool described;             /* debug information describes its code, so gcc compiled it as a function of its own */
    bool called;                /* called directly */
    bool is_jump;
};

struct functions {
    const struct mp_fas *fas;
    struct function *all;       /* ascending, unique start addresses */
    size_t n, room;
    uint64_t compared;          /* bytes of compared code */
};

static void
add(struct functions *functions, uint64_t start, uint64_t size, const char *name, uint32_t unit)
{
    const uint8_t *code = mp_fas_bytes(functions->fas, start, size);

    if (code && size && functions->n < functions->room)
        functions->all[functions->n++] = (struct function){
            .start = start, .size = size, .code = code, .name = name, .unit = unit };
}

static int
by_start(const void *a, const void *b)
{
    const struct function *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void
sort(struct functions *functions)
{
    size_t n = functions->n;

    qsort(functions->all, n, sizeof *functions->all, by_start);
    functions->n = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || functions->all[i].start != functions->all[functions->n - 1].start)
            functions->all[functions->n++] = functions->all[i];
}

static struct function *
find(const struct functions *functions, uint64_t start)
{
    size_t low = 0, high = functions->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (functions->all[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < functions->n && functions->all[low].start == start ? &functions->all[low] : NULL;
}

/* ------------------------------------------------------------------ listing the functions */

/* Lists the functions of the symbol table, which has the name of each compiled file before its local symbols. */
static bool
list_symbols(struct functions *functions)
{
    const struct mp_fas *fas = functions->fas;
    uint32_t unit = 0;

    functions->room = fas->n;
    functions->all = calloc(fas->n + 1, sizeof *functions->all);
    for (size_t i = 0; functions->all && i < fas->n; i++) {
        const Elf64_Sym *symbol = &fas->symbols[i];
        const char *name = mp_fas_name(fas, symbol);

        unit += ELF64_ST_TYPE(symbol->st_info) == STT_FILE;
        if ((mp_ecl_after_number(name, "L") || mp_ecl_after_number(name, "LC")) &&
            !strchr(name, '.'))
            add(functions, symbol->st_value, symbol->st_size, name, unit);
    }
    return functions->all != NULL;
}

/* Head of .eh_frame_hdr, in the only encodings that gcc and the linker use. */
struct table_head {
    uint8_t version, pointer_encoding, count_encoding, table_encoding;
    int32_t pointer;
    uint32_t count;
};
struct table_row {
    int32_t start, entry;       /* distances from the table's address */
};

/* Adds the function of ROW. Its entry has the start at byte 8, as a distance, and then the size. */
static void
add_from_table(struct functions *functions, uint64_t table, const struct table_row *row)
{
    uint64_t at = table + (uint64_t)(int64_t)row->entry;
    const uint8_t *entry = mp_fas_bytes(functions->fas, at, 16);
    uint32_t size;

    if (!entry)
        return;
    memcpy(&size, entry + 12, sizeof size);
    add(functions, table + (uint64_t)(int64_t)row->start, size, "", 0);
}

/* Lists the functions of a stripped file by its unwind table. */
static bool
list_unwind_table(struct functions *functions)
{
    const struct mp_fas *fas = functions->fas;
    struct table_head head;
    const uint8_t *rows = NULL;
    uint64_t table = 0;

    for (size_t i = 0; i < fas->n_segments; i++)
        if (fas->segments[i].p_type == PT_GNU_EH_FRAME)
            table = fas->segments[i].p_vaddr;
    rows = mp_fas_bytes(fas, table, sizeof head);
    if (!table || !rows)
        return false;
    memcpy(&head, rows, sizeof head);
    rows = mp_fas_bytes(fas, table + sizeof head, (uint64_t)head.count * sizeof(struct table_row));
    if (head.version != 1 || head.pointer_encoding != 0x1b || head.count_encoding != 0x03 ||
        head.table_encoding != 0x3b || !rows)
        return false;
    functions->room = head.count;
    functions->all = calloc((size_t)head.count + 1, sizeof *functions->all);
    for (uint32_t i = 0; functions->all && i < head.count; i++) {
        struct table_row row;

        memcpy(&row, rows + i * sizeof row, sizeof row);
        add_from_table(functions, table, &row);
    }
    return functions->all != NULL;
}

/* ------------------------------------------------------------------ properties of the functions */

static int32_t
number_at(const uint8_t *bytes)
{
    int32_t number;

    memcpy(&number, bytes, sizeof number);
    return number;
}

/* Finds functions that debug information describes: their address is followed by their size. A function that was
 * split into two parts has a list of ranges instead. It is equal to no other function, because its parts jump to each
 * other. */
static void
note_described(struct functions *functions)
{
    const struct mp_fas *fas = functions->fas;
    uint64_t first, last;

    if (!fas->debug_info || functions->n == 0)
        return;
    first = functions->all[0].start;
    last = functions->all[functions->n - 1].start;
    for (size_t i = 0; i + 16 <= fas->debug_info_size; i++) {
        uint64_t numbers[2];
        struct function *function;

        memcpy(numbers, fas->debug_info + i, sizeof numbers);
        if (numbers[0] < first || numbers[0] > last)
            continue;
        function = find(functions, numbers[0]);
        if (function && function->size == numbers[1])
            function->described = true;
    }
}

/*
 * Instruction sequences that gcc 12 to 14 puts before the jump of a function that it folded with another one. If the
 * functions have no parameters, their C declarations leave the parameters open, so al is set to 0 as for a variadic
 * call:
 *
 *     -O2, -O3, -Os            xor %eax,%eax; jmp          with parameters: jmp
 *     -O1 -fipa-icf, -Og       mov $0,%eax; jmp
 *     -O0 -fipa-icf            push %rbp; mov %rsp,%rbp; mov $0,%eax; pop %rbp; jmp
 *     -fcf-protection          endbr64 first
 *     -fpatchable-function-entry=N     N nops first
 *     -fstack-protector-all    the check before the jump, possibly with a call in the middle
 *
 * Nearby functions are reached by a jump of two bytes.
 */
#define ANY 0x100               /* any byte */
#define PART_SIZE 24
static const struct part {
    uint8_t size;
    uint16_t bytes[PART_SIZE];
} parts[] = {
    { 4, { 0xf3, 0x0f, 0x1e, 0xfa } },                          /* endbr64 */
    { 1, { 0x90 } },                                            /* nop */
    { 4, { 0x55, 0x48, 0x89, 0xe5 } },                          /* push %rbp; mov %rsp,%rbp */
    { 1, { 0x5d } },                                            /* pop %rbp */
    { 2, { 0x31, 0xc0 } },                                      /* xor %eax,%eax */
    { 5, { 0xb8, 0, 0, 0, 0 } },                                /* mov $0,%eax */
    { 4, { 0x48, 0x83, 0xec, 0x18 } },                          /* sub $24,%rsp */
    { 4, { 0x48, 0x83, 0xc4, 0x18 } },                          /* add $24,%rsp */
    { 14, { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, 0x48, 0x89, 0x44, 0x24, 0x08 } },  /* %fs:40 to 8(%rsp) */
    { 14, { 0x48, 0x8b, 0x44, 0x24, 0x08, 0x64, 0x48, 0x2b, 0x04, 0x25, 0x28, 0, 0, 0 } },  /* compare it */
    { 2, { 0x75, ANY } },                                       /* jne */
    { 7, { 0x74, 0x05, 0xe8, ANY, ANY, ANY, ANY } },            /* je; call __stack_chk_fail */
};
#define N_PLAIN 1u              /* number of parts that may also precede a jump in other code */

/* Returns the length of the part, one of the first N, that FUNCTION has at AT, or 0. */
static uint64_t
part_at(const struct function *function, uint64_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t same = 0;

        while (same < parts[i].size && at + same < function->size &&
               (parts[i].bytes[same] == ANY || parts[i].bytes[same] == function->code[at + same]))
            same++;
        if (same == parts[i].size)
            return same;
    }
    return 0;
}

/* Returns the target of FUNCTION if it consists of a jump only, else 0. Without debug information, a function that
 * sets al and then jumps may be one that ends with a tail call, so fewer parts are accepted. */
static uint64_t
jump_target(const struct function *function, bool debug_info)
{
    uint64_t at = 0, size;

    if (function->size > MAX_JUMP)
        return 0;
    while ((size = part_at(function, at, debug_info ? sizeof parts / sizeof *parts : N_PLAIN)) > 0)
        at += size;
    if (at + 5 <= function->size && function->code[at] == 0xe9)
        return function->start + at + 5 + (uint64_t)(int64_t)number_at(function->code + at + 1);
    if (debug_info && at + 2 <= function->size && function->code[at] == 0xeb)
        return function->start + at + 2 + (uint64_t)(int64_t)(int8_t)function->code[at + 1];
    return 0;
}

/* Notes the functions that the SIZE bytes of CODE at START call or jump to. */
static void
note_calls(const struct functions *functions, const uint8_t *code, uint64_t start, uint64_t size)
{
    for (uint64_t i = 0; code && i + 5 <= size; i++) {
        struct function *called;

        if (code[i] != 0xe8 && code[i] != 0xe9)
            continue;
        called = find(functions, start + i + 5 + (uint64_t)(int64_t)number_at(code + i + 1));
        if (called)
            called->called = true;
    }
}

static void
note_all_calls(const struct functions *functions)
{
    const struct mp_fas *fas = functions->fas;
    uint64_t seen = 0;

    for (size_t i = 0; i < fas->n_segments && seen <= fas->size; i++) {
        const Elf64_Phdr *segment = &fas->segments[i];

        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        seen += segment->p_filesz;
        note_calls(functions, mp_fas_bytes(fas, segment->p_vaddr, segment->p_filesz),
                   segment->p_vaddr, segment->p_filesz);
    }
}

/* ------------------------------------------------------------------ copies */

/* If byte I of A and B belongs to a distance in both that leads to the same address, returns the number of bytes up
 * to its end, else 0. */
static uint64_t
same_target(const struct function *a, const struct function *b, uint64_t i)
{
    for (uint64_t at = i >= 3 ? i - 3 : 0; at <= i && at + 4 <= a->size; at++)
        if ((uint32_t)number_at(a->code + at) + (uint32_t)a->start ==
            (uint32_t)number_at(b->code + at) + (uint32_t)b->start)
            return at + 4 - i;
    return 0;
}

/* Returns whether A and B do the same. */
static bool
are_equal(struct functions *functions, const struct function *a, const struct function *b)
{
    uint64_t i = 0, same;

    if (a->size != b->size || a->unit != b->unit)
        return false;
    while (i < a->size && functions->compared < MAX_COMPARED) {
        functions->compared++;
        same = a->code[i] == b->code[i] ? 1 : same_target(a, b, i);
        if (!same)
            return false;
        i += same;
    }
    return i == a->size;
}

static int
by_size(const void *a, const void *b)
{
    const struct function *const *x = a, *const *y = b;

    if ((*x)->size != (*y)->size)
        return (*x)->size < (*y)->size ? -1 : 1;
    return ((*x)->start > (*y)->start) - ((*x)->start < (*y)->start);
}

static void
tell(const struct functions *functions, const struct function *kept, const struct function *twin,
     enum mp_twin how)
{
    mp_name_twin(functions->fas->bias + kept->start, functions->fas->bias + twin->start, how);
}

/* Reports to the monitor that KEPT and COPY are equal. If KEPT is called directly, its frames may belong to either.
 * Otherwise direct callers of either function contain an inlined copy, except for lambdas and methods, which are not
 * called directly. An inlined copy of a local function is identified by the function that contains it, so nothing is
 * reported about it. Without debug information, frames of both may belong to either. */
static void
tell_copy(const struct functions *functions, const struct function *kept,
          const struct function *copy)
{
    if (!functions->fas->debug_info) {
        if (kept->called || copy->called)
            tell(functions, kept, copy, MP_TWIN_BOTH);
    } else if (kept->called) {
        tell(functions, kept, copy, MP_TWIN_CALLED);
    } else if (!mp_ecl_after_number(kept->name, "LC")) {
        tell(functions, kept, copy, MP_TWIN_COPIED);
    }
}

/* Returns whether COPY may be a copy of KEPT. If there is debug information, it describes KEPT but not its copies.
 * Otherwise the first of several equal functions is assumed to be the kept one. */
static bool
may_be_copy(const struct functions *functions, const struct function *kept,
            const struct function *copy)
{
    if (functions->fas->debug_info ? !kept->described || copy->described
                                   : kept->start >= copy->start)
        return false;
    return !kept->is_jump && !copy->is_jump;
}

/* Finds the function of which COPY is a copy, among the N functions of the same size in RUN. */
static void
find_original(struct functions *functions, struct function *const *run, size_t n,
              const struct function *copy)
{
    for (size_t i = 0; i < n && functions->compared++ < MAX_COMPARED; i++) {
        if (may_be_copy(functions, run[i], copy) && are_equal(functions, run[i], copy)) {
            tell_copy(functions, run[i], copy);
            return;
        }
    }
}

static void
find_copies(struct functions *functions)
{
    struct function **order = calloc(functions->n + 1, sizeof *order);
    size_t end;

    if (!order)
        return;
    for (size_t i = 0; i < functions->n; i++)
        order[i] = &functions->all[i];
    qsort(order, functions->n, sizeof *order, by_size);
    for (size_t i = 0; i < functions->n; i = end) {
        for (end = i; end < functions->n && order[end]->size == order[i]->size; end++)
            continue;
        for (size_t k = i; end - i > 1 && k < end; k++)
            find_original(functions, order + i, end - i, order[k]);
    }
    free(order);
}

/* ------------------------------------------------------------------ jumps */

/* Finds functions that only jump to another one, because gcc folded both. Skips functions that debug information
 * describes, because the jump of such a function is a tail call. */
static void
find_jumps(struct functions *functions)
{
    for (size_t i = 0; i < functions->n; i++) {
        struct function *function = &functions->all[i];
        uint64_t target = function->described ? 0 : jump_target(function, functions->fas->debug_info);
        const struct function *kept = target ? find(functions, target) : NULL;

        function->is_jump = kept && kept != function;
        if (function->is_jump)
            tell(functions, kept, function, MP_TWIN_CALLED);
    }
}

/* Lists all functions and finds jumps among them. Returns false if the file cannot be read. */
static bool
open_functions(struct functions *functions)
{
    const struct mp_fas *fas = functions->fas;

    if (fas->machine != EM_X86_64 ||    /* the only machine whose jumps are decoded */
        !(fas->stripped ? list_unwind_table(functions) : list_symbols(functions)))
        return false;
    sort(functions);
    note_described(functions);
    find_jumps(functions);
    return true;
}

void
mp_lisp_find_jumps(const struct mp_fas *fas)
{
    struct functions functions = { .fas = fas };

    open_functions(&functions);
    free(functions.all);
}

void
mp_lisp_find_twins(const struct mp_fas *fas)
{
    struct functions functions = { .fas = fas };

    if (open_functions(&functions)) {
        note_all_calls(&functions);
        find_copies(&functions);
    }
    free(functions.all);
}
