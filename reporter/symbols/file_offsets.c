#include "file_offsets.h"

#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "file_copy.h"
#include "module.h"

/* A mapped part of a file, as offsets in the file, and the difference from offset to address. */
struct part {
    uint64_t start, end, difference;
};

struct parts {
    struct part *list;
    uint32_t n, room;
};

static void
read_parts(struct parts *parts, Elf *elf, struct mp_arena *arena)
{
    GElf_Phdr header;
    size_t count;

    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < UINT16_MAX; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            (header.p_flags & PF_X) == 0 || header.p_filesz > UINT64_MAX - header.p_offset)
            continue;
        parts->list = mp_arena_grow(arena, parts->list, parts->n, &parts->room, sizeof *parts->list);
        parts->list[parts->n++] = (struct part){header.p_offset, header.p_offset + header.p_filesz,
                                                header.p_vaddr - header.p_offset};
    }
}

static struct parts
parts_of(const char *path, struct mp_arena *arena)
{
    struct parts parts = {0};
    const char *problem;
    int fd = path ? mp_file_open(path, arena, &problem) : -1;
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

    if (elf != NULL)
        read_parts(&parts, elf, arena);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return parts;
}

static void
place(struct mp_frame *frame, const struct parts *parts)
{
    uint64_t at = frame->offset - (!frame->exact && frame->offset > 0);

    for (uint32_t i = 0; i < parts->n; i++)
        if (at >= parts->list[i].start && at < parts->list[i].end) {
            frame->offset += parts->list[i].difference;
            return;
        }
}

void
mp_symbols_place(struct mp_profile *profile, const struct mp_symbol_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct parts *parts = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *parts);
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted);

    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (profile->frames[i].module < profile->n_modules)
            wanted[profile->frames[i].module] = true;
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].in_file && wanted[i])
            parts[i] = parts_of(mp_binary_path(profile, options, i), arena);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (profile->frames[i].module < profile->n_modules && profile->frames[i].mark == 0)
            place(&profile->frames[i], &parts[profile->frames[i].module]);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        profile->modules[i].in_file = false;
    mp_arena_free(arena);
}
