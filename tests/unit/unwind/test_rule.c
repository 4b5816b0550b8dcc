/* Compares the unwind rules of the compact reader with those of libdw, for all rows of real objects and for rows that
 * are made by hand. */
#include "tests/unit/tap.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <dwarf.h>
#include <gelf.h>
#include <glob.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/rule.h"
#include "tests/unit/elf_image.h"

#define FP 6
#define SP 7
#define RA 16

/* ------------------------------------------------------------------ libdw's opinion */

/* Returns whether OPS is a location of the form [CFA + offset], and sets *OFFSET. */
static bool
is_at_cfa(const Dwarf_Op *ops, size_t n, int64_t *offset)
{
    if (n < 1 || ops[0].atom != DW_OP_call_frame_cfa)
        return false;
    *offset = 0;
    if (n == 1)
        return true;
    if (n == 2 && ops[1].atom == DW_OP_plus_uconst) {
        *offset = (int64_t)ops[1].number;
        return true;
    }
    return false;
}

static bool
is_reg(const Dwarf_Op *op, unsigned reg, int64_t *offset)
{
    if (op->atom == DW_OP_bregx && op->number == reg) {
        *offset = (int64_t)op->number2;
        return true;
    }
    *offset = (int64_t)op->number;
    return op->atom == DW_OP_breg0 + reg;
}

/* Where libdw says that a register is saved. It represents "same value" by no operations and "undefined" by a special
 * empty list. */
struct place {
    bool same, undefined, at_cfa;
    int64_t offset;
    Dwarf_Op *ops;
    size_t n;
};

static bool
find_place(Dwarf_Frame *frame, int reg, Dwarf_Op memory[3], struct place *place)
{
    memset(place, 0, sizeof *place);
    if (dwarf_frame_register(frame, reg, memory, &place->ops, &place->n) != 0)
        return false;
    place->same = place->n == 0 && !place->ops;
    place->undefined = place->n == 0 && place->ops;
    place->at_cfa = place->n > 0 && is_at_cfa(place->ops, place->n, &place->offset);
    return true;
}

static bool
is_breg(const struct place *place, unsigned reg, int64_t wanted)
{
    /* An expression begins with the CFA on its stack, so libdw puts an operation for the CFA first. */
    size_t at = place->n == 2 && place->ops[0].atom == DW_OP_call_frame_cfa;
    int64_t offset;

    return place->n == at + 1 && is_reg(&place->ops[at], reg, &offset) && offset == wanted;
}

static uint32_t
make(unsigned kind, int64_t offset, int64_t saved_fp)
{
    if (offset < 0 || offset % 8 || offset / 8 > 0xffff || saved_fp < 0 || saved_fp % 8 ||
        saved_fp / 8 > 0xfff)
        return MP_RULE_IRREGULAR;
    return kind | (uint32_t)(offset / 8) << 3 | (uint32_t)(saved_fp / 8) << 19;
}

static uint32_t
expected(Dwarf_Frame *frame, bool signal)
{
    Dwarf_Op ra_memory[3], fp_memory[3], sp_memory[3], *cfa;
    struct place ra, fp, sp;
    size_t n;
    int64_t offset;

    if (!find_place(frame, RA, ra_memory, &ra) || !find_place(frame, FP, fp_memory, &fp) ||
        !find_place(frame, SP, sp_memory, &sp) || dwarf_frame_cfa(frame, &cfa, &n) != 0)
        return MP_RULE_IRREGULAR;
    if (ra.undefined)
        return MP_RULE_END;
    if (signal && n == 2 && is_reg(&cfa[0], SP, &offset) && offset == MP_SIGNAL_SP &&
        cfa[1].atom == DW_OP_deref && is_breg(&ra, SP, MP_SIGNAL_IP) &&
        is_breg(&fp, SP, MP_SIGNAL_FP))
        return MP_RULE_SIGNAL;
    /* The caller's sp is the CFA. libdw says this or nothing. */
    if (signal || !ra.at_cfa || ra.offset != -8)
        return MP_RULE_IRREGULAR;
    if (n == 2 && is_reg(&cfa[0], FP, &offset) && cfa[1].atom == DW_OP_deref)
        return is_breg(&fp, FP, 0) ? make(MP_RULE_FP_DEREF, -offset, 0) : MP_RULE_IRREGULAR;
    if (n != 1 || (!fp.same && (!fp.at_cfa || fp.offset >= 0)))
        return MP_RULE_IRREGULAR;
    if (is_reg(&cfa[0], SP, &offset))
        return make(MP_RULE_SP, offset, fp.same ? 0 : -fp.offset);
    if (is_reg(&cfa[0], FP, &offset))
        return make(MP_RULE_FP, offset, fp.same ? 0 : -fp.offset);
    return MP_RULE_IRREGULAR;
}

/* ------------------------------------------------------------------ all rows of an object */

struct tally {
    uint64_t rows, differ, irregular;
};

static uint32_t
find_rule(const struct elf_image *image, uintptr_t pc)
{
    const struct mp_eh_object object = { image->map, image->map + image->size,
                                         image->eh_frame_hdr };
    uintptr_t start;

    return mp_rule_find(&object, pc, &start);
}

static void
compare_row(const struct elf_image *image, Dwarf_CFI *cfi, Dwarf_Addr pc, Dwarf_Addr *end,
            struct tally *tally)
{
    uint32_t ours = find_rule(image, (uintptr_t)(image->base + pc)), theirs;
    Dwarf_Frame *frame;
    Dwarf_Addr start;
    bool signal;

    *end = 0;
    if (dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
        return;
    dwarf_frame_info(frame, &start, end, &signal);
    theirs = expected(frame, signal);
    tally->rows++;
    tally->irregular += ours == MP_RULE_IRREGULAR;
    if (ours != theirs && tally->differ++ < 5)
        fprintf(stderr, "# pc %#lx: ours %#x, libdw %#x\n", (unsigned long)pc, ours, theirs);
    free(frame);
}

struct entry { int32_t start, fde; };

/* Compares the rules of all FDEs in the sorted table of .eh_frame_hdr, row by row from the start of each FDE. */
static void
compare_all(const struct elf_image *image, Dwarf_CFI *cfi, struct tally *tally)
{
    const uint8_t *header = image->eh_frame_hdr;
    uint32_t count;
    const struct entry *table = (const void *)(header + 12);

    ck_assert_int_eq(header[2], 0x03);          /* count: udata4; table: datarel sdata4 */
    ck_assert_int_eq(header[3], 0x3b);
    memcpy(&count, header + 8, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        Dwarf_Addr pc = (Dwarf_Addr)(header + table[i].start - image->base), end;
        Dwarf_Addr next = i + 1 < count ? (Dwarf_Addr)(header + table[i + 1].start - image->base)
                                        : UINT64_MAX;

        for (; pc < next; pc = end) {
            compare_row(image, cfi, pc, &end, tally);
            if (end <= pc)
                break;
        }
    }
}

static void
compare_object(const char *path, uint64_t least_rows)
{
    struct tally tally = { 0 };
    struct elf_image image;
    Dwarf_CFI *cfi;
    Elf *elf;
    int fd;

    ck_assert_msg(elf_image_open(path, &image), "%s: no object with an unwind table", path);
    elf_version(EV_CURRENT);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    cfi = dwarf_getcfi_elf(elf);
    ck_assert_ptr_nonnull(cfi);
    compare_all(&image, cfi, &tally);
    fprintf(stderr, "# %s: %lu rows, %lu irregular, %lu differ\n", path,
            (unsigned long)tally.rows, (unsigned long)tally.irregular,
            (unsigned long)tally.differ);
    dwarf_cfi_end(cfi);
    elf_end(elf);
    close(fd);
    elf_image_close(&image);
    ck_assert_uint_eq(tally.differ, 0);
    ck_assert_uint_ge(tally.rows, least_rows);
    ck_assert_uint_lt(tally.irregular * 50, tally.rows);        /* at most 2 % are irregular */
}

/* Returns the file of the shared object that contains SYMBOL. */
static const char *
file_of(const void *symbol)
{
    Dl_info info;

    ck_assert_int_ne(dladdr(symbol, &info), 0);
    return info.dli_fname;
}

TIMEOUT(300)

TEST(libc_equals_libdw)
{
    compare_object(file_of((void *)(uintptr_t)&gnu_get_libc_version), 20000);
}

TEST(loader_equals_libdw)
{
    compare_object(file_of((void *)getauxval(AT_BASE)), 1000);
}

TEST(libstdcxx_equals_libdw)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);

    ck_assert_ptr_nonnull(library);
    compare_object(file_of(dlsym(library, "__cxa_throw")), 10000);
    dlclose(library);
}

TEST(cc1_equals_libdw)
{
    glob_t found;

    ck_assert_int_eq(glob("/usr/lib*/gcc/*/*/cc1", 0, NULL, &found), 0);
    compare_object(found.gl_pathv[0], 400000);
    globfree(&found);
}

/* Damage in the tables may change a rule, or make it irregular or missing. The reader never leaves the object; if it
 * did, this test would crash. */
TEST(damaged_tables_do_no_harm)
{
    struct elf_image image;
    uint32_t count, random = 1;
    const struct entry *table;

    ck_assert(elf_image_open(file_of((void *)getauxval(AT_BASE)), &image));
    memcpy(&count, image.eh_frame_hdr + 8, sizeof count);
    table = (const void *)(image.eh_frame_hdr + 12);
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t *at, was;

        random = random * 1664525u + 1013904223u;
        at = image.eh_frame_hdr + random % (uint32_t)(image.map + image.size - image.eh_frame_hdr);
        if (round % 4 == 0)
            at = image.eh_frame_hdr + random % 64;
        was = *at;
        *at = (uint8_t)(random >> 24);
        for (unsigned i = 0; i < 4; i++)
            find_rule(&image, (uintptr_t)(image.eh_frame_hdr + table[(random + i) % count].start));
        *at = was;
    }
    elf_image_close(&image);
}

/* ------------------------------------------------------------------ rows made by hand */

static struct mp_cfi_row
plain_row(void)
{
    return (struct mp_cfi_row){ .cfa_register = SP, .cfa_offset = 16,
                                .rules[MP_CFI_RA] = { .how = MP_CFI_OFFSET, .offset = -8 } };
}

TEST(fields_come_out_as_they_went_in)
{
    struct mp_cfi_row row = plain_row();
    uint32_t rule;

    row.cfa_offset = 8 * 0xffff;
    row.rules[MP_CFI_FP] = (struct mp_cfi_rule){ .how = MP_CFI_OFFSET, .offset = -8 * 0xfff };
    rule = mp_rule_compress(&row);
    ck_assert_int_eq(mp_rule_kind(rule), MP_RULE_SP);
    ck_assert_uint_eq(mp_rule_offset(rule), 8 * 0xffff);
    ck_assert_uint_eq(mp_rule_saved_fp(rule), 8 * 0xfff);
}

TEST(what_does_not_fit_is_irregular)
{
    struct mp_cfi_row row = plain_row();

    row.cfa_offset = 8 * 0x10000;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.cfa_offset = 12;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.rules[MP_CFI_FP] = (struct mp_cfi_rule){ .how = MP_CFI_OFFSET, .offset = -8 * 0x1000 };
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.cfa_register = 3;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.rules[MP_CFI_RA].offset = -16;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.rules[MP_CFI_FP].how = MP_CFI_REGISTER;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
    row = plain_row();
    row.signal_frame = true;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_IRREGULAR);
}

TEST(an_undefined_return_address_ends_the_chain)
{
    struct mp_cfi_row row = plain_row();

    row.rules[MP_CFI_RA].how = MP_CFI_UNDEFINED;
    ck_assert_uint_eq(mp_rule_compress(&row), MP_RULE_END);
}

TEST(own_code_has_a_rule_and_data_has_none)
{
    struct mp_eh_object object;
    struct dl_find_object found;
    static int data;
    uintptr_t start;
    uint32_t rule;

    ck_assert_int_eq(_dl_find_object((void *)(uintptr_t)&compare_object, &found), 0);
    object = (struct mp_eh_object){ found.dlfo_map_start, found.dlfo_map_end,
                                    found.dlfo_eh_frame };
    rule = mp_rule_find(&object, (uintptr_t)&compare_object, &start);
    ck_assert_uint_eq(start, (uintptr_t)&compare_object);
    ck_assert_int_eq(mp_rule_kind(rule), MP_RULE_SP);
    ck_assert_uint_eq(mp_rule_offset(rule), 8);         /* at the first instruction */
    ck_assert_uint_eq(mp_rule_find(&object, (uintptr_t)&data, &start), MP_RULE_MISSING);
}
/* SPDX-License-Identifier: MIT */
