#include "unpack.h"

#include <dlfcn.h>
#include <endian.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE       ((size_t)1 << 16)
#define AT_ONCE     ((uint64_t)16 << 20)    /* in bytes; larger sections are unpacked piece by piece */
#define MOST_RATIO  1032u                   /* maximum factor by which deflate expands data */
#define ZSTREAM     2u                      /* bytes at the beginning of a zlib stream */

/* -------------------------------------------------------------------------------- headers */

bool
mp_packed_read(int fd, const GElf_Ehdr *ehdr, const GElf_Shdr *header, uint64_t place,
               struct mp_packed *packed)
{
    const unsigned char own = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Chdr start;

    if ((header->sh_flags & SHF_COMPRESSED) == 0 || ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
        ehdr->e_ident[EI_DATA] != own || header->sh_size <= sizeof start + ZSTREAM ||
        pread(fd, &start, sizeof start, (off_t)header->sh_offset) != sizeof start)
        return false;
    *packed = (struct mp_packed){ .place = place,
                                  .from = header->sh_offset + sizeof start,
                                  .size = header->sh_size - sizeof start,
                                  .whole = start.ch_size, .align = start.ch_addralign };
    return start.ch_type == ELFCOMPRESS_ZLIB && packed->whole > 0 &&
           packed->whole / MOST_RATIO <= packed->size;
}

static bool
change_header(int to, const struct mp_packed *packed)
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

/* --------------------------------------------------------- unpacking at once by libdeflate */

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
unpack_mapped(const struct deflate *library, const void *bytes, int to,
              const struct mp_packed *packed)
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
unpack_at_once(int fd, int to, const struct mp_packed *packed)
{
    struct deflate library;
    void *bytes;
    bool ok;

    if (packed->size > AT_ONCE || packed->whole > AT_ONCE)
        return false;
    library = find_library();
    bytes = library.begin == NULL ? NULL : read_bytes(fd, packed->from, packed->size);
    ok = bytes != NULL && unpack_mapped(&library, bytes, to, packed);
    free(bytes);
    return ok;
}

/* ---------------------------------------------------------- unpacking by pieces with zlib */

struct pieces {
    unsigned char in[PIECE], out[PIECE];
};

/* Fills STREAM with the next bytes of PACKED, starting at *AT, and advances *AT. Returns false at the end or on an
 * error. */
static bool
fill(int fd, const struct mp_packed *packed, uint64_t *at, struct pieces *pieces, z_stream *stream)
{
    uint64_t left = packed->size - *at;
    ssize_t got = left == 0 ? 0 : pread(fd, pieces->in, left < PIECE ? left : PIECE,
                                        (off_t)(packed->from + *at));

    if (got <= 0)
        return false;
    *at += (uint64_t)got;
    stream->next_in = pieces->in;
    stream->avail_in = (uInt)got;
    return true;
}

static bool
inflate_all(int fd, int to, const struct mp_packed *packed, struct pieces *pieces, z_stream *stream)
{
    uint64_t at = 0, done = 0;
    int result = Z_OK;

    while (result == Z_OK && (stream->avail_in > 0 || fill(fd, packed, &at, pieces, stream))) {
        size_t n;

        stream->next_out = pieces->out;
        stream->avail_out = PIECE;
        result = inflate(stream, Z_NO_FLUSH);
        n = PIECE - stream->avail_out;
        if (n > packed->whole - done ||
            pwrite(to, pieces->out, n, (off_t)(packed->to + done)) != (ssize_t)n)
            return false;
        done += n;
    }
    return result == Z_STREAM_END && done == packed->whole;
}

static bool
unpack_by_pieces(int fd, int to, const struct mp_packed *packed)
{
    struct pieces *pieces = malloc(sizeof *pieces);
    z_stream stream = { 0 };
    bool ok = false;

    if (pieces != NULL && inflateInit(&stream) == Z_OK) {
        ok = inflate_all(fd, to, packed, pieces, &stream);
        inflateEnd(&stream);
    }
    free(pieces);
    return ok;
}

bool
mp_packed_unpack(int fd, int to, const struct mp_packed *packed)
{
    return (unpack_at_once(fd, to, packed) || unpack_by_pieces(fd, to, packed)) &&
           change_header(to, packed);
}
