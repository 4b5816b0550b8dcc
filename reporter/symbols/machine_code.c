/* SPDX-License-Identifier: MIT */
#include "machine_code.h"

#include <gelf.h>
#include <unistd.h>

#define PIECE_SIZE  4096u       /* bytes read at a time */

struct mp_code_piece {
    uint64_t address;           /* of the first byte */
    size_t size;
    uint8_t bytes[PIECE_SIZE];
};

/* Reads the code from ADDRESS on. The file is read, not the private copy, which contains no code. */
static void
read_piece(struct mp_binary *binary, uint64_t address)
{
    struct mp_code_piece *piece = binary->piece;
    const uint32_t segment = mp_spans_find(&binary->code, address);
    GElf_Ehdr head;
    GElf_Phdr header;
    uint64_t left;
    ssize_t got;

    piece->address = address;
    piece->size = 0;
    if (binary->code_fd < 0 || segment == MP_NO_ID || gelf_getehdr(binary->elf, &head) == NULL ||
        head.e_machine != EM_X86_64 || gelf_getphdr(binary->elf, (int)segment, &header) == NULL ||
        address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
        return;
    left = header.p_filesz - (address - header.p_vaddr);
    got = pread(binary->code_fd, piece->bytes, left < PIECE_SIZE ? left : PIECE_SIZE,
                (off_t)(header.p_offset + (address - header.p_vaddr)));
    piece->size = got > 0 ? (size_t)got : 0;
}

bool
mp_machine_code(struct mp_binary *binary, uint64_t address, struct mp_instruction *code)
{
    struct mp_code_piece *piece = binary->piece;

    if (piece == NULL)
        piece = binary->piece = mp_arena_alloc(binary->arena, sizeof *piece);
    if (address - piece->address >= piece->size || piece->size - (address - piece->address) < MP_CODE_MAX)
        read_piece(binary, address);
    return piece->size > 0 && mp_code_x86_64(piece->bytes + (address - piece->address),
                                             piece->size - (size_t)(address - piece->address), address, code);
}
