/* SPDX-License-Identifier: MIT */
#include "private_copy.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "budget.h"
#include "config.h"
#include "debugdata.h"
#include "elf_open.h"
#include "reporter/base/open_file.h"
#include "reporter/base/write_file.h"
#include "spans.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#define HAVE_ZSTD true
#else
#define HAVE_ZSTD false
#endif

#define N_PLACES    5u          /* number of sections at the end of the list in is_useless() that locate variables */
#define PIECE       ((size_t)1 << 16)
#define IN_MEMORY   ((uint64_t)64 << 20)    /* in bytes; larger copies are on disk */
#define ZSTD        2                       /* ELFCOMPRESS_ZSTD, which older elf.h lack */
#define ALIGNMENT   ((uint64_t)16)          /* in bytes, of unpacked sections */
#define AT_ONCE     ((uint64_t)16 << 20)    /* in bytes; larger sections are unpacked piece by piece */
#define MOST_BYTES  ((uint64_t)INT64_MAX / 2)       /* size of a copy */
#define A_UNIT      64u                     /* bytes that are copied or unpacked in a unit of work */
#define MOST_RATIO  1032u                   /* maximum factor by which deflate expands data */
#define TYPE_OFFSET offsetof(Elf64_Shdr, sh_type)       /* the same in headers of 32-bit files */
#define OLD_HEADER  12u                     /* bytes of "ZLIB" and the size in a section .zdebug_* */
#define ZSTREAM     2u                      /* bytes at the beginning of a zlib stream */
#define ZSTD_WINDOW ((uint64_t)128 << 20)   /* maximum bytes that zstd takes to unpack, its default */

int
mp_file_open(const char *path, struct mp_arena *arena, const char **problem)
{
    int fd = mp_open(path);

    if (fd >= 0)
        return fd;
    if (errno == MP_NOT_REGULAR)
        *problem = "not a file";
    else if (errno == ENOENT || errno == ENOTDIR)
        *problem = "missing";
    else
        *problem = mp_arena_printf(arena, "unreadable (%s)", strerror(errno));
    return -1;
}

/* -------------------------------------------------------------------- unpacking sections */

struct packed {
    uint64_t place;             /* file offset of its header */
    uint64_t from, size;        /* range of the compressed bytes in the file */
    uint64_t to, whole, align;  /* offset, size and alignment of the content in the copy */
    bool strings;               /* it is a string table */
    bool zstd;                  /* compressed by zstd and not by zlib */
};

/* What must be done with a section. */
enum packing {
    PLAIN,                      /* it is not compressed */
    OURS,                       /* it is unpacked here: zlib or zstd, in a 64-bit file of this machine's byte order */
    LIBELFS,                    /* libelf unpacks it to memory when libdw reads it */
    NOBODYS                     /* it is too large, or damaged */
};

static uint64_t
number_at(const unsigned char *bytes, unsigned size, bool big)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (big ? size - 1 - i : i);
    return value;
}

/* Reads how the section NAME with HEADER, which is at PLACE in the ELF file FD, is compressed. Fills in *PACKED. */
static enum packing
read_packed(int fd, const GElf_Ehdr *ehdr, const GElf_Shdr *header, const char *name, uint64_t place,
            struct packed *packed)
{
    const unsigned char own = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    const bool large = ehdr->e_ident[EI_CLASS] == ELFCLASS64, big = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;
    const bool old = strncmp(name, ".zdebug", 7) == 0;
    const size_t size = old ? OLD_HEADER : large ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
    unsigned char start[sizeof(Elf64_Chdr)];

    if (!old && (header->sh_flags & SHF_COMPRESSED) == 0)
        return PLAIN;
    if (header->sh_size <= size + ZSTREAM || pread(fd, start, size, (off_t)header->sh_offset) != (ssize_t)size)
        return NOBODYS;
    *packed = (struct packed){ .place = place, .from = header->sh_offset + size, .size = header->sh_size - size,
                               .strings = header->sh_type == SHT_STRTAB };
    if (old) {
        packed->whole = number_at(start + 4, 8, true);
        return memcmp(start, "ZLIB", 4) == 0 ? LIBELFS : PLAIN;
    }
    packed->whole = number_at(start + (large ? 8 : 4), large ? 8 : 4, big);
    packed->align = number_at(start + (large ? 16 : 8), large ? 8 : 4, big);
    if (packed->whole == 0)
        return NOBODYS;
    packed->zstd = number_at(start, 4, big) == ZSTD;
    if ((packed->zstd ? !HAVE_ZSTD : number_at(start, 4, big) != ELFCOMPRESS_ZLIB) || !large ||
        ehdr->e_ident[EI_DATA] != own)
        return LIBELFS;
    return packed->zstd || packed->whole / MOST_RATIO <= packed->size ? OURS : NOBODYS;
}

/* Changes the header of the unpacked section in the copy TO. */
static bool
change_header(int to, const struct packed *packed)
{
    Elf64_Shdr header;

    if (pread(to, &header, sizeof header, (off_t)packed->place) != sizeof header)
        return false;
    header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    header.sh_offset = packed->to;
    header.sh_size = packed->whole;
    header.sh_addralign = packed->align;
    return pwrite(to, &header, sizeof header, (off_t)packed->place) == sizeof header;
}

/* libdeflate takes a quarter of zlib's time and is loaded at run time if it is installed. */
struct deflate {
    void *(*begin)(void);
    int (*zlib)(void *state, const void *from, size_t size, void *to, size_t room, size_t *done);
    void (*end)(void *state);
};

/* Returns the library's functions; .begin is NULL if it is not installed. */
static struct deflate
find_library(void)
{
    static struct deflate library;
    static bool looked;
    void *handle = looked ? NULL : dlopen("libdeflate.so.0", RTLD_NOW);

    looked = true;
    if (handle == NULL)
        return library;
    *(void **)&library.zlib = dlsym(handle, "libdeflate_zlib_decompress");
    *(void **)&library.end = dlsym(handle, "libdeflate_free_decompressor");
    if (library.zlib != NULL && library.end != NULL)
        *(void **)&library.begin = dlsym(handle, "libdeflate_alloc_decompressor");
    return library;
}

/* Returns the SIZE bytes at OFFSET of the file FD, which the caller frees, or NULL if they cannot be read. */
static void *
read_bytes(int fd, uint64_t offset, size_t size)
{
    char *bytes = malloc(size);
    size_t got = 0;
    ssize_t n = 1;

    while (bytes != NULL && got < size && n > 0) {
        n = pread(fd, bytes + got, size - got, (off_t)(offset + got));
        got += n > 0 ? (size_t)n : 0;
    }
    if (got == size)
        return bytes;
    free(bytes);
    return NULL;
}

/* Unpacks to a mapping of the copy. That is safe, because the copy is private and its space is allocated first. */
static bool
unpack_mapped(const struct deflate *library, const void *bytes, int to, const struct packed *packed)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = packed->to % page;
    size_t length = (size_t)(packed->whole + before), done = 0;
    char *room = fallocate(to, 0, (off_t)packed->to, (off_t)packed->whole) != 0
                     ? MAP_FAILED
                     : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, to,
                            (off_t)(packed->to - before));
    void *state = room == MAP_FAILED ? NULL : library->begin();
    bool ok = state != NULL && library->zlib(state, bytes, packed->size, room + before,
                                             packed->whole, &done) == 0 &&
              done == packed->whole;

    if (state != NULL)
        library->end(state);
    if (room != MAP_FAILED)
        munmap(room, length);
    return ok;
}

static bool
unpack_at_once(int fd, int to, const struct packed *packed)
{
    struct deflate library;
    void *bytes;
    bool ok;

    if (packed->zstd || packed->size > AT_ONCE || packed->whole > AT_ONCE)
        return false;
    library = find_library();
    bytes = library.begin == NULL ? NULL : read_bytes(fd, packed->from, packed->size);
    ok = bytes != NULL && unpack_mapped(&library, bytes, to, packed);
    free(bytes);
    return ok;
}

struct pieces {
    unsigned char in[PIECE], out[PIECE];
};

#define DAMAGED EILSEQ          /* error number of a section that cannot be unpacked */

/* Fills STREAM with the next bytes of PACKED, starting at *AT, and advances *AT. Returns 0 or an error number. */
static int
fill(int fd, const struct packed *packed, uint64_t *at, struct pieces *pieces, z_stream *stream)
{
    uint64_t left = packed->size - *at;
    ssize_t got;

    if (left == 0)
        return DAMAGED;
    got = pread(fd, pieces->in, left < PIECE ? left : PIECE, (off_t)(packed->from + *at));
    if (got <= 0)
        return got < 0 ? errno : ESTALE;
    *at += (uint64_t)got;
    stream->next_in = pieces->in;
    stream->avail_in = (uInt)got;
    return 0;
}

/* A step of unpacking from the input to the output of STREAM. */
enum step { STEP_MORE, STEP_END, STEP_BAD };

static enum step
inflate_step(void *state, z_stream *stream)
{
    const int result = inflate(stream, Z_NO_FLUSH);

    (void)state;
    return result == Z_STREAM_END ? STEP_END : result == Z_OK || result == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

#ifdef MP_HAVE_ZSTD
/* STEP_END means the end of a zstd frame, behind which another frame may follow. */
static enum step
zstd_step(void *state, z_stream *stream)
{
    ZSTD_inBuffer in = { stream->next_in, stream->avail_in, 0 };
    ZSTD_outBuffer out = { stream->next_out, stream->avail_out, 0 };
    const size_t result = ZSTD_decompressStream(state, &out, &in);

    stream->next_in += in.pos;
    stream->avail_in -= (uInt)in.pos;
    stream->avail_out -= (uInt)out.pos;
    return ZSTD_isError(result) ? STEP_BAD : result == 0 ? STEP_END : STEP_MORE;
}
#endif

/* Unpacks the section by STEP with STATE. Returns 0 or an error number. */
static int
unpack_all(int fd, int to, const struct packed *packed, struct pieces *pieces,
           enum step (*step)(void *state, z_stream *stream), void *state, z_stream *stream)
{
    uint64_t at = 0, done = 0;
    enum step result = STEP_MORE;

    while (result == STEP_MORE || (result == STEP_END && packed->zstd && done < packed->whole)) {
        /* full output means that more may be waiting */
        int number = stream->avail_in > 0 || stream->avail_out == 0 ? 0 : fill(fd, packed, &at, pieces, stream);
        size_t n;

        if (number != 0)
            return number;
        stream->next_out = pieces->out;
        stream->avail_out = PIECE;
        result = step(state, stream);
        n = PIECE - stream->avail_out;
        if (n > packed->whole - done)
            return DAMAGED;
        if (pwrite(to, pieces->out, n, (off_t)(packed->to + done)) != (ssize_t)n)
            return ENOSPC;
        done += n;
    }
    return result == STEP_END && done == packed->whole ? 0 : DAMAGED;
}

static int
unpack_by_pieces(int fd, int to, const struct packed *packed)
{
    struct pieces *pieces = malloc(sizeof *pieces);
    z_stream stream = { 0 };
    int number = ENOMEM;

#ifdef MP_HAVE_ZSTD
    ZSTD_DStream *state = pieces != NULL && packed->zstd ? ZSTD_createDStream() : NULL;

    if (state != NULL)
        number = unpack_all(fd, to, packed, pieces, zstd_step, state, &stream);
    ZSTD_freeDStream(state);
#endif
    if (pieces != NULL && !packed->zstd && inflateInit(&stream) == Z_OK) {
        number = unpack_all(fd, to, packed, pieces, inflate_step, NULL, &stream);
        inflateEnd(&stream);
    }
    free(pieces);
    return number;
}

/* Unpacks the section to the private copy TO, which must be large enough. Then changes its header there, which was a
 * copy of FD's. Returns 0 or an error number. */
static int
unpack_section(int fd, int to, const struct packed *packed)
{
    int number = unpack_at_once(fd, to, packed) ? 0 : unpack_by_pieces(fd, to, packed);
    const GElf_Shdr content = { .sh_offset = packed->to, .sh_size = packed->whole };

    if (number == 0 && packed->strings && !mp_elf_is_terminated(to, &content))
        return DAMAGED;
    return number != 0 || change_header(to, packed) ? number : EIO;
}

/* ----------------------------------------------------------------------- ranges to copy */

/* The state of copying one file. */
struct copying {
    int from, to;
    uint64_t size;              /* of the file, in bytes */
    Elf *elf;
    struct mp_arena *arena, *result_arena;
    struct mp_spans spans;      /* ranges to be copied */
    uint64_t *hidden;           /* offsets of the section types to change, so that these sections appear empty */
    uint32_t n_hidden, room;
    struct packed *packed;      /* sections to unpack behind the end of the original file */
    uint32_t n_packed, packed_room;
    uint64_t end;               /* size of the copy in bytes */
    bool places;                /* locations of variables are needed too */
    bool split;                 /* only .dwo sections are needed */
    struct mp_copy *copy;
};

static void
need(struct copying *copying, uint64_t start, uint64_t size)
{
    uint64_t end = size > copying->size || start > copying->size - size ? copying->size
                                                                        : start + size;

    mp_spans_add(&copying->spans, copying->arena, start, end, 0);
}

/* Returns whether NAME is a section of debug information that is never read here. Such sections are half of all
 * debug information. PLACES means that locations of variables will be read. SPLIT means that only sections for a .dwo
 * file are read. clang -gsplit-dwarf=single leaves them in the object file, whose other sections libdw would prefer. */
static bool
is_useless(const char *name, bool places, bool split)
{
    static const char *const useless[] = {
        "aranges", "gnu_pubnames", "gnu_pubtypes", "macinfo", "macro", "names", "pubnames", "pubtypes", "macro.dwo",
        "macinfo.dwo", "frame", "loc", "loclists", "loc.dwo", "loclists.dwo"
    };
    const size_t count = sizeof useless / sizeof *useless - (places ? N_PLACES : 0);

    if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
        return strcmp(name, ".gdb_index") == 0;
    name = strchr(name, '_') + 1;
    if (split && strstr(name, ".dwo") == NULL && strcmp(name, "cu_index") != 0)
        return true;
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

/* Makes the section whose header is at PLACE appear empty in the copy. */
static void
hide(struct copying *copying, uint64_t place)
{
    place += TYPE_OFFSET;
    copying->hidden = mp_arena_grow(copying->arena, copying->hidden, copying->n_hidden,
                                    &copying->room, sizeof *copying->hidden);
    copying->hidden[copying->n_hidden++] = place;
}

/* Reads .gnu_debugaltlink, which is a name with a NUL, followed by a build-id. */
static void
read_common(const struct copying *copying, const GElf_Shdr *header)
{
    char *bytes;
    size_t length;

    if (header->sh_type == SHT_NOBITS || header->sh_size > MP_LINK_MOST)
        return;
    bytes = mp_arena_alloc(copying->result_arena, header->sh_size + 1);
    if (pread(copying->from, bytes, header->sh_size, (off_t)header->sh_offset) != (ssize_t)header->sh_size)
        return;
    length = strnlen(bytes, header->sh_size);
    if (length == header->sh_size)
        return;
    copying->copy->common = bytes;
    copying->copy->common_id = (const uint8_t *)bytes + length + 1;
    copying->copy->common_id_size = header->sh_size - length - 1;
}

/* Lists the section NAME to be copied or unpacked. Hides it if that exceeds the budget, or if libdwfl cannot read it
 * quickly. */
static void
need_section(struct copying *copying, const GElf_Ehdr *ehdr, const GElf_Shdr *header, const char *name,
             uint64_t place)
{
    const bool inside = header->sh_offset <= copying->size && header->sh_size <= copying->size - header->sh_offset;
    struct packed packed;
    bool needed = true;

    switch (inside ? read_packed(copying->from, ehdr, header, name, place, &packed) : PLAIN) {
    case OURS:
        packed.to = (copying->end + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
        needed = packed.whole <= MOST_BYTES - packed.to && mp_budget_take(MP_UNPACKED, packed.whole) &&
                 mp_budget_take(MP_WORK, packed.whole / A_UNIT) &&
                 (!packed.zstd ||
                  mp_budget_has(MP_MEMORY, packed.whole < ZSTD_WINDOW ? packed.whole : ZSTD_WINDOW));
        if (!needed)
            break;
        copying->end = packed.to + packed.whole;
        copying->packed = mp_arena_grow(copying->arena, copying->packed, copying->n_packed,
                                        &copying->packed_room, sizeof *copying->packed);
        copying->packed[copying->n_packed++] = packed;
        return;
    case LIBELFS:
        copying->copy->zstd |= packed.zstd;
        needed = strncmp(name, ".debug_", 7) == 0 || strncmp(name, ".zdebug_", 8) == 0;
        needed = needed && mp_budget_take(MP_UNPACKED, packed.whole) && mp_budget_take(MP_MEMORY, packed.whole) &&
                 mp_budget_take(MP_WORK, packed.whole / A_UNIT);
        break;
    case PLAIN:
        needed = header->sh_type != SHT_STRTAB || (inside && mp_elf_is_terminated(copying->from, header));
        if (needed && strcmp(name, ".gnu_debugdata") == 0)
            needed = inside && mp_debugdata_take(copying->from, header->sh_offset, header->sh_size);
        break;
    case NOBODYS:
        needed = false;
        break;
    }
    if (needed)
        need(copying, header->sh_offset, header->sh_size);
    else
        hide(copying, place);
}

static void
need_sections(struct copying *copying, const GElf_Ehdr *ehdr)
{
    const size_t header_size = gelf_fsize(copying->elf, ELF_T_SHDR, 1, EV_CURRENT);
    size_t names;

    if (elf_getshdrstrndx(copying->elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(copying->elf, scn)) != NULL;) {
        const uint64_t place = ehdr->e_shoff + elf_ndxscn(scn) * header_size;
        const char *name;
        GElf_Shdr header;

        if (gelf_getshdr(scn, &header) == NULL)
            continue;
        name = elf_strptr(copying->elf, names, header.sh_name);
        name = name == NULL ? "" : name;
        if (strcmp(name, ".gnu_debugaltlink") == 0) {
            read_common(copying, &header);
            hide(copying, place);
        } else if (is_useless(name, copying->places, copying->split)) {
            hide(copying, place);
        } else if (is_needed(&header, name, copying->places)) {
            copying->copy->has_debug |= strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0 ||
                                        strcmp(name, ".debug_info.dwo") == 0;
            need_section(copying, ehdr, &header, name, place);
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
    for (size_t i = 0; i < count; i++)
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

/* Makes the section whose type is at PLACE in the copy a section without content. Removes its name, which is before its
 * type, from a split file, because libdw decides by names which sections it reads. */
static bool
make_empty(const struct copying *copying, uint64_t place)
{
    static const unsigned char no_name[4];
    unsigned char ident[EI_NIDENT], type[4] = { 0 };

    if (pread(copying->to, ident, sizeof ident, 0) != sizeof ident ||
        (copying->split && pwrite(copying->to, no_name, 4, (off_t)place - 4) != 4))
        return false;
    type[ident[EI_DATA] == ELFDATA2MSB ? 3 : 0] = SHT_NOBITS;
    return pwrite(copying->to, type, sizeof type, (off_t)place) == sizeof type;
}

static int
copy_needs(struct copying *copying)
{
    char *piece = malloc(PIECE);
    int number = piece == NULL ? ENOMEM : 0;

    for (uint32_t i = 0; i < copying->spans.count && number == 0; i++)
        number = copy_span(copying, &copying->spans.list[i], piece);
    for (uint32_t i = 0; i < copying->n_packed && number == 0; i++) {
        number = unpack_section(copying->from, copying->to, &copying->packed[i]);
        /* A damaged section is made empty. Otherwise libelf would unpack gigabytes to memory before it finds the
         * damage. */
        if (number == DAMAGED)
            number = make_empty(copying, copying->packed[i].place + TYPE_OFFSET) ? 0 : EIO;
    }
    for (uint32_t i = 0; i < copying->n_hidden && number == 0; i++)
        if (copying->hidden[i] + 4 <= copying->size &&
            !make_empty(copying, copying->hidden[i]))
            number = EIO;
    free(piece);
    return number;
}

/* Copies the file. Returns "" or a description of the problem. */
static const char *
copy_elf(struct copying *copying)
{
    uint64_t needed, unpacked;  /* number of bytes written, and how many of them are unpacked; the rest reads as
                                   zeros */
    int number;

    if (!list_needs(copying))
        return "not an ELF file";
    needed = unpacked = copying->end - copying->size;
    for (uint32_t i = 0; i < copying->spans.count; i++)
        needed += copying->spans.list[i].end - copying->spans.list[i].start;
    if (!mp_budget_take(MP_UNPACKED, needed - unpacked) || !mp_budget_take(MP_WORK, (needed - unpacked) / A_UNIT))
        return "unreadable (it exceeds --symbol-limit)";
    copying->to = make_file(needed, copying->end);
    number = copying->to < 0 ? errno : copy_needs(copying);
    if (number == ESTALE)
        return "changed (while it was read)";
    if (number != 0)
        return mp_arena_printf(copying->arena, "unreadable (%s)", strerror(number));
    return "";
}

const char *
mp_copy_make(int fd, bool places, bool split, struct mp_arena *arena, struct mp_copy *copy)
{
    struct mp_arena *scratch = mp_arena_new();
    struct copying copying = { .from = fd, .to = -1, .arena = scratch, .result_arena = arena, .places = places,
                               .split = split, .copy = copy };
    const char *problem = "not an ELF file";
    struct stat status;

    *copy = (struct mp_copy){ .fd = -1 };
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        copying.size = copying.end = (uint64_t)status.st_size;
        /* without _MMAP libelf reads headers and names by pread() */
        copying.elf = mp_elf_open(fd, ELF_C_READ);
        if (copying.elf != NULL)
            problem = mp_arena_strdup(arena, copy_elf(&copying));
        elf_end(copying.elf);
    }
    mp_arena_free(scratch);
    if (*problem == '\0')
        copy->fd = copying.to;
    else if (copying.to >= 0)
        close(copying.to);
    return problem;
}
