/* Fuzzes the reader of symbols and DWARF. An input is an ELF file. */
#include "fuzz.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reporter/symbols/infer.h"
#include "reporter/symbols/symbols.h"

#define MOST_FRAMES 64u

/* Chooses addresses throughout the code segments. Returns how many there are. Other addresses would be refused
 * early. */
static uint32_t
find_code(const uint8_t *file, size_t size, uint64_t addresses[static MOST_FRAMES])
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint32_t n = 0;

    if (size < sizeof header)
        return 0;
    memcpy(&header, file, sizeof header);
    for (unsigned i = 0; i < header.e_phnum && i < 16; i++) {
        uint64_t at = header.e_phoff + i * sizeof segment;

        if (at > size || size - at < sizeof segment)
            break;
        memcpy(&segment, file + at, sizeof segment);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        for (uint64_t k = 0; k < MOST_FRAMES && n < MOST_FRAMES; k++) {
            uint64_t step = segment.p_memsz / MOST_FRAMES;

            addresses[n++] = segment.p_vaddr + 1 + k * (step > 0 ? step : 1);
        }
    }
    return n;
}

/* Returns a profile in which each address allocates. Two addresses each have the same caller, the second address of the
 * previous two; the first two have none. */
static struct mp_profile *
make_profile(const char *path, const uint64_t *addresses, uint32_t n)
{
    struct mp_profile *profile = mp_profile_new();
    struct mp_arena *arena = profile->arena;

    profile->n_modules = 1;
    profile->modules = mp_arena_alloc(arena, sizeof *profile->modules);
    *profile->modules = (struct mp_module){.path = path, .name = "fuzz", .problem = ""};
    profile->n_frames = n;
    profile->frames = mp_arena_alloc(arena, n * sizeof *profile->frames);
    profile->n_contexts = n + 1;
    profile->contexts = mp_arena_alloc(arena, (n + 1) * sizeof *profile->contexts);
    profile->contexts[0] = (struct mp_context){.frame = MP_NO_ID};
    profile->n_cells = n;
    profile->cells = mp_arena_alloc(arena, n * sizeof *profile->cells);
    for (uint32_t i = 0; i < n; i++) {
        profile->frames[i] = (struct mp_frame){.offset = addresses[i], .name = MP_NO_ID};
        profile->contexts[i + 1] = (struct mp_context){.parent = i / 2 * 2, .frame = i};
        profile->cells[i] = (struct mp_cell){.context = i + 1, .size_min = 8 * (i + 1),
                                             .size_max = 8 * (i + 1),
                                             .counts = {.allocs = 2, .bytes = 16 * (i + 1)}};
    }
    for (uint32_t i = 8; i < MP_BINS; i += 64)
        profile->bins[i] = (struct mp_bin){.allocs = 2, .bytes = 2 * (uint64_t)i};
    return profile;
}

/* Replaces the frames of PROFILE by places that look like calls, that is, by bytes e8 of the file, whose first
 * segment begins at offset 0. */
static void
find_calls(struct mp_profile *profile, const uint8_t *file, size_t size)
{
    uint32_t n = 0;

    for (size_t at = 0; at + 5 < size && n < profile->n_frames; at++)
        if (file[at] == 0xe8)
            profile->frames[n++].offset = at + 5;
}

/* Asks where the pointers go that the functions at the addresses of PROFILE return, and frees PROFILE. Only files
 * with a build-id are searched for that. */
static void
follow_pointers(struct mp_profile *profile, int fd)
{
    struct mp_module *module = profile->modules;
    uint32_t contexts[MOST_FRAMES];
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    const void *id = NULL;
    const ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;

    mp_symbols_limit(100);      /* a new budget for each input */
    if (size > 0) {
        module->build_id_size = (uint32_t)size < sizeof module->build_id ? (uint32_t)size : sizeof module->build_id;
        memcpy(module->build_id, id, module->build_id_size);
        for (uint32_t i = 0; i < profile->n_frames; i++)
            contexts[i] = i + 1;
        const struct mp_inferred **told = mp_infer_types(profile, contexts, profile->n_frames, profile->arena);

        for (uint32_t i = 0; i < profile->n_frames; i++)
            if (told[i]) {
                fuzz_must_be_clean(told[i]->name, strlen(told[i]->name));
                for (uint32_t k = 0; k < told[i]->n_words; k++)
                    fuzz_must_be_clean(told[i]->words[k], strlen(told[i]->words[k]));
            }
    }
    elf_end(elf);
    mp_profile_free(profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t addresses[MOST_FRAMES];
    uint32_t n = find_code(data, size, addresses);
    char path[64];
    struct mp_profile *profile;
    int fd;

    if (n == 0)
        return 0;
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    profile = make_profile(path, addresses, n);
    find_calls(profile, data, size);
    follow_pointers(profile, fd);
    fuzz_show(make_profile(path, addresses, n), 1);
    close(fd);
    return 0;
}
/* SPDX-License-Identifier: MIT */
