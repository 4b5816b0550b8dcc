/* SPDX-License-Identifier: MIT */
#include "eh_frame.h"

#include <string.h>

#include "dwarf_bytes.h"

/* DW_EH_PE_*. The low four bits are the format. The next three bits are what the value is relative to. */
#define PE_FORMAT   0x0f
#define PE_RELATIVE 0x70
#define PE_PCREL    0x10
#define PE_DATAREL  0x30
#define PE_OMIT     0xff

#define DEBUG_CIE UINT32_MAX         /* in place of a CIE's address in .debug_frame */

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_register;
    uint8_t encoding;           /* encoding of the FDE's addresses */
    bool augmented, signal_frame;
    struct mp_bytes program;
};

/* ------------------------------------------------------------------ encodings */

static uint64_t
take_format(struct mp_bytes *in, uint8_t format)
{
    switch (format & PE_FORMAT) {
    case 0x00: case 0x04: case 0x0c:
        return mp_take_fixed(in, 8);
    case 0x01:
        return mp_take_uleb(in);
    case 0x02:
        return mp_take_fixed(in, 2);
    case 0x03:
        return mp_take_fixed(in, 4);
    case 0x09:
        return (uint64_t)mp_take_sleb(in);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)mp_take_fixed(in, 2);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)mp_take_fixed(in, 4);
    default:
        in->bad = true;
        return 0;
    }
}

/* Reads a pointer in ENCODING. BASE is the base of data-relative pointers. */
static uint64_t
take_pointer(struct mp_bytes *in, uint8_t encoding, uint64_t base)
{
    uint64_t here = (uint64_t)(uintptr_t)in->at;
    uint64_t value = take_format(in, encoding);

    switch (encoding & PE_RELATIVE) {
    case 0:
        return value;
    case PE_PCREL:
        return value + here;
    case PE_DATAREL:
        return value + base;
    default:
        in->bad = true;
        return 0;
    }
}

/* ------------------------------------------------------------------ CIE and FDE */

/* Returns the bytes that follow the length of the record at AT. `end` is NULL for a terminator, for 64-bit DWARF,
 * and for a record that is not inside the object. */
static struct mp_bytes
record(const struct mp_eh_object *object, const uint8_t *at)
{
    struct mp_bytes in = { at, object->end, false };
    uint64_t length;

    if (at < object->start || at >= object->end) {
        in.end = NULL;
        return in;
    }
    length = mp_take_fixed(&in, 4);
    if (in.bad || length == 0 || length > (uint64_t)(object->end - in.at))
        in.end = NULL;          /* includes 0xffffffff, which marks 64-bit DWARF, because no object is that large */
    else
        in.end = in.at + length;
    return in;
}

static void
take_augmentation(struct mp_bytes *in, const char *letters, struct cie *cie)
{
    uint64_t size = mp_take_uleb(in);
    const uint8_t *end;

    if (size > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return;
    }
    end = in->at + size;
    cie->augmented = true;
    for (; *letters; letters++) {
        if (*letters == 'R')
            cie->encoding = (uint8_t)mp_take_fixed(in, 1);
        else if (*letters == 'P')
            take_format(in, (uint8_t)mp_take_fixed(in, 1));
        else if (*letters == 'L')
            mp_take_fixed(in, 1);
        else if (*letters == 'S')
            cie->signal_frame = true;
        else if (*letters != 'B')
            break;              /* unknown letter; the end is known from the size */
    }
    in->at = end;
}

static bool
read_cie(const struct mp_eh_object *object, const uint8_t *at, struct cie *cie)
{
    struct mp_bytes in = record(object, at);
    const char *augmentation;
    uint64_t version;

    memset(cie, 0, sizeof *cie);
    if (!in.end || mp_take_fixed(&in, 4) != (object->debug_frame ? DEBUG_CIE : 0))
        return false;
    version = mp_take_fixed(&in, 1);
    augmentation = (const char *)in.at;
    while (mp_take_fixed(&in, 1) && !in.bad)
        continue;
    if (in.bad || (version != 1 && version != 3 && (version != 4 || !object->debug_frame)))
        return false;
    if (version == 4 && mp_take_fixed(&in, 2) != 8)     /* the size of addresses, and that of segments */
        return false;
    cie->code_align = mp_take_uleb(&in);
    cie->data_align = mp_take_sleb(&in);
    cie->return_register = version == 1 ? mp_take_fixed(&in, 1) : mp_take_uleb(&in);
    if (augmentation[0] == 'z')
        take_augmentation(&in, augmentation + 1, cie);
    else if (augmentation[0])
        return false;
    cie->program = in;
    return !in.bad && cie->return_register == MP_CFI_RA;
}

/* ------------------------------------------------------------------ instructions */

#define REMEMBER_DEPTH 6

struct machine {
    const struct cie *cie;
    struct mp_cfi_row *row;
    struct mp_cfi_row initial;          /* row after the CIE's program, for DW_CFA_restore */
    struct mp_cfi_row remembered[REMEMBER_DEPTH];
    unsigned depth;
    uint64_t location, pc;              /* addresses as the tables have them: the one reached so far, and the one
                                           whose row is wanted */
};

/* Returns the rule of register NUMBER in ROW. Returns OTHER if the register never holds addresses (vectors, flags). */
static struct mp_cfi_rule *
rule(struct mp_cfi_row *row, uint64_t number, struct mp_cfi_rule *other)
{
    return number < MP_CFI_REGISTERS ? &row->rules[number] : other;
}

/* Sets the rule of register NUMBER. An OFFSET of more than 32 bits is an error, because no frame is so large. */
static void
set_rule(struct machine *m, struct mp_bytes *in, uint64_t number, enum mp_cfi_how how, int64_t offset)
{
    struct mp_cfi_rule other;

    if (offset != (int32_t)offset)
        in->bad = true;
    *rule(m->row, number, &other) = (struct mp_cfi_rule){ .how = (uint8_t)how,
                                                          .offset = (int32_t)offset };
}

static void
restore(struct machine *m, uint64_t number)
{
    struct mp_cfi_rule other = { 0 };

    *rule(m->row, number, &other) = *rule(&m->initial, number, &other);
}

/* Returns FACTOR times the data alignment. Sets in->bad if that does not fit. */
static int64_t
scaled(const struct machine *m, struct mp_bytes *in, int64_t factor)
{
    int64_t offset;

    if (!__builtin_mul_overflow(factor, m->cie->data_align, &offset) && offset > INT64_MIN)
        return offset;
    in->bad = true;
    return 0;
}

static int64_t
take_scaled(const struct machine *m, struct mp_bytes *in)
{
    uint64_t factor = mp_take_uleb(in);

    in->bad |= factor > INT64_MAX;
    return in->bad ? 0 : scaled(m, in, (int64_t)factor);
}

static int64_t
take_scaled_signed(const struct machine *m, struct mp_bytes *in)
{
    return scaled(m, in, mp_take_sleb(in));
}

static struct mp_bytes
take_block(struct mp_bytes *in)
{
    uint64_t size = mp_take_uleb(in);
    struct mp_bytes block = { in->at, in->at, false };

    if (size > (uint64_t)(in->end - in->at))
        in->bad = true;
    else
        block.end = in->at += size;
    return block;
}

static void
set_expression(struct machine *m, struct mp_bytes *in, enum mp_cfi_how how)
{
    struct mp_cfi_rule other;
    struct mp_cfi_rule *to = rule(m->row, mp_take_uleb(in), &other);
    struct mp_bytes block = take_block(in);

    if (block.end - block.at > UINT16_MAX)
        in->bad = true;
    *to = (struct mp_cfi_rule){ .how = (uint8_t)how, .expression = block.at,
                                .expression_size = (uint16_t)(block.end - block.at) };
}

/* Advances the location. Returns true if PC is before the new location, so that the present row is the result. */
static bool
advance(struct machine *m, uint64_t delta)
{
    m->location += delta * m->cie->code_align;
    return m->location > m->pc;
}

static void
set_cfa(struct machine *m, uint64_t number, int64_t offset)
{
    m->row->cfa_is_expression = false;
    m->row->cfa_register = number;
    m->row->cfa_offset = offset;
}

static void
set_cfa_expression(struct machine *m, struct mp_bytes *in)
{
    struct mp_bytes block = take_block(in);

    m->row->cfa_is_expression = true;
    m->row->cfa_expression = block.at;
    m->row->cfa_expression_size = (uint64_t)(block.end - block.at);
}

static void
remember(struct machine *m, struct mp_bytes *in)
{
    if (m->depth == REMEMBER_DEPTH)
        in->bad = true;
    else
        m->remembered[m->depth++] = *m->row;
}

static void
recall(struct machine *m, struct mp_bytes *in)
{
    if (m->depth == 0)
        in->bad = true;
    else
        *m->row = m->remembered[--m->depth];
}

/* Executes instructions that set the CFA or a register (DWARF 4, 6.4.2.2 and 6.4.2.3). */
static void
define(struct machine *m, struct mp_bytes *in, uint8_t opcode)
{
    uint64_t number;

    switch (opcode) {
    case 0x05:                  /* DW_CFA_offset_extended */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_OFFSET, take_scaled(m, in));
        break;
    case 0x06:                  /* DW_CFA_restore_extended */
        restore(m, mp_take_uleb(in));
        break;
    case 0x07:                  /* DW_CFA_undefined */
        set_rule(m, in, mp_take_uleb(in), MP_CFI_UNDEFINED, 0);
        break;
    case 0x08:                  /* DW_CFA_same_value */
        set_rule(m, in, mp_take_uleb(in), MP_CFI_SAME, 0);
        break;
    case 0x09:                  /* DW_CFA_register */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_REGISTER, (int64_t)(mp_take_uleb(in) & INT32_MAX));
        break;
    case 0x0c:                  /* DW_CFA_def_cfa */
        number = mp_take_uleb(in);
        set_cfa(m, number, (int64_t)mp_take_uleb(in));
        break;
    case 0x0d:                  /* DW_CFA_def_cfa_register */
        set_cfa(m, mp_take_uleb(in), m->row->cfa_offset);
        break;
    case 0x0e:                  /* DW_CFA_def_cfa_offset */
        m->row->cfa_offset = (int64_t)mp_take_uleb(in);
        break;
    case 0x0f:                  /* DW_CFA_def_cfa_expression */
        set_cfa_expression(m, in);
        break;
    case 0x10:                  /* DW_CFA_expression */
        set_expression(m, in, MP_CFI_EXPRESSION);
        break;
    case 0x11:                  /* DW_CFA_offset_extended_sf */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_OFFSET, take_scaled_signed(m, in));
        break;
    case 0x12:                  /* DW_CFA_def_cfa_sf */
        number = mp_take_uleb(in);
        set_cfa(m, number, take_scaled_signed(m, in));
        break;
    case 0x13:                  /* DW_CFA_def_cfa_offset_sf */
        m->row->cfa_offset = take_scaled_signed(m, in);
        break;
    case 0x14:                  /* DW_CFA_val_offset */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_VALUE_OFFSET, take_scaled(m, in));
        break;
    case 0x15:                  /* DW_CFA_val_offset_sf */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_VALUE_OFFSET, take_scaled_signed(m, in));
        break;
    case 0x16:                  /* DW_CFA_val_expression */
        set_expression(m, in, MP_CFI_VALUE_EXPRESSION);
        break;
    case 0x2e:                  /* DW_CFA_GNU_args_size */
        mp_take_uleb(in);
        break;
    case 0x2f:                  /* DW_CFA_GNU_negative_offset_extended */
        number = mp_take_uleb(in);
        set_rule(m, in, number, MP_CFI_OFFSET, -take_scaled(m, in));
        break;
    default:
        in->bad = true;
    }
}

/* Executes the instructions up to PC. Returns false if an instruction is invalid. */
static bool
run(struct machine *m, struct mp_bytes in)
{
    while (in.at < in.end && !in.bad) {
        uint8_t opcode = *in.at++;
        uint8_t operand = opcode & 0x3f;
        bool there = false;

        switch (opcode >> 6) {
        case 1:                 /* DW_CFA_advance_loc */
            there = advance(m, operand);
            break;
        case 2:                 /* DW_CFA_offset */
            set_rule(m, &in, operand, MP_CFI_OFFSET, take_scaled(m, &in));
            break;
        case 3:                 /* DW_CFA_restore */
            restore(m, operand);
            break;
        default:
            if (opcode == 0x00) /* DW_CFA_nop */
                break;
            if (opcode == 0x01) /* DW_CFA_set_loc */
                there = (m->location = take_pointer(&in, m->cie->encoding, 0)) > m->pc;
            else if (opcode >= 0x02 && opcode <= 0x04)  /* DW_CFA_advance_loc1, 2, 4 */
                there = advance(m, mp_take_fixed(&in, 1u << (opcode - 2)));
            else if (opcode == 0x0a)
                remember(m, &in);
            else if (opcode == 0x0b)
                recall(m, &in);
            else
                define(m, &in, opcode);
        }
        if (there)
            break;
    }
    return !in.bad;
}

static enum mp_cfi_result
find_row(const struct mp_eh_object *object, const uint8_t *fde, uintptr_t pc,
         struct mp_cfi_row *row)
{
    struct mp_bytes in = record(object, fde);
    struct machine machine;
    const uint8_t *cie_at;
    struct cie cie;
    uint64_t start, size;

    if (!in.end)
        return MP_CFI_BAD;
    start = mp_take_fixed(&in, 4);         /* place of the CIE, or in .eh_frame the distance back to it */
    cie_at = object->debug_frame ? object->debug_frame + start : fde + 4 - start;
    if ((start == 0 && !object->debug_frame) || !read_cie(object, cie_at, &cie))
        return MP_CFI_BAD;
    start = take_pointer(&in, cie.encoding, 0);
    size = take_format(&in, cie.encoding);
    if (in.bad)
        return MP_CFI_BAD;
    if (pc < start || pc - start >= size)
        return MP_CFI_NO_FDE;
    if (cie.augmented)
        take_block(&in);

    memset(row, 0, sizeof *row);
    machine.cie = &cie;
    machine.row = row;
    machine.depth = 0;
    machine.location = 0;
    machine.pc = UINTPTR_MAX;           /* so that the CIE's program runs to its end */
    memset(&machine.initial, 0, sizeof machine.initial);
    if (!run(&machine, cie.program))
        return MP_CFI_BAD;
    machine.initial = *row;
    machine.location = start;
    machine.pc = pc;
    if (!run(&machine, in))
        return MP_CFI_BAD;
    row->signal_frame = cie.signal_frame;
    row->start = start + object->bias;
    return MP_CFI_FOUND;
}

/* ------------------------------------------------------------------ .eh_frame_hdr */

/* `fde` is relative to the header, and so is `start`, but in an index of .debug_frame it is as there. */
struct entry { int32_t start, fde; };

/* Returns the table in OBJECT's .eh_frame_hdr and sets *COUNT to its number of entries. Returns NULL if the format of
 * the table is unknown. */
static const uint8_t *
find_table(const struct mp_eh_object *object, uint64_t *count)
{
    const uint8_t *header = object->eh_frame_hdr;
    struct mp_bytes in = { header + 4, object->end, false };

    if (header < object->start || object->end - header < 4 || header[0] != 1 ||
        header[2] == PE_OMIT || header[3] != (PE_DATAREL | 0x0b))
        return NULL;
    take_pointer(&in, header[1], (uint64_t)(uintptr_t)header);
    *count = take_pointer(&in, header[2], (uint64_t)(uintptr_t)header);
    if (in.bad || *count > (uint64_t)(object->end - in.at) / sizeof(struct entry))
        return NULL;
    return in.at;
}

enum mp_cfi_result
mp_eh_frame_find(const struct mp_eh_object *object, uintptr_t pc, struct mp_cfi_row *row)
{
    const uint8_t *header = object->eh_frame_hdr;
    int64_t wanted = (int64_t)pc - (int64_t)(object->debug_frame ? object->bias : (uintptr_t)header);
    uint64_t low = 0, high;
    const uint8_t *table = find_table(object, &high);
    struct entry entry;

    if (!table)
        return MP_CFI_BAD;
    while (low < high) {                /* find the first entry that starts after PC */
        uint64_t middle = low + (high - low) / 2;

        memcpy(&entry, table + middle * sizeof entry, sizeof entry);
        if (entry.start <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return MP_CFI_NO_FDE;
    memcpy(&entry, table + (low - 1) * sizeof entry, sizeof entry);
    return find_row(object, header + entry.fde, pc - object->bias, row);
}

/* ------------------------------------------------------------------ index of .debug_frame */

#define SHORTEST_FDE 24u        /* length, CIE, address and size */
#define INDEX_HEADER 12u        /* version and encodings, an address that is not used, and the number of entries */

_Static_assert(MP_DEBUG_INDEX_SIZE(SHORTEST_FDE) == INDEX_HEADER + sizeof(struct entry), "the index of one FDE");

/* Takes the next FDE of IN, the rest of .debug_frame. Sets *ENTRY's start, and returns the FDE's address. Returns NULL
 * at the end. */
static const uint8_t *
next_fde(struct mp_bytes *in, struct entry *entry)
{
    while (in->at < in->end) {
        const uint8_t *at = in->at;
        const uint64_t length = mp_take_fixed(in, 4), id = mp_take_fixed(in, 4), start = mp_take_fixed(in, 8);

        if (in->bad || length > (uint64_t)(in->end - at - 4))
            return NULL;                /* also for 64-bit DWARF */
        in->at = at + 4 + length;
        entry->start = (int32_t)start;
        if (id != DEBUG_CIE && length >= SHORTEST_FDE - 4 && start > 1 && start <= INT32_MAX)
            return at;                  /* the linker sets the addresses of functions that it leaves out to 0 or 1 */
    }
    return NULL;
}

/* Moves the entry at AT of a heap with COUNT entries down until it is not before its children. */
static void
sift(struct entry *heap, uint32_t at, uint32_t count)
{
    const struct entry moved = heap[at];

    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child].start < heap[child + 1].start;
        if (heap[child].start <= moved.start)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void
sort(struct entry *entries, uint32_t count)
{
    for (uint32_t at = count / 2; at > 0; at--)
        sift(entries, at - 1, count);
    while (count > 1) {
        const struct entry last = entries[--count];

        entries[count] = entries[0];
        entries[0] = last;
        sift(entries, 0, count);
    }
}

void
mp_debug_frame_index(const uint8_t *section, uint64_t size, uint8_t *index)
{
    static const uint8_t header[] = { 1, 0x03, 0x03, PE_DATAREL | 0x0b };
    struct mp_bytes in = { section, section + size, false };
    struct entry *entries = (void *)(index + INDEX_HEADER), entry;
    uint32_t count = 0;
    const uint8_t *fde;

    while ((fde = next_fde(&in, &entry))) {
        entry.fde = (int32_t)(fde - index);
        entries[count++] = entry;
    }
    sort(entries, count);
    memcpy(index, header, sizeof header);
    memcpy(index + INDEX_HEADER - sizeof count, &count, sizeof count);
}
