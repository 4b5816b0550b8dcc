/* SPDX-License-Identifier: MIT */
#include "debugdata.h"

#include <lzma.h>
#include <stdlib.h>
#include <unistd.h>

#include "budget.h"
#include "elf_open.h"

#define PIECE       ((size_t)1 << 14)           /* bytes read at a time */
#define MOST_TABLE  (UINT64_C(128) << 20)       /* maximum bytes of the decoder's tables; xz -9 needs 65 MB */
#define A_UNIT      64u                         /* bytes that are unpacked in a unit of work */

/* Unpacked bytes, in memory. */
struct content {
    uint8_t *bytes;
    size_t size, room;
};

/* Adds capacity, which is charged. */
static bool
make_room(struct content *content)
{
    const size_t more = content->room == 0 ? 16 * PIECE : content->room;
    uint8_t *bytes;

    if (!mp_budget_take(MP_MEMORY, more))
        return false;
    bytes = realloc(content->bytes, content->room + more);
    if (bytes == NULL) {
        mp_budget_return(MP_MEMORY, more);
        return false;
    }
    content->bytes = bytes;
    content->room += more;
    return true;
}

/* Reads the next bytes of the file FD at *OFFSET, *LEFT of which remain, to PIECE. */
static bool
feed(lzma_stream *stream, int fd, uint64_t *offset, uint64_t *left, uint8_t piece[PIECE])
{
    const ssize_t got = *left == 0 ? 0 : pread(fd, piece, *left < PIECE ? *left : PIECE, (off_t)*offset);

    if (got <= 0)
        return false;
    *offset += (uint64_t)got;
    *left -= (uint64_t)got;
    stream->next_in = piece;
    stream->avail_in = (size_t)got;
    return true;
}

static bool
unpack(int fd, uint64_t offset, uint64_t left, struct content *content)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    uint8_t piece[PIECE];
    lzma_ret result = lzma_auto_decoder(&stream, MOST_TABLE, 0);

    while (result == LZMA_OK) {
        if (stream.avail_in == 0 && !feed(&stream, fd, &offset, &left, piece))
            break;
        if (content->size == content->room && !make_room(content))
            break;
        stream.next_out = content->bytes + content->size;
        stream.avail_out = content->room - content->size;
        result = lzma_code(&stream, LZMA_RUN);
        if (!mp_budget_work((content->room - content->size - stream.avail_out) / A_UNIT + 1))
            break;
        content->size = content->room - stream.avail_out;
    }
    lzma_end(&stream);
    return result == LZMA_STREAM_END;
}

/* Returns whether libdwfl can read the symbols in CONTENT without unpacking more and without long searches. */
static bool
is_plain(const struct content *content)
{
    Elf *elf = elf_memory((char *)content->bytes, content->size);
    bool plain = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    size_t names;

    plain = plain && elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *scn = NULL; plain && (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr header;

        plain = gelf_getshdr(scn, &header) != NULL && (header.sh_flags & SHF_COMPRESSED) == 0;
        if (plain && header.sh_type == SHT_STRTAB)
            plain = header.sh_size > 0 && header.sh_offset <= content->size &&
                    header.sh_size <= content->size - header.sh_offset &&
                    content->bytes[header.sh_offset + header.sh_size - 1] == '\0';
    }
    elf_end(elf);
    return plain;
}

bool
mp_debugdata_take(int fd, uint64_t offset, uint64_t size)
{
    struct content content = {NULL};
    const bool good = unpack(fd, offset, size, &content) && is_plain(&content);

    free(content.bytes);
    if (!good)
        mp_budget_return(MP_MEMORY, content.room);
    return good;
}
