/* SPDX-License-Identifier: MIT */
#include "elf_symbols.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "demangle.h"
#include "reporter/base/search.h"

#define A_SYMBOL    (sizeof(struct symbol) + 3 * sizeof(struct mp_span))    /* bytes of a symbol and its ranges */
#define A_SCAN      16u         /* bytes of names that are compared in a unit of work */

struct symbol {
    uint64_t start, size;       /* in bytes; size 0 = unknown, as in assembly code */
    uint64_t most;              /* maximum size of the symbols before it with the same start, and of itself */
    const char *name;           /* in the file's string table */
    const char *source;         /* name of the STT_FILE symbol before a local symbol; "" for others */
    unsigned bind;
};

struct mp_elf {
    struct symbol *list;        /* sorted by start, then best name first */
    uint32_t count;
    struct mp_spans spans;      /* value: index of the first symbol with the same start */
    uint32_t *origins;          /* indexed by symbol: the function from which a clone was made, or MP_NO_ID; NULL until
                                   first needed */
    struct mp_map starts;       /* start addresses of the functions in the answers */
    uint32_t *knowns;           /* indexed by the number in `starts` */
    uint32_t knowns_room;
    bool ada;                   /* it contains GNAT's runtime or binder functions, so names may be Ada names */
};

/* ----------------------------------------------------------------------------- names */

size_t
mp_elf_plain_length(const char *name)
{
    return *name == '\0' ? 0 : 1 + strcspn(name + 1, "@");
}

/* Returns the length of NAME without version and clone suffixes, such as ".part" or ".cold.12". */
static size_t
base_length(const char *name)
{
    static const char *const suffixes[] = { "cold", "constprop", "isra", "llvm", "lto_priv",
                                            "part", "sra" };
    size_t length = mp_elf_plain_length(name), dot, i, size;

    for (dot = 1; dot < length && name[dot] != '.'; dot++)
        ;
    if (dot >= length)
        return length;
    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size = strlen(suffixes[i]);
        if (strncmp(name + dot + 1, suffixes[i], size) == 0 &&
            (dot + 1 + size == length || name[dot + 1 + size] == '.'))
            return dot;
    }
    return length;
}

static int
compare_base(const char *a, const char *b)
{
    size_t length_a = base_length(a), length_b = base_length(b);
    size_t length = length_a < length_b ? length_a : length_b;
    int order = memcmp(a, b, length);

    return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

int
mp_elf_compare_aliases(const char *a, unsigned bind_a, const char *b, unsigned bind_b)
{
    size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");
    size_t length_a = mp_elf_plain_length(a), length_b = mp_elf_plain_length(b);

    if ((bind_a == STB_LOCAL) != (bind_b == STB_LOCAL))
        return bind_a == STB_LOCAL ? 1 : -1;
    if (under_a != under_b)
        return under_a < under_b ? -1 : 1;
    if (bind_a != bind_b)
        return bind_a == STB_WEAK ? 1 : -1;
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    return strcmp(a, b);
}

static int
compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int order;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    order = mp_elf_compare_aliases(a->name, a->bind, b->name, b->bind);
    return order != 0 ? order : (a->size < b->size) - (a->size > b->size);
}

/* ----------------------------------------------------------------------------- table */

static bool
is_function(const struct mp_binary *binary, const GElf_Sym *symbol, const char *name,
            GElf_Word section, GElf_Addr address)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);

    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    if (section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
        return false;
    /* excludes .annobin_* and .L* of compilers, and the mapping symbols $x and $d between data and code on ARM */
    if (*name == '\0' || *name == '.' || *name == '$')
        return false;
    return mp_spans_find(&binary->code, address) != MP_NO_ID;
}

static void
read_symbols(struct mp_elf *elf, struct mp_binary *binary)
{
    int count = dwfl_module_getsymtab(binary->dwfl_module);
    const char *source = "";

    if (count > 0)              /* may be larger than necessary; the unused end is never touched and takes no memory */
        elf->list = mp_arena_alloc(binary->arena, (size_t)count * sizeof *elf->list);
    for (int i = 1; i < count && mp_budget_work(1); i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(binary->dwfl_module, i, &symbol, &address,
                                                   &section, NULL, NULL);
        unsigned bind = GELF_ST_BIND(symbol.st_info);
        const size_t length = name == NULL ? 0 : strnlen(name, MP_TEXT_MAX + 1);

        /* names are compared with each other */
        if (name == NULL || length > MP_TEXT_MAX || !mp_budget_work(length / A_SCAN))
            continue;
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            source = name;
        else if (is_function(binary, &symbol, name, section, address)) {
            mp_budget_hold(A_SYMBOL);
            elf->list[elf->count++] = (struct symbol){ address, symbol.st_size, 0, name,
                                                       bind == STB_LOCAL ? source : "", bind };
            elf->ada |= strcmp(name, "adainit") == 0 || strncmp(name, "_ada_", 5) == 0 ||
                        strncmp(name, "__gnat_", 7) == 0;
        }
    }
}

static struct mp_elf *
open_symbols(struct mp_binary *binary)
{
    struct mp_elf *elf = mp_arena_alloc(binary->arena, sizeof *elf);
    uint32_t first = 0;

    elf->starts.arena = binary->arena;
    read_symbols(elf, binary);
    if (elf->count > 0)
        qsort(elf->list, elf->count, sizeof *elf->list, compare_symbols);
    mp_spans_reserve(&elf->spans, binary->arena, elf->count);
    for (uint32_t i = 0; i < elf->count; i++) {
        struct symbol *symbol = &elf->list[i];

        if (symbol->start != elf->list[first].start)
            first = i;
        symbol->most = i > first && symbol[-1].most > symbol->size ? symbol[-1].most : symbol->size;
        if (symbol->size <= UINT64_MAX - symbol->start)
            mp_spans_add(&elf->spans, binary->arena, symbol->start,
                         symbol->start + symbol->size, first);
    }
    mp_spans_flatten(&elf->spans, binary->arena);
    return elf;
}

static struct mp_elf *
symbols_of(struct mp_binary *binary)
{
    if (binary->symbols == NULL)
        binary->symbols = open_symbols(binary);
    return binary->symbols;
}

/* Returns the first symbol that begins at START, or MP_NO_ID. */
static uint32_t
find_start(const struct mp_elf *elf, uint64_t start)
{
    const uint32_t first = start == 0 ? 0 : MP_AT_MOST(elf->list, elf->count, start, start - 1);

    return first < elf->count && elf->list[first].start == start ? first : MP_NO_ID;
}

bool
mp_elf_any(struct mp_binary *binary, bool (*is)(void *data, const char *name), void *data)
{
    const struct mp_elf *elf = symbols_of(binary);
    bool found = false;

    for (uint32_t i = 0; i < elf->count && !found && mp_budget_work(1); i++) {
        const size_t length = base_length(elf->list[i].name);
        char *name = length > MP_TEXT_MAX ? NULL : strndup(elf->list[i].name, length);
        char *readable = name ? mp_demangle(name, true) : NULL;

        found = name && is(data, readable ? readable : name);
        free(readable);
        free(name);
    }
    return found;
}

const char *
mp_elf_name_at(struct mp_binary *binary, uint64_t start)
{
    const struct mp_elf *elf = symbols_of(binary);
    uint32_t index = find_start(elf, start);
    const char *name = index == MP_NO_ID || elf->list[index].bind == STB_LOCAL
                           ? "" : elf->list[index].name;
    char text[MP_TEXT_MAX + 1];
    size_t length = mp_elf_plain_length(name);

    if (length == 0 || length > MP_TEXT_MAX)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    return mp_texts_add(&binary->texts, text);
}

char *
mp_elf_parameters(struct mp_binary *binary, uint64_t start, const char *name)
{
    const struct mp_elf *elf = symbols_of(binary);
    char *parameters = NULL;

    for (uint32_t i = find_start(elf, start); parameters == NULL && i < elf->count && elf->list[i].start == start &&
                                              mp_budget_work(1); i++) {
        char *mangled = mp_need(strndup(elf->list[i].name, base_length(elf->list[i].name)));
        char *own = mp_demangle(mangled, false), *full = mp_demangle(mangled, true);

        if (own != NULL && strcmp(own, name) == 0)
            parameters = mp_identity_parameters(full, own, 0);
        free(full);
        free(own);
        free(mangled);
    }
    return parameters;
}

/* ---------------------------------------------------------------------------- clones */

/* Compares two symbols by base name, then source file, then address. */
static int
compare_names(const void *left, const void *right, void *data)
{
    const struct symbol *list = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_base(list[a].name, list[b].name);

    if (order == 0)
        order = strcmp(list[a].source, list[b].source);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Returns whether SYMBOL is a function itself, not a clone. */
static bool
is_plain(const struct symbol *symbol)
{
    return base_length(symbol->name) == mp_elf_plain_length(symbol->name);
}

/* Returns the last symbol among the COUNT symbols of IDS that is a function itself and no clone, or MP_NO_ID if there
 * is none. Sets *SEVERAL to whether several of them have different addresses; otherwise all are names of one
 * function. */
static uint32_t
only_function(const struct symbol *list, const uint32_t *ids, uint32_t count, bool *several)
{
    uint32_t found = MP_NO_ID;

    *several = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_plain(&list[ids[i]]))
            continue;
        *several |= found != MP_NO_ID && list[found].start != list[ids[i]].start;
        found = found == MP_NO_ID || ids[i] > found ? ids[i] : found;
    }
    return found;
}

/* Sets the origins of the COUNT symbols of IDS, which have the same base name and are sorted by source file. */
static void
find_origins(struct mp_elf *elf, const uint32_t *ids, uint32_t count)
{
    const struct symbol *list = elf->list;
    bool several, several_near;
    const uint32_t any = only_function(list, ids, count, &several);

    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t near, origin;

        for (end = i + 1; end < count && strcmp(list[ids[end]].source, list[ids[i]].source) == 0;)
            end++;
        near = only_function(list, ids + i, end - i, &several_near);
        if (any == MP_NO_ID)
            origin = ids[i];
        else if (!several)
            origin = any;
        else
            origin = several_near ? MP_NO_ID : near;
        for (uint32_t k = i; k < end; k++)
            elf->origins[ids[k]] = origin;
    }
}

/* Finds the function from which each clone was made. This is the module's only symbol `foo`, or else the only one of
 * the same source file. If no `foo` remains, it is the first clone of the same source file. The origin is MP_NO_ID if
 * that is ambiguous. */
static void
find_all_origins(struct mp_elf *elf, struct mp_arena *arena)
{
    uint32_t *ids = mp_need(calloc(elf->count, sizeof *ids)), end;

    mp_budget_hold(2 * elf->count * sizeof *ids);
    elf->origins = mp_arena_alloc(arena, elf->count * sizeof *elf->origins);
    for (uint32_t i = 0; i < elf->count; i++)
        ids[i] = i;
    qsort_r(ids, elf->count, sizeof *ids, compare_names, elf->list);
    for (uint32_t i = 0; i < elf->count; i = end) {
        for (end = i + 1; end < elf->count && compare_base(elf->list[ids[end]].name, elf->list[ids[i]].name) == 0;)
            end++;
        find_origins(elf, ids + i, end - i);
    }
    free(ids);
}

/* ---------------------------------------------------------------------------- lookup */

/* Returns the symbol for ADDRESS, or MP_NO_ID if no symbol is certain. Of those with the same start, it is the first
 * one that covers ADDRESS. */
static uint32_t
find_symbol(const struct mp_elf *elf, uint64_t address, uint64_t function_start)
{
    uint32_t first = mp_spans_find(&elf->spans, address), low, high;
    const struct symbol *list = elf->list;

    if (first == MP_NO_ID)
        return function_start == MP_NO_START ? MP_NO_ID : find_start(elf, function_start);
    low = first;
    high = MP_AT_MOST(list, elf->count, start, list[first].start);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (list[middle].most > address - list[first].start)
            high = middle;
        else
            low = middle + 1;
    }
    return low < elf->count && list[low].start == list[first].start ? low : first;
}

/* Adds the function of SYMBOL to the answers and returns its index. The first LENGTH bytes of the symbol are its
 * name. */
static uint32_t
declare(struct mp_binary *binary, const struct symbol *symbol, size_t length, bool ada)
{
    struct mp_known_function known = { .start = symbol->start, .mentions_read = true };
    char *mangled = strndup(symbol->name, length);
    char *name = mangled == NULL ? NULL : mp_demangle(mangled, false);
    char *full = mangled == NULL ? NULL : mp_demangle(mangled, true), *parameters;

    if (name == NULL && mangled != NULL && ada)
        name = mp_demangle_ada(mangled);
    known.key = mp_arena_printf(binary->arena, "elf %llx", (unsigned long long)symbol->start);
    known.name = mp_texts_add(&binary->texts, name != NULL ? name : mangled);
    known.clone = (uint32_t)mp_identity_clone(known.name);
    parameters = mp_identity_parameters(full, known.name, known.clone);
    known.parameters = parameters == NULL ? NULL : mp_texts_add(&binary->texts, parameters);
    known.file = mp_texts_add(&binary->texts, symbol->source);
    free(parameters);
    free(full);
    free(name);
    free(mangled);
    return mp_known_add(&binary->answers, &known);
}

uint32_t
mp_elf_answer(struct mp_binary *binary, uint64_t address, uint64_t function_start)
{
    struct mp_elf *elf = symbols_of(binary);
    uint32_t index = find_symbol(elf, address, function_start), origin, number, known;
    const struct symbol *symbol;

    if (index == MP_NO_ID || !mp_budget_work(1))
        return 0;
    symbol = &elf->list[index];
    if (!is_plain(symbol)) {
        if (elf->origins == NULL)
            find_all_origins(elf, binary->arena);
        origin = elf->origins[index];
        symbol = &elf->list[origin == MP_NO_ID ? index : origin];
    } else {
        origin = index;
    }
    known = elf->starts.count;
    number = mp_map_add_u64(&elf->starts, symbol->start);
    if (number == known) {
        elf->knowns = mp_arena_grow(binary->arena, elf->knowns, known, &elf->knowns_room,
                                    sizeof *elf->knowns);
        elf->knowns[number] = declare(binary, symbol,
                                      origin == MP_NO_ID ? mp_elf_plain_length(symbol->name)
                                                         : base_length(symbol->name),
                                      elf->ada);
    }
    mp_place_add(&binary->answers,
                 &(struct mp_place){ .known = elf->knowns[number], .file = "" });
    return 1;
}

/* ---------------------------------------------------------- starts of functions by .eh_frame */

/* libdw reads the entries, but provides only the rows of a table, not an entry's address range. The encoded pointers
 * are therefore decoded here (Linux Standard Base, "DWARF Extensions"). */

struct mp_fdes {
    struct mp_arena *arena;
    struct mp_spans spans;      /* value: index in starts */
    uint64_t *starts;
    uint32_t n_starts, room;
    uint64_t longest;           /* bytes of the longest entry */
};

/* A .eh_frame section. */
struct section {
    Elf_Data *data;
    uint64_t address;           /* in p_vaddr space */
    const unsigned char *ident; /* e_ident of the file */
    bool big;                   /* the file is big-endian */
};

static bool
find_section(Elf *elf, struct section *section)
{
    size_t names;
    GElf_Shdr header;
    const char *name;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn != NULL; scn = elf_nextscn(elf, scn)) {
        if (gelf_getshdr(scn, &header) == NULL || header.sh_type == SHT_NOBITS)
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        if (name == NULL || strcmp(name, ".eh_frame") != 0)
            continue;
        section->data = elf_rawdata(scn, NULL);
        section->address = header.sh_addr;
        section->ident = (const unsigned char *)elf_getident(elf, NULL);
        if (section->ident == NULL || section->data == NULL || section->data->d_buf == NULL)
            return false;
        section->big = section->ident[EI_DATA] == ELFDATA2MSB;
        return true;
    }
    return false;
}

/* Returns the size in bytes of a pointer with ENCODING, or 0 if it is not fixed. */
static size_t
pointer_size(const struct section *section, unsigned encoding)
{
    switch (encoding & 0x07) {
    case DW_EH_PE_absptr:
        return section->ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    case DW_EH_PE_udata2:
        return 2;
    case DW_EH_PE_udata4:
        return 4;
    case DW_EH_PE_udata8:
        return 8;
    default:
        return 0;
    }
}

/* Reads the number at *FROM in ENCODING's format and advances *FROM. Does not add the base that ENCODING implies. */
static bool
read_number(const struct section *section, unsigned encoding, const uint8_t **from,
            const uint8_t *end, uint64_t *number)
{
    size_t size = pointer_size(section, encoding);
    unsigned bits = (unsigned)size * 8;

    if (size == 0 || (size_t)(end - *from) < size)
        return false;
    *number = 0;
    for (size_t i = 0; i < size; i++)
        *number |= (uint64_t)(*from)[i] << 8 * (section->big ? size - 1 - i : i);
    if ((encoding & DW_EH_PE_signed) != 0 && bits < 64 && (*number >> (bits - 1) & 1) != 0)
        *number |= ~UINT64_C(0) << bits;
    *from += size;
    return true;
}

/* Sets *ENCODING to the pointer encoding of the FDEs that belong to the CIE at OFFSET (augmentation 'R'). */
static bool
read_encoding(const struct section *section, Dwarf_Off offset, unsigned *encoding)
{
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    const uint8_t *data, *end;
    uint64_t number;
    unsigned pointer;

    if (dwarf_next_cfi(section->ident, section->data, true, offset, &next, &entry) != 0 ||
        entry.CIE_id != DW_CIE_ID_64 || !mp_budget_work(strlen(entry.cie.augmentation) / A_SCAN))
        return false;
    *encoding = DW_EH_PE_absptr;
    if (entry.cie.augmentation[0] != 'z')
        return entry.cie.augmentation[0] == '\0';
    data = entry.cie.augmentation_data;
    end = data + entry.cie.augmentation_data_size;
    for (const char *letter = entry.cie.augmentation + 1; *letter != '\0'; letter++) {
        if (strchr("SBG", *letter) != NULL)
            continue;
        if (data == NULL || data >= end)
            return false;
        if (*letter == 'R') {
            *encoding = *data;
            return true;
        }
        if (*letter != 'L' && (*letter != 'P' || *data == DW_EH_PE_aligned))
            return false;
        pointer = *data++;
        if (*letter == 'P' && !read_number(section, pointer, &data, end, &number))
            return false;
    }
    return true;
}

static void
add_fde(struct mp_fdes *fdes, const struct mp_spans *code, const struct section *section,
        const Dwarf_FDE *fde, unsigned encoding)
{
    const uint8_t *from = fde->start;
    uint64_t start, size;
    uint64_t place = section->address +
                     (uint64_t)(fde->start - (const uint8_t *)section->data->d_buf);

    if (!read_number(section, encoding, &from, fde->end, &start) ||
        !read_number(section, encoding & 0x07, &from, fde->end, &size))
        return;
    switch (encoding & 0xf0) {
    case DW_EH_PE_absptr:
        break;
    case DW_EH_PE_pcrel:
        start += place;
        break;
    default:
        return;
    }
    if (section->ident[EI_CLASS] == ELFCLASS32)
        start = (uint32_t)start;
    if (size > UINT64_MAX - start || mp_spans_find(code, start) == MP_NO_ID)
        return;
    fdes->starts = mp_arena_grow(fdes->arena, fdes->starts, fdes->n_starts, &fdes->room,
                                 sizeof *fdes->starts);
    mp_budget_hold(2 * (sizeof start + sizeof(struct mp_span)));
    fdes->starts[fdes->n_starts] = start;
    mp_spans_add(&fdes->spans, fdes->arena, start, start + size, fdes->n_starts++);
}

struct mp_fdes *
mp_fdes_open(Elf *elf, const struct mp_spans *code, struct mp_arena *arena)
{
    struct mp_fdes *fdes = mp_arena_alloc(arena, sizeof *fdes);
    struct section section;
    Dwarf_CFI_Entry entry;
    Dwarf_Off offset = 0, next = 0, end, cie = DW_CIE_ID_64;
    unsigned encoding = 0;
    bool known = false;         /* `encoding` belongs to the CIE at `cie` */

    fdes->arena = arena;
    if (!find_section(elf, &section))
        return fdes;
    for (; next != (Dwarf_Off)-1 && mp_budget_work(1); offset = next) {
        int result = dwarf_next_cfi(section.ident, section.data, true, offset, &next, &entry);

        if (result > 0 || next <= offset)
            break;
        end = next == (Dwarf_Off)-1 ? section.data->d_size : next;
        fdes->longest = end - offset > fdes->longest ? end - offset : fdes->longest;
        if (result < 0 || entry.CIE_id == DW_CIE_ID_64)
            continue;
        if (entry.fde.CIE_pointer != cie) {
            cie = entry.fde.CIE_pointer;
            known = read_encoding(&section, cie, &encoding);
        }
        if (known)
            add_fde(fdes, code, &section, &entry.fde, encoding);
    }
    mp_spans_flatten(&fdes->spans, arena);
    return fdes;
}

uint64_t
mp_fdes_longest(const struct mp_fdes *fdes)
{
    return fdes->longest;
}

uint64_t
mp_fdes_find(const struct mp_fdes *fdes, uint64_t address)
{
    uint32_t index = mp_spans_find(&fdes->spans, address);

    return index == MP_NO_ID ? MP_NO_START : fdes->starts[index];
}
