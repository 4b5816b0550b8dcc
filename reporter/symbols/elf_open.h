/* SPDX-License-Identifier: MIT */
/*
 * elf_open.h -- opens an ELF file that others wrote, and reads what identifies it, with bounded time and memory.
 *
 * libelf and libdwelf read whole sections and segments for a single note or name, and search for the end of each name
 * in a table that need not have one.
 */
#ifndef MP_SYMBOLS_ELF_OPEN_H
#define MP_SYMBOLS_ELF_OPEN_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#define MP_BUILD_ID_MOST 64u    /* maximum bytes of a build-id */
#define MP_LINK_MOST     4096u  /* maximum bytes of a .gnu_debuglink or .gnu_debugaltlink */

/* Opens the ELF file FD by COMMAND, ELF_C_READ or ELF_C_READ_MMAP_PRIVATE. Returns NULL if it is no ELF file, or has
 * more headers than a linker writes, or names of sections that cannot be read quickly. */
Elf *mp_elf_open(int fd, Elf_Cmd command);

/* Returns whether the bytes of the section with HEADER in the file FD end with NUL, as a string table must. */
bool mp_elf_is_terminated(int fd, const GElf_Shdr *header);

/* Writes the build-id of ELF, opened from FD, to ID. Returns its size, or 0 if it has none. */
size_t mp_elf_build_id(Elf *elf, int fd, uint8_t id[MP_BUILD_ID_MOST]);

/* Writes the file name in .gnu_debuglink to NAME, and sets *CRC. Returns false if ELF, opened from FD, has none. */
bool mp_elf_debuglink(Elf *elf, int fd, char name[MP_LINK_MOST], uint32_t *crc);

#endif
