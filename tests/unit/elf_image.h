/* elf_image.h -- lays out an ELF file in memory as the loader does, but not executable, for tests of code that reads
 * unwind tables in place. */
#ifndef MP_TEST_ELF_IMAGE_H
#define MP_TEST_ELF_IMAGE_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct elf_image {
    uint8_t *base;              /* address = base + p_vaddr */
    uint8_t *map;               /* start of the mapping */
    size_t size;
    uint8_t *eh_frame_hdr;
};

static inline bool
elf_image_headers(int fd, Elf64_Ehdr *header, Elf64_Phdr *segments, size_t most)
{
    return pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_phnum <= most &&
           pread(fd, segments, header->e_phnum * sizeof *segments, (off_t)header->e_phoff) ==
               (ssize_t)(header->e_phnum * sizeof *segments);
}

static inline bool
elf_image_open(const char *path, struct elf_image *image)
{
    Elf64_Ehdr header;
    Elf64_Phdr segments[32];
    uint64_t low = UINT64_MAX, high = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && elf_image_headers(fd, &header, segments, 32);

    memset(image, 0, sizeof *image);
    for (unsigned i = 0; good && i < header.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD) {
            uint64_t end = segments[i].p_vaddr + segments[i].p_memsz;

            low = segments[i].p_vaddr < low ? segments[i].p_vaddr : low;
            high = end > high ? end : high;
        }
    good = good && high > low;
    if (good) {
        image->size = high - low;
        image->map = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                          -1, 0);
        good = image->map != MAP_FAILED;
        image->base = image->map - low;
    }
    for (unsigned i = 0; good && i < header.e_phnum; i++) {
        uint8_t *at = image->base + segments[i].p_vaddr;

        if (segments[i].p_type == PT_LOAD)
            good = pread(fd, at, segments[i].p_filesz, (off_t)segments[i].p_offset) ==
                   (ssize_t)segments[i].p_filesz;
        else if (segments[i].p_type == PT_GNU_EH_FRAME)
            image->eh_frame_hdr = at;
    }
    if (fd >= 0)
        close(fd);
    return good && image->eh_frame_hdr;
}

static inline void
elf_image_close(struct elf_image *image)
{
    munmap(image->map, image->size);
}

#endif
/* SPDX-License-Identifier: MIT */
