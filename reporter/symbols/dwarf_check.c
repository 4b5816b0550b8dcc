/* SPDX-License-Identifier: MIT */
#include "dwarf_check.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

#define A_UNIT      512u        /* bytes that libdw takes for a unit */
#define AN_ABBREV   64u         /* bytes that it takes for an abbreviation, in each unit that uses it */
#define MOST_ATTRS  256u        /* attributes of an abbreviation; compilers use some tens */
#define MOST_RUN    1024u       /* entries of a list one after another that contain no range */
#define A_ROW       128u        /* bytes of a row of a line table while libdw sorts the rows */
#define A_FILE      96u         /* bytes of a file or directory of a line table, besides its name */
#define A_STEP      16u         /* bytes of DIEs that are skipped in a unit of work */
#define A_SCAN      256u        /* bytes that are searched in a unit of work */
#define SOME        16u         /* abbreviations or opcodes that are read in a unit of work */

/* ---------------------------------------------------------------------- sections and bytes */

Elf_Data *
mp_dwarf_section(Elf *elf, const char *name)
{
    const size_t length = strlen(name);
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;
        const char *its = gelf_getshdr(scn, &header) == NULL || header.sh_type == SHT_NOBITS
                              ? NULL : elf_strptr(elf, names, header.sh_name);
        const bool packed = its != NULL && strncmp(its, ".z", 2) == 0;
        Elf_Data *data;

        if (its == NULL || strncmp(its + 1 + packed, "debug_", 6) != 0 ||
            strncmp(its + 7 + packed, name, length) != 0 ||
            (its[7 + packed + length] != '\0' && strcmp(its + 7 + packed + length, ".dwo") != 0))
            continue;
        if (packed)
            elf_compress_gnu(scn, 0, 0);
        else if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(scn, 0, 0) < 0)
            return NULL;
        data = elf_rawdata(scn, NULL);
        return data == NULL || data->d_buf == NULL ? NULL : data;
    }
    return NULL;
}

static bool
is_other_order(Elf *elf)
{
    const char *ident = elf_getident(elf, NULL);

    return ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
}

/* Bytes that are read one after another. Reading behind the end gives 0 and sets `bad`. */
struct bytes {
    const uint8_t *at, *end;
    bool other;                 /* of the other byte order */
    bool bad;
};

static uint64_t
number(struct bytes *bytes, unsigned size)
{
    uint64_t value = 0;

    if ((size_t)(bytes->end - bytes->at) < size) {
        bytes->bad = true;
        bytes->at = bytes->end;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes->at[i]
                 << 8 * (bytes->other == (__BYTE_ORDER == __LITTLE_ENDIAN) ? size - 1 - i : i);
    bytes->at += size;
    return value;
}

/* Reads a LEB128 number as unsigned. Like libdw, stops after ten bytes. */
static uint64_t
leb(struct bytes *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 10; i++) {
        const uint8_t byte = (uint8_t)number(bytes, 1);

        value |= i < 9 ? (uint64_t)(byte & 0x7f) << 7 * i : 0;
        if ((byte & 0x80) == 0)
            break;
    }
    return value;
}

static void
skip_leb(struct bytes *bytes)
{
    const uint8_t *end = bytes->end - bytes->at < 10 ? bytes->end : bytes->at + 10;

    while (bytes->at < end && (*bytes->at++ & 0x80) != 0)
        ;
}

static void
skip(struct bytes *bytes, uint64_t size)
{
    if (size > (uint64_t)(bytes->end - bytes->at)) {
        bytes->bad = true;
        size = (uint64_t)(bytes->end - bytes->at);
    }
    bytes->at += size;
}

/* Reads the length of a unit, sets *WIDE to whether its offsets have 8 bytes, and ends BYTES where the unit ends. */
static void
enter_unit(struct bytes *bytes, bool *wide)
{
    uint64_t length = number(bytes, 4);

    *wide = length == 0xffffffff;
    if (*wide)
        length = number(bytes, 8);
    if (length < (uint64_t)(bytes->end - bytes->at))
        bytes->end = bytes->at + length;
}

/* ------------------------------------------------------------------- abbreviations and units */

/* Counts the abbreviations of the table at BYTES. Returns UINT64_MAX if it has more than the budget allows, or one with
 * more than MOST_ATTRS attributes. */
static uint64_t
count_abbrevs(struct bytes bytes)
{
    for (uint64_t count = 0;; count++) {
        uint64_t name, form;
        unsigned attrs = 0;

        if (bytes.at == bytes.end || leb(&bytes) == 0 || bytes.bad)
            return count;
        leb(&bytes);
        number(&bytes, 1);
        do {
            name = leb(&bytes);
            form = leb(&bytes);
            if (form == DW_FORM_implicit_const)
                leb(&bytes);
        } while ((name != 0 || form != 0) && !bytes.bad && attrs++ < MOST_ATTRS);
        if (attrs > MOST_ATTRS || (count % SOME == 0 && !mp_budget_work(1 + attrs / SOME)))
            return UINT64_MAX;
        if (bytes.bad)
            return count + 1;
    }
}

/* The tables of abbreviations that were counted. */
struct tables {
    struct bytes section;
    struct mp_map offsets;
    uint64_t *counts;           /* indexed by the number in `offsets` */
    uint32_t room;
};

static uint64_t
abbrevs_at(struct tables *tables, uint64_t offset)
{
    const uint32_t known = tables->offsets.count, n = mp_map_add_u64(&tables->offsets, offset);
    struct bytes bytes = tables->section;

    if (n < known)
        return tables->counts[n];
    tables->counts = mp_arena_grow(tables->offsets.arena, tables->counts, known, &tables->room,
                                   sizeof *tables->counts);
    skip(&bytes, offset);
    return tables->counts[n] = bytes.bad ? 0 : count_abbrevs(bytes);
}

/* Charges the units in DATA, .debug_info or .debug_types. WIDTH is the size of an address. */
static bool
take_units(struct tables *tables, const Elf_Data *data, unsigned width)
{
    struct bytes bytes = tables->section;

    if (data == NULL)
        return true;
    bytes.at = data->d_buf;
    bytes.end = bytes.at + data->d_size;
    while (bytes.at < bytes.end) {
        struct bytes unit = bytes;
        uint64_t version, address_size = 0, offset, abbrevs;
        bool wide;

        enter_unit(&unit, &wide);
        bytes.at = unit.end;
        version = number(&unit, 2);
        if (version >= 5) {
            number(&unit, 1);   /* its kind */
            address_size = number(&unit, 1);
        }
        offset = number(&unit, wide ? 8 : 4);
        if (version < 5)
            address_size = number(&unit, 1);
        if (!unit.bad && address_size != width)
            return false;
        abbrevs = unit.bad ? 0 : abbrevs_at(tables, offset);
        /* one call of libdw may skip all of a unit's DIEs */
        if (abbrevs == UINT64_MAX || !mp_budget_take(MP_MEMORY, A_UNIT + AN_ABBREV * abbrevs) ||
            !mp_budget_work(SOME + abbrevs / SOME) ||
            !mp_budget_has(MP_WORK, (uint64_t)(unit.end - unit.at) / A_STEP))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ lists */

/* libdw passes over entries that only select a base address, however many there are, whenever a list is read. A list
 * may begin anywhere, so runs are counted from each byte. */

/* Returns whether DATA, .debug_ranges or .debug_loc, has no long run of addresses of WIDTH bytes that are all ones,
 * each with a base address behind it. */
static bool
has_short_runs(const Elf_Data *data, unsigned width)
{
    const uint8_t *bytes = data->d_buf, *end = bytes + data->d_size, *at = bytes;
    uint32_t runs[16] = {0};    /* indexed by the place of an address's last byte */
    unsigned ones = 0;

    while (at < end) {
        uint32_t *run = &runs[(size_t)(at - bytes) % (2 * width)];

        ones = *at == 0xff ? ones + 1 : 0;
        *run = ones >= width ? *run + 1 : 0;
        if (*run > MOST_RUN)
            return false;
        at++;
        if (ones == 0 && end - at > 32 && memchr(at, 0xff, 32) == NULL) {
            memset(runs, 0, sizeof runs);
            at = memchr(at, 0xff, (size_t)(end - at));
            at = at == NULL ? end : at;
        }
    }
    return true;
}

/* Returns whether DATA, .debug_rnglists or .debug_loclists, has no long run of entries that only select a base address,
 * which begin with CODE or DW_RLE_base_addressx. Goes backwards, because a run is one entry longer than the run behind
 * its first entry. */
static bool
has_short_runs_5(const Elf_Data *data, unsigned width, uint8_t code)
{
    const uint8_t *bytes = data->d_buf;
    uint32_t runs[16] = {0};

    for (size_t i = data->d_size; i-- > 0;) {
        size_t length = 0;

        if (bytes[i] == code)
            length = 1 + width;
        else if (bytes[i] == DW_RLE_base_addressx)
            for (length = 2; length < 11 && i + length <= data->d_size && (bytes[i + length - 1] & 0x80) != 0;)
                length++;
        runs[i % 16] = length == 0 ? 0 : i + length < data->d_size ? runs[(i + length) % 16] + 1 : 1;
        if (runs[i % 16] > MOST_RUN)
            return false;
    }
    return true;
}

static bool
has_good_lists(Elf *elf, unsigned width)
{
    static const struct {
        const char *name;
        uint8_t code;           /* 0 = before version 5 */
    } lists[] = {{"ranges", 0}, {"loc", 0}, {"rnglists", DW_RLE_base_address}, {"loclists", DW_LLE_base_address}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const Elf_Data *data = mp_dwarf_section(elf, lists[i].name);

        if (data != NULL && (!mp_budget_work(data->d_size / A_SCAN) ||
                             !(lists[i].code == 0 ? has_short_runs(data, width)
                                                  : has_short_runs_5(data, width, lists[i].code))))
            return false;
    }
    return true;
}

bool
mp_dwarf_take(Elf *elf)
{
    const Elf_Data *abbrevs = mp_dwarf_section(elf, "abbrev");
    struct tables tables = {.section.other = is_other_order(elf), .offsets.arena = mp_arena_new()};
    const unsigned width = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
    bool good;

    if (abbrevs != NULL) {
        tables.section.at = abbrevs->d_buf;
        tables.section.end = tables.section.at + abbrevs->d_size;
    }
    good = take_units(&tables, mp_dwarf_section(elf, "info"), width) &&
           take_units(&tables, mp_dwarf_section(elf, "types"), width) && has_good_lists(elf, width);
    mp_arena_free(tables.offsets.arena);
    return good;
}

/* ------------------------------------------------------------------------------ line tables */

/* A line table that is being counted. */
struct table {
    const struct mp_line_tables *of;
    struct bytes bytes;
    uint64_t names;             /* bytes that libdw takes for files and directories */
    uint64_t folder;            /* length of the longest directory */
    uint64_t rows;
    bool wide;
};

/* Returns the length of the string at *BYTES, moves behind it, and charges the search. */
static uint64_t
string(struct bytes *bytes)
{
    const uint8_t *end = memchr(bytes->at, '\0', (size_t)(bytes->end - bytes->at));
    const uint64_t length = (uint64_t)((end == NULL ? bytes->end : end) - bytes->at);

    bytes->bad |= end == NULL || !mp_budget_work(1 + length / A_SCAN);
    bytes->at += length + (end != NULL);
    return length;
}

static uint64_t
string_in(struct table *table, const Elf_Data *data)
{
    const uint64_t offset = number(&table->bytes, table->wide ? 8 : 4);
    struct bytes bytes = {0};

    if (data == NULL || offset >= data->d_size)
        return 0;
    bytes.at = (const uint8_t *)data->d_buf + offset;
    bytes.end = (const uint8_t *)data->d_buf + data->d_size;
    return string(&bytes);
}

/* Moves behind a value of FORM. Returns its length if it is a string. Other forms are bad. */
static uint64_t
form_value(struct table *table, uint64_t form)
{
    struct bytes *bytes = &table->bytes;

    switch (form) {
    case DW_FORM_string: return string(bytes);
    case DW_FORM_line_strp: return string_in(table, table->of->line_str);
    case DW_FORM_strp: return string_in(table, table->of->str);
    case DW_FORM_udata: leb(bytes); break;
    case DW_FORM_data1: skip(bytes, 1); break;
    case DW_FORM_data2: skip(bytes, 2); break;
    case DW_FORM_data4: skip(bytes, 4); break;
    case DW_FORM_data8: skip(bytes, 8); break;
    case DW_FORM_data16: skip(bytes, 16); break;
    case DW_FORM_block: skip(bytes, leb(bytes)); break;
    default: bytes->bad = true; break;
    }
    return 0;
}

/* Counts a file or directory, for whose name libdw takes LENGTH bytes. */
static void
add_name(struct table *table, uint64_t length)
{
    table->names += A_FILE + length;
    table->bytes.bad |= !mp_budget_work(1) || !mp_budget_has(MP_MEMORY, table->names);
}

/* Counts the directories, and then the files, of a table of version 5. */
static void
count_names_5(struct table *table)
{
    struct bytes *bytes = &table->bytes;

    for (int files = 0; files < 2 && !bytes->bad; files++) {
        uint64_t forms[256], n_forms = number(bytes, 1), n, longest = 0;

        for (uint64_t i = 0; i < n_forms; i++) {
            leb(bytes);
            forms[i] = leb(bytes);
        }
        n = leb(bytes);
        bytes->bad |= n_forms == 0 && n > 0;
        for (uint64_t i = 0; i < n && !bytes->bad; i++) {
            uint64_t length = 0;

            for (uint64_t k = 0; k < n_forms && !bytes->bad; k++)
                length += form_value(table, forms[k]);
            longest = length > longest ? length : longest;
            add_name(table, table->folder + length);
        }
        table->folder = files == 0 ? longest : table->folder;
    }
}

static void
count_file(struct table *table)
{
    const uint64_t length = string(&table->bytes);

    for (int i = 0; i < 3; i++)
        skip_leb(&table->bytes);
    add_name(table, table->folder + length);
}

/* Counts the directories and files of a table of version 2 to 4. */
static void
count_names(struct table *table)
{
    struct bytes *bytes = &table->bytes;

    for (int files = 0; files < 2; files++) {
        while (!bytes->bad && bytes->at < bytes->end && *bytes->at != '\0') {
            if (files == 1) {
                count_file(table);
            } else {
                const uint64_t length = string(bytes);

                table->folder = length > table->folder ? length : table->folder;
                add_name(table, 0);
            }
        }
        number(bytes, 1);
    }
}

/* Counts the rows of the line program at BYTES. LENGTHS are the numbers of the operands of the opcodes below BASE. */
static void
count_rows(struct table *table, const uint8_t *lengths, unsigned base, unsigned address_size)
{
    struct bytes *bytes = &table->bytes;

    for (uint64_t steps = 0; bytes->at < bytes->end && !bytes->bad; steps++) {
        const unsigned opcode = *bytes->at++;

        if (steps % SOME == 0 &&
            (!mp_budget_work(1) || !mp_budget_has(MP_MEMORY, table->names + A_ROW * table->rows)))
            bytes->bad = true;
        if (opcode >= base || opcode == DW_LNS_copy) {
            table->rows++;
        } else if (opcode == 0) {
            const uint64_t length = number(bytes, 1);
            const unsigned extended = (unsigned)number(bytes, 1);

            switch (extended) {
            case DW_LNE_end_sequence: table->rows++; break;
            case DW_LNE_set_address: skip(bytes, address_size); break;
            case DW_LNE_define_file: count_file(table); break;
            case DW_LNE_set_discriminator: skip_leb(bytes); break;
            case DW_LNE_NVIDIA_inlined_call: skip_leb(bytes);   /* fallthrough */
            case DW_LNE_NVIDIA_set_function_name: skip_leb(bytes); break;
            default: skip(bytes, length > 0 ? length - 1 : 0); break;
            }
        } else if (opcode == DW_LNS_fixed_advance_pc) {
            skip(bytes, 2);
        } else {
            for (unsigned n = lengths[opcode - 1]; n > 0; n--)
                skip_leb(bytes);
        }
    }
}

/* Counts the names and rows of TABLE. Returns false if they exceed the budget, or if TABLE is damaged. libdw does not
 * use a damaged table either, but its memory for the part before the damage remains in use. */
static bool
count_table(struct table *table, unsigned address_size, uint64_t folder)
{
    struct bytes *bytes = &table->bytes;
    uint64_t version, base;
    const uint8_t *lengths;

    enter_unit(bytes, &table->wide);
    version = number(bytes, 2);
    if (version >= 5)
        skip(bytes, 2);
    skip(bytes, (table->wide ? 8u : 4u) + (version >= 4 ? 5u : 4u));
    base = number(bytes, 1);
    lengths = bytes->at;
    skip(bytes, base > 0 ? base - 1 : 0);
    table->folder = folder;
    if (version >= 5)
        count_names_5(table);
    else
        count_names(table);
    if (!bytes->bad)
        count_rows(table, lengths, (unsigned)base, address_size);
    return !bytes->bad;
}

/* Returns whether the table at OFFSET, of UNIT, may be read, and charges it. */
static bool
take_table(struct mp_line_tables *tables, Dwarf_Die *unit, uint64_t offset)
{
    struct table table = {.of = tables};
    const uint8_t *start = tables->line->d_buf;
    const char *folder = NULL;
    uint8_t address_size = 8;
    Dwarf_Attribute value;
    Dwarf_Die top;
    uint64_t bytes;

    if (dwarf_diecu(unit, &top, &address_size, NULL) != NULL && dwarf_attr(unit, DW_AT_comp_dir, &value) != NULL)
        folder = dwarf_formstring(&value);
    table.bytes = (struct bytes){.at = start + offset, .end = start + tables->line->d_size,
                                 .other = is_other_order(tables->elf)};
    if (!count_table(&table, address_size, folder == NULL ? 0 : strlen(folder)))
        return false;
    bytes = table.names + A_ROW * table.rows;
    if (!mp_budget_work(table.rows) || !mp_budget_take(MP_MEMORY, bytes))
        return false;
    tables->bytes += bytes;
    return true;
}

bool
mp_line_table_take(struct mp_line_tables *tables, Dwarf_Die *unit)
{
    struct {
        Elf *elf;
        uint64_t offset;
    } key = {dwarf_getelf(dwarf_cu_getdwarf(unit->cu)), 0};
    Dwarf_Attribute value;
    uint32_t known, n;

    if (tables->elf != key.elf) {
        tables->elf = key.elf;
        tables->line = mp_dwarf_section(key.elf, "line");
        tables->line_str = mp_dwarf_section(key.elf, "line_str");
        tables->str = mp_dwarf_section(key.elf, "str");
    }
    /* without the attribute, a unit in a .dwo file has its table at offset 0 */
    if (tables->line == NULL || (dwarf_attr(unit, DW_AT_stmt_list, &value) != NULL &&
                                 dwarf_formudata(&value, &key.offset) != 0) ||
        key.offset >= tables->line->d_size)
        return true;
    if (tables->arena == NULL)
        tables->tables.arena = tables->arena = mp_arena_new();
    known = tables->tables.count;
    n = mp_map_add(&tables->tables, (const char *)&key, sizeof key);
    if (n == known) {
        tables->good = mp_arena_grow(tables->arena, tables->good, known, &tables->room, sizeof *tables->good);
        tables->good[n] = take_table(tables, unit, key.offset);
    }
    return tables->good[n];
}

void
mp_line_tables_return(struct mp_line_tables *tables)
{
    mp_budget_return(MP_MEMORY, tables->bytes);
    mp_arena_free(tables->arena);
    *tables = (struct mp_line_tables){0};
}
