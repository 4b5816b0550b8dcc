#include "fde.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "answers.h"

struct mp_fdes {
    struct mp_arena *arena;
    struct mp_spans spans;      /* value: index in starts */
    uint64_t *starts;
    uint32_t n_starts, room;
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
        entry.CIE_id != DW_CIE_ID_64)
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
    fdes->starts[fdes->n_starts] = start;
    mp_spans_add(&fdes->spans, fdes->arena, start, start + size, fdes->n_starts++);
}

struct mp_fdes *
mp_fdes_open(Elf *elf, const struct mp_spans *code, struct mp_arena *arena)
{
    struct mp_fdes *fdes = mp_arena_alloc(arena, sizeof *fdes);
    struct section section;
    Dwarf_CFI_Entry entry;
    Dwarf_Off offset = 0, next = 0, cie = DW_CIE_ID_64;
    unsigned encoding = 0;
    bool known = false;         /* `encoding` belongs to the CIE at `cie` */

    fdes->arena = arena;
    if (!find_section(elf, &section))
        return fdes;
    for (; next != (Dwarf_Off)-1; offset = next) {
        int result = dwarf_next_cfi(section.ident, section.data, true, offset, &next, &entry);

        if (result > 0 || next <= offset)
            break;
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
mp_fdes_find(const struct mp_fdes *fdes, uint64_t address)
{
    uint32_t index = mp_spans_find(&fdes->spans, address);

    return index == MP_NO_ID ? MP_NO_START : fdes->starts[index];
}
