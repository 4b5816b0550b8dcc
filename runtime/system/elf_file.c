/* SPDX-License-Identifier: MIT */
#include "elf_file.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE    UINT64_MAX
#define MAX_BUCKET 1024u        /* symbols with the same hash; more only in a damaged file */
#define MAX_DYNAMIC 4096u       /* entries of the dynamic section that are read; linkers write some tens */

/* The ELF header of this library or program, defined by the linker. Other files are compared with it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* The part of the file that was read last. The needed records are close together, so one part usually contains several
 * of them. A system call for each record would take most of the time in programs that start many others. */
struct piece {
    int fd;
    uint64_t start;
    size_t size;
    unsigned char bytes[512];
};

static bool
is_in_piece(const struct piece *piece, size_t size, uint64_t offset)
{
    return offset >= piece->start && offset - piece->start <= piece->size &&
           size <= piece->size - (offset - piece->start);
}

static bool
read_at(struct piece *piece, void *to, size_t size, uint64_t offset)
{
    ssize_t n;

    if (!is_in_piece(piece, size, offset)) {
        n = offset <= INT64_MAX ? pread(piece->fd, piece->bytes, sizeof piece->bytes, (off_t)offset)
                                : -1;
        piece->start = offset;
        piece->size = n > 0 ? (size_t)n : 0;
    }
    if (!is_in_piece(piece, size, offset))
        return false;
    memcpy(to, piece->bytes + (offset - piece->start), size);
    return true;
}

/* Reads up to SIZE - 1 bytes at OFFSET into TO and terminates them. TO is "" if nothing can be read. */
static void
read_text(int fd, char *to, size_t size, uint64_t offset)
{
    ssize_t n = offset <= INT64_MAX ? pread(fd, to, size - 1, (off_t)offset) : -1;

    to[n > 0 ? n : 0] = '\0';
}

/* Reads program header I. Returns false if it does not exist. */
static bool
read_segment(struct piece *piece, const ElfW(Ehdr) *header, unsigned i, ElfW(Phdr) *segment)
{
    return i < header->e_phnum &&
           read_at(piece, segment, sizeof *segment, header->e_phoff + i * sizeof *segment);
}

/* Returns the file offset of ADDRESS, or NOWHERE. */
static uint64_t
offset_of(struct piece *piece, const ElfW(Ehdr) *header, uint64_t address)
{
    ElfW(Phdr) segment;

    for (unsigned i = 0; read_segment(piece, header, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    return NOWHERE;
}

/* Reads entry I of the dynamic section. Returns false after the last one. */
static bool
read_entry(struct piece *piece, const ElfW(Phdr) *dynamic, size_t i, ElfW(Dyn) *entry)
{
    return i < MAX_DYNAMIC && i < dynamic->p_filesz / sizeof *entry &&
           read_at(piece, entry, sizeof *entry, dynamic->p_offset + i * sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

/* File offsets of the tables of exported symbols. */
struct tables {
    uint64_t strings, symbols, hashes;
};

/* Finds the tables. Like the dynamic linker, uses the last entry of each kind. Searches the segments only once for
 * each table, so that a hostile file does not take long. */
static struct tables
find_tables(struct piece *piece, const ElfW(Ehdr) *header, const ElfW(Phdr) *dynamic)
{
    struct tables found = {NOWHERE, NOWHERE, NOWHERE};
    ElfW(Dyn) entry;

    for (size_t i = 0; read_entry(piece, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB)
            found.strings = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_SYMTAB)
            found.symbols = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_GNU_HASH)
            found.hashes = entry.d_un.d_ptr;
    return (struct tables){offset_of(piece, header, found.strings), offset_of(piece, header, found.symbols),
                           offset_of(piece, header, found.hashes)};
}

static void
find_first_library(struct piece *piece, const ElfW(Phdr) *dynamic, uint64_t strings,
                   char name[static MP_SANITIZER_NAME])
{
    ElfW(Dyn) entry;

    for (size_t i = 0; strings != NOWHERE && read_entry(piece, dynamic, i, &entry); i++) {
        if (entry.d_tag != DT_NEEDED)
            continue;
        read_text(piece->fd, name, MP_SANITIZER_NAME, strings + entry.d_un.d_val);
        if (mp_sanitizer_must_be_first(name))
            return;
    }
    name[0] = '\0';
}

static uint32_t
hash_of(const char *name)
{
    uint32_t hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/* Returns whether the file exports a definition of NAME, which has less than 32 bytes, according to the table of
 * DT_GNU_HASH. The table consists of a Bloom filter with two bits for each name, the number of the first symbol in each
 * bucket, and the hash of each symbol. The lowest bit of a hash marks the last symbol of a bucket. */
static bool
defines(struct piece *piece, const struct tables *at, const char *name)
{
    struct { uint32_t n_buckets, first_symbol, n_words, shift; } table;
    const uint32_t hash = hash_of(name), bits = 8 * sizeof(ElfW(Addr));
    uint64_t buckets;
    uint32_t i, other;
    ElfW(Addr) word;
    ElfW(Sym) symbol;
    char text[32];

    if (at->hashes == NOWHERE || !read_at(piece, &table, sizeof table, at->hashes) || !table.n_buckets ||
        !table.n_words)
        return false;
    if (!read_at(piece, &word, sizeof word, at->hashes + sizeof table + hash / bits % table.n_words * sizeof word) ||
        !(word >> hash % bits & word >> (hash >> table.shift % 32) % bits & 1))
        return false;
    buckets = at->hashes + sizeof table + (uint64_t)table.n_words * sizeof word;
    if (!read_at(piece, &i, sizeof i, buckets + (uint64_t)(hash % table.n_buckets) * sizeof i) ||
        i < table.first_symbol)
        return false;
    for (uint32_t end = i + MAX_BUCKET; i != end; i++) {
        if (!read_at(piece, &other, sizeof other,
                     buckets + ((uint64_t)table.n_buckets + i - table.first_symbol) * sizeof other))
            return false;
        if ((other | 1) == (hash | 1) && read_at(piece, &symbol, sizeof symbol, at->symbols + i * sizeof symbol) &&
            symbol.st_shndx != SHN_UNDEF) {
            read_text(piece->fd, text, sizeof text, at->strings + symbol.st_name);
            if (strcmp(text, name) == 0)
                return true;
        }
        if (other & 1)
            return false;
    }
    return false;
}

/* Returns whether the file contains a sanitizer's runtime. A runtime with a malloc of its own defines malloc(),
 * pthread_create() and sigaction(); its other names may have been stripped. HWAddressSanitizer's runtime does not
 * define sigaction(). */
static bool
contains_sanitizer(struct piece *piece, const struct tables *at)
{
    return (defines(piece, at, "malloc") && defines(piece, at, "pthread_create") && defines(piece, at, "sigaction")) ||
           defines(piece, at, "__hwasan_init");
}

bool
mp_elf_file_read(int fd, struct mp_elf_file *file)
{
    struct piece piece = {.fd = fd};
    ElfW(Ehdr) header;
    ElfW(Phdr) segment, dynamic;
    struct tables tables;

    if (!read_at(&piece, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    *file = (struct mp_elf_file){
        .has_64_bits = header.e_ident[EI_CLASS] == ELFCLASS64,
        .is_of_our_class = header.e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS],
        .is_for_our_machine = header.e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
                              header.e_machine == __ehdr_start.e_machine,
    };
    if (!file->is_of_our_class)
        return true;
    if (header.e_phentsize != sizeof segment)
        return false;
    dynamic.p_type = PT_NULL;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (!read_segment(&piece, &header, i, &segment))
            return false;
        if (segment.p_type == PT_INTERP)
            read_text(fd, file->linker, sizeof file->linker, segment.p_offset);
        else if (segment.p_type == PT_DYNAMIC)
            dynamic = segment;  /* the dynamic linker, too, uses the last one */
    }
    if (dynamic.p_type == PT_DYNAMIC) {
        tables = find_tables(&piece, &header, &dynamic);
        find_first_library(&piece, &dynamic, tables.strings, file->first_library);
        file->contains_sanitizer = contains_sanitizer(&piece, &tables);
    }
    return true;
}
