#include "file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/write_file.h"
#include "spans.h"
#include "unpack.h"

#define N_PLACES    5u          /* number of sections at the end of the list in is_useless() that locate variables */
#define PIECE       ((size_t)1 << 16)
#define IN_MEMORY   ((uint64_t)64 << 20)    /* in bytes; larger copies are on disk */
#define MOST_BYTES  ((uint64_t)16 << 30)
#define ZSTD        2                       /* ELFCOMPRESS_ZSTD, which older elf.h lack */
#define ALIGNMENT   ((uint64_t)16)          /* in bytes, of unpacked sections */
#define MOST_LINK   4096u                   /* bytes of a .gnu_debugaltlink */

/* The path comes from a data file. Opening it must neither block on a pipe nor access a device. */
int
mp_file_open(const char *path, struct mp_arena *arena, const char **problem)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    if (fd >= 0)
        *problem = "not a file";
    else if (errno == ENOENT || errno == ENOTDIR)
        *problem = "missing";
    else
        *problem = mp_arena_printf(arena, "unreadable (%s)", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The state of copying one file. */
struct copying {
    int from, to;
    uint64_t size;              /* of the file, in bytes */
    Elf *elf;
    struct mp_arena *arena;
    struct mp_spans spans;      /* ranges to be copied */
    uint64_t *hidden;           /* offsets of the section types to change, so that these sections appear empty */
    uint32_t n_hidden, room;
    struct mp_packed *packed;   /* sections to unpack behind the end of the original file */
    uint32_t n_packed, packed_room;
    uint64_t end;               /* size of the copy in bytes */
    bool places;                /* locations of variables are needed too */
    struct mp_copy *copy;
};

/* ------------------------------------------------------------------------ ranges to copy */

static void
need(struct copying *copying, uint64_t start, uint64_t size)
{
    uint64_t end = size > copying->size || start > copying->size - size ? copying->size
                                                                        : start + size;

    mp_spans_add(&copying->spans, copying->arena, start, end, 0);
}

/* Returns whether NAME is a section of debug information that is never read here. These are half of all debug
 * information. PLACES means that locations of variables will be read. */
static bool
is_useless(const char *name, bool places)
{
    static const char *const useless[] = {
        "aranges", "gnu_pubnames", "gnu_pubtypes", "macinfo", "macro", "names", "pubnames", "pubtypes", "macro.dwo",
        "macinfo.dwo", "frame", "loc", "loclists", "loc.dwo", "loclists.dwo"
    };
    const size_t count = sizeof useless / sizeof *useless - (places ? N_PLACES : 0);

    if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
        return strcmp(name, ".gdb_index") == 0;
    name = strchr(name, '_') + 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, useless[i]) == 0)
            return true;
    return false;
}

static bool
is_needed(const GElf_Shdr *header, const char *name, bool places)
{
    switch (header->sh_type) {
    case SHT_NULL:
    case SHT_NOBITS:
        return false;
    case SHT_DYNSYM:
    case SHT_NOTE:
    case SHT_STRTAB:
    case SHT_SYMTAB:
        return true;
    default:
        return (header->sh_flags & SHF_ALLOC) == 0 || strcmp(name, ".eh_frame") == 0 ||
               (places && strcmp(name, ".eh_frame_hdr") == 0) || strcmp(name, ".opd") == 0;
    }
}

/* Returns the offset of section header INDEX. */
static uint64_t
place_of_header(struct copying *copying, const GElf_Ehdr *ehdr, size_t index)
{
    return ehdr->e_shoff + index * gelf_fsize(copying->elf, ELF_T_SHDR, 1, EV_CURRENT);
}

/* Makes the section whose header is at PLACE appear empty in the copy. */
static void
hide(struct copying *copying, uint64_t place)
{
    place += offsetof(Elf64_Shdr, sh_type);     /* the offset is the same in 32-bit files */
    copying->hidden = mp_arena_grow(copying->arena, copying->hidden, copying->n_hidden,
                                    &copying->room, sizeof *copying->hidden);
    copying->hidden[copying->n_hidden++] = place;
}

/* Returns whether the section is compressed by zstd. The first word of a compressed section is its type. */
static bool
is_zstd(const struct copying *copying, const GElf_Shdr *header)
{
    unsigned char type[4];

    return (header->sh_flags & SHF_COMPRESSED) != 0 &&
           pread(copying->from, type, sizeof type, (off_t)header->sh_offset) == sizeof type &&
           type[0] + type[3] == ZSTD;
}

/* Records which debug information the section NAME provides. */
static void
note_section(struct copying *copying, const GElf_Shdr *header, const char *name, uint64_t place)
{
    struct mp_copy *copy = copying->copy;

    if (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0 ||
        strcmp(name, ".debug_info.dwo") == 0)
        copy->has_debug = true;
    if (copy->has_debug && is_zstd(copying, header))
        copy->zstd = true;
    if (strcmp(name, ".gnu_debugaltlink") == 0 && header->sh_size <= MOST_LINK) {
        copy->common_place = place + offsetof(Elf64_Shdr, sh_type);
        copy->common_offset = header->sh_offset;
        copy->common_size = header->sh_size;
    }
}

static void
need_section(struct copying *copying, const GElf_Ehdr *ehdr, const GElf_Shdr *header,
             uint64_t place)
{
    struct mp_packed packed;

    if (header->sh_offset > copying->size || header->sh_size > copying->size - header->sh_offset ||
        !mp_packed_read(copying->from, ehdr, header, place, &packed) ||
        copying->end > MOST_BYTES || packed.whole > MOST_BYTES - copying->end) {
        need(copying, header->sh_offset, header->sh_size);
        return;
    }
    packed.to = (copying->end + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    copying->end = packed.to + packed.whole;
    copying->packed = mp_arena_grow(copying->arena, copying->packed, copying->n_packed,
                                    &copying->packed_room, sizeof *copying->packed);
    copying->packed[copying->n_packed++] = packed;
}

static void
need_sections(struct copying *copying, const GElf_Ehdr *ehdr)
{
    size_t names;

    if (elf_getshdrstrndx(copying->elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(copying->elf, scn)) != NULL;) {
        const char *name;
        GElf_Shdr header;
        uint64_t place;

        if (gelf_getshdr(scn, &header) == NULL)
            continue;
        name = elf_strptr(copying->elf, names, header.sh_name);
        name = name == NULL ? "" : name;
        place = place_of_header(copying, ehdr, elf_ndxscn(scn));
        if (is_useless(name, copying->places))
            hide(copying, place);
        else if (is_needed(&header, name, copying->places)) {
            note_section(copying, &header, name, place);
            need_section(copying, ehdr, &header, place);
        }
    }
}

static void
need_segments(struct copying *copying)
{
    GElf_Phdr header;
    size_t count;

    if (elf_getphdrnum(copying->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < UINT16_MAX; i++)
        if (gelf_getphdr(copying->elf, (int)i, &header) != NULL && header.p_type == PT_NOTE)
            need(copying, header.p_offset, header.p_filesz);
}

/* Lists the ranges to copy. Returns false if the file is not a valid ELF file. */
static bool
list_needs(struct copying *copying)
{
    size_t segments, sections;
    GElf_Ehdr ehdr;

    if (gelf_getehdr(copying->elf, &ehdr) == NULL ||
        elf_getphdrnum(copying->elf, &segments) != 0 ||
        elf_getshdrnum(copying->elf, &sections) != 0)
        return false;
    need(copying, 0, gelf_fsize(copying->elf, ELF_T_EHDR, 1, EV_CURRENT));
    need(copying, ehdr.e_phoff, gelf_fsize(copying->elf, ELF_T_PHDR, segments, EV_CURRENT));
    need(copying, ehdr.e_shoff, gelf_fsize(copying->elf, ELF_T_SHDR, sections, EV_CURRENT));
    if (sections == 0)
        need(copying, 0, copying->size);
    need_sections(copying, &ehdr);
    need_segments(copying);
    mp_spans_flatten(&copying->spans, copying->arena);
    return true;
}

/* ---------------------------------------------------------------------------- copying */

/* Returns an unnamed file of SIZE bytes, whose size cannot change if it is in memory, or -1. NEEDED bytes will be
 * written. */
static int
make_file(uint64_t needed, uint64_t size)
{
    int fd;

    if (!mp_may_write(size))
        return -1;
    fd = needed > IN_MEMORY ? open("/var/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        fd = memfd_create("mprof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    return fd;
}

/* Copies SPAN. Returns 0 or an error number; ESTALE means that the file was truncated meanwhile. */
static int
copy_span(const struct copying *copying, const struct mp_span *span, char *piece)
{
    for (uint64_t at = span->start; at < span->end;) {
        size_t most = span->end - at < PIECE ? (size_t)(span->end - at) : PIECE;
        ssize_t got = pread(copying->from, piece, most, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : ESTALE;
        if (pwrite(copying->to, piece, (size_t)got, (off_t)at) != got)
            return ENOSPC;
        at += (uint64_t)got;
    }
    return 0;
}

/* Makes the section whose type is at PLACE in the copy TO a section without content. */
static bool
make_empty(int to, uint64_t place)
{
    unsigned char ident[EI_NIDENT], type[4] = { 0 };

    if (pread(to, ident, sizeof ident, 0) != sizeof ident)
        return false;
    type[ident[EI_DATA] == ELFDATA2MSB ? 3 : 0] = SHT_NOBITS;
    return pwrite(to, type, sizeof type, (off_t)place) == sizeof type;
}

/* Unpacks a section. If it is damaged, copies it unchanged, so that libelf reports it. */
static int
unpack(const struct copying *copying, const struct mp_packed *packed, char *piece)
{
    const struct mp_span span = { packed->from - sizeof(Elf64_Chdr), packed->from + packed->size,
                                  0 };

    return mp_packed_unpack(copying->from, copying->to, packed)
               ? 0 : copy_span(copying, &span, piece);
}

static int
copy_needs(struct copying *copying)
{
    char *piece = malloc(PIECE);
    int number = piece == NULL ? ENOMEM : 0;

    for (uint32_t i = 0; i < copying->spans.count && number == 0; i++)
        number = copy_span(copying, &copying->spans.list[i], piece);
    for (uint32_t i = 0; i < copying->n_packed && number == 0; i++)
        number = unpack(copying, &copying->packed[i], piece);
    for (uint32_t i = 0; i < copying->n_hidden && number == 0; i++)
        if (copying->hidden[i] + 4 <= copying->size &&
            !make_empty(copying->to, copying->hidden[i]))
            number = EIO;
    free(piece);
    return number;
}

static uint64_t
bytes_of(const struct mp_spans *spans)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < spans->count; i++)
        sum += spans->list[i].end - spans->list[i].start;
    return sum;
}

/* Copies the file. Returns "" or a description of the problem. */
static const char *
copy_elf(struct copying *copying)
{
    uint64_t needed;
    int number;

    if (elf_kind(copying->elf) != ELF_K_ELF || !list_needs(copying))
        return "not an ELF file";
    needed = bytes_of(&copying->spans) + copying->end - copying->size;
    if (needed > MOST_BYTES)
        return "unreadable (too large)";
    copying->to = make_file(needed, copying->end);
    number = copying->to < 0 ? errno : copy_needs(copying);
    if (number == ESTALE)
        return "changed (while it was read)";
    if (number != 0)
        return mp_arena_printf(copying->arena, "unreadable (%s)", strerror(number));
    copying->copy->bytes = needed;
    return "";
}

const char *
mp_copy_make(int fd, bool places, struct mp_arena *arena, struct mp_copy *copy)
{
    struct mp_arena *scratch = mp_arena_new();
    struct copying copying = { .from = fd, .to = -1, .arena = scratch, .places = places, .copy = copy };
    const char *problem = "not an ELF file";
    struct stat status;

    *copy = (struct mp_copy){ .fd = -1 };
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        copying.size = copying.end = (uint64_t)status.st_size;
        /* without _MMAP libelf reads headers and names by pread() */
        copying.elf = elf_begin(fd, ELF_C_READ, NULL);
        if (copying.elf != NULL)
            problem = mp_arena_strdup(arena, copy_elf(&copying));
        elf_end(copying.elf);
    }
    mp_arena_free(scratch);
    copy->fd = copying.to;
    if (*problem == '\0')
        return problem;
    mp_copy_close(copy);
    return problem;
}

const char *
mp_copy_common(const struct mp_copy *copy, struct mp_arena *arena, const uint8_t **id, size_t *size)
{
    char *bytes;
    size_t length;

    if (copy->common_size == 0)
        return NULL;
    bytes = mp_arena_alloc(arena, copy->common_size + 1);
    if (pread(copy->fd, bytes, copy->common_size, (off_t)copy->common_offset) !=
        (ssize_t)copy->common_size)
        return NULL;
    length = strnlen(bytes, copy->common_size);
    if (length == copy->common_size)
        return NULL;
    *id = (const uint8_t *)bytes + length + 1;
    *size = copy->common_size - length - 1;
    return bytes;
}

bool
mp_copy_hide_common(const struct mp_copy *copy)
{
    return copy->common_size == 0 || make_empty(copy->fd, copy->common_place);
}

void
mp_copy_close(struct mp_copy *copy)
{
    if (copy->fd >= 0)
        close(copy->fd);
    copy->fd = -1;
}
