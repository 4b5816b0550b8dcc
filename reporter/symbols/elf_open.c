/* SPDX-License-Identifier: MIT */
#include "elf_open.h"

#include <string.h>
#include <unistd.h>

#define MOST_SEGMENTS   1024u
#define MOST_NAMES      (UINT64_C(16) << 20)    /* maximum bytes of section names */
#define MOST_NOTES      (UINT64_C(1) << 20)     /* maximum bytes of notes that are read of one file */
#define NOTE_PIECE      (UINT64_C(16) << 10)    /* maximum bytes read of one section or segment */

/* Returns whether the ELF header of FD has plausible numbers of headers. Numbers above 65,279 sections or 65,534
 * segments are stored elsewhere; no linked program has so many. */
static bool
has_plausible_header(int fd)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr small;
        Elf64_Ehdr large;
    } header;
    bool large, other;
    uint16_t segments, sections;
    uint64_t table;

    if (pread(fd, &header, sizeof header, 0) != sizeof header || memcmp(header.ident, ELFMAG, SELFMAG) != 0)
        return false;
    large = header.ident[EI_CLASS] == ELFCLASS64;
    other = header.ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
    segments = large ? header.large.e_phnum : header.small.e_phnum;
    sections = large ? header.large.e_shnum : header.small.e_shnum;
    table = large ? header.large.e_shoff : header.small.e_shoff;
    if (other) {
        segments = __builtin_bswap16(segments);
        sections = __builtin_bswap16(sections);
    }
    return segments <= MOST_SEGMENTS && sections < SHN_LORESERVE && (sections > 0 || table == 0);
}

bool
mp_elf_is_terminated(int fd, const GElf_Shdr *header)
{
    char last;

    return header->sh_size > 0 &&
           pread(fd, &last, 1, (off_t)(header->sh_offset + header->sh_size - 1)) == 1 && last == '\0';
}

static bool
has_good_names(Elf *elf, int fd)
{
    size_t names;
    GElf_Shdr header;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    return names == SHN_UNDEF ||
           (gelf_getshdr(elf_getscn(elf, names), &header) != NULL && header.sh_type == SHT_STRTAB &&
            (header.sh_flags & SHF_COMPRESSED) == 0 && header.sh_size <= MOST_NAMES &&
            mp_elf_is_terminated(fd, &header));
}

Elf *
mp_elf_open(int fd, Elf_Cmd command)
{
    Elf *elf = has_plausible_header(fd) ? elf_begin(fd, command, NULL) : NULL;

    if (elf == NULL || (elf_kind(elf) == ELF_K_ELF && has_good_names(elf, fd)))
        return elf;
    elf_end(elf);
    return NULL;
}

/* ------------------------------------------------------------------------ notes */

static uint32_t
word_at(Elf *elf, const unsigned char *bytes)
{
    const char *ident = elf_getident(elf, NULL);
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ? word
                                                                                          : __builtin_bswap32(word);
}

/* A search for the build-id. */
struct search {
    Elf *elf;
    int fd;
    uint64_t left;              /* remaining bytes to read */
    uint8_t *id;
};

/* Looks for a build-id in the notes in SIZE bytes at OFFSET of the file. Returns its size, or 0. */
static size_t
search_notes(struct search *search, uint64_t offset, uint64_t size, uint64_t align)
{
    unsigned char notes[NOTE_PIECE];
    const uint64_t pad = align == 8 ? 7 : 3;
    uint64_t at = 0;
    ssize_t got;

    size = size < NOTE_PIECE ? size : NOTE_PIECE;
    if (size > search->left || offset > INT64_MAX || (got = pread(search->fd, notes, size, (off_t)offset)) <= 0)
        return 0;
    search->left -= size;
    size = (uint64_t)got;
    while (at <= size && size - at >= 12) {
        const uint64_t name = word_at(search->elf, notes + at), content = word_at(search->elf, notes + at + 4);
        const uint64_t start = at + ((12 + name + pad) & ~pad);

        if (start > size || content > size - start)
            return 0;
        if (word_at(search->elf, notes + at + 8) == NT_GNU_BUILD_ID && name == sizeof "GNU" && content > 0 &&
            content <= MP_BUILD_ID_MOST && memcmp(notes + at + 12, "GNU", sizeof "GNU") == 0) {
            memcpy(search->id, notes + start, content);
            return content;
        }
        at = start + ((content + pad) & ~pad);
    }
    return 0;
}

/* Sections come first, because a separate debug file may have the segments of the program but not their content. */
size_t
mp_elf_build_id(Elf *elf, int fd, uint8_t id[MP_BUILD_ID_MOST])
{
    struct search search = {elf, fd, MOST_NOTES, id};
    size_t size = 0, segments = 0;
    bool sections = false;

    for (Elf_Scn *scn = NULL; size == 0 && (scn = elf_nextscn(elf, scn)) != NULL; sections = true) {
        GElf_Shdr header;

        if (gelf_getshdr(scn, &header) != NULL && header.sh_type == SHT_NOTE)
            size = search_notes(&search, header.sh_offset, header.sh_size, header.sh_addralign);
    }
    if (!sections && elf_getphdrnum(elf, &segments) != 0)
        return 0;
    for (size_t i = 0; size == 0 && i < segments; i++) {
        GElf_Phdr header;

        if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_NOTE)
            size = search_notes(&search, header.p_offset, header.p_filesz, header.p_align);
    }
    return size;
}

bool
mp_elf_debuglink(Elf *elf, int fd, char name[MP_LINK_MOST], uint32_t *crc)
{
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;
        const char *its = gelf_getshdr(scn, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);
        size_t length;

        if (its == NULL || strcmp(its, ".gnu_debuglink") != 0)
            continue;
        if (header.sh_type == SHT_NOBITS || header.sh_size < 8 || header.sh_size > MP_LINK_MOST ||
            pread(fd, name, header.sh_size, (off_t)header.sh_offset) != (ssize_t)header.sh_size)
            return false;
        length = strnlen(name, header.sh_size);
        if (length == 0 || ((length + 4) & ~(size_t)3) + 4 > header.sh_size)
            return false;
        *crc = word_at(elf, (const unsigned char *)name + ((length + 4) & ~(size_t)3));
        return true;
    }
    return false;
}
