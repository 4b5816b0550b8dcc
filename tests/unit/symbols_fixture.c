#include "tap.h"

#include "symbols_fixture.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile_builder.h"

struct mp_profile *profile;

static Elf *
open_elf(const char *path, int *fd)
{
    Elf *elf;

    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY);
    elf = elf_begin(*fd, ELF_C_READ, NULL);
    ck_assert_msg(elf != NULL && elf_kind(elf) == ELF_K_ELF, "%s is no ELF file", path);
    return elf;
}

uint64_t
address_of(const char *path, const char *name)
{
    int fd;
    Elf *elf = open_elf(path, &fd);
    GElf_Shdr header;
    GElf_Sym symbol;
    uint64_t address = 0;

    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        Elf_Data *data = elf_getdata(scn, NULL);

        if (gelf_getshdr(scn, &header) == NULL || header.sh_type != SHT_SYMTAB)
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++)
            if (strcmp(elf_strptr(elf, header.sh_link, symbol.st_name), name) == 0)
                address = symbol.st_value;
    }
    elf_end(elf);
    close(fd);
    ck_assert_msg(address != 0, "no symbol %s in %s", name, path);
    return address;
}

void
record_build_id(struct mp_module *module, const char *path)
{
    int fd;
    Elf *elf = open_elf(path, &fd);
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

    ck_assert_msg(size > 0 && size <= 32, "%s has no build-id", path);
    memcpy(module->build_id, id, (size_t)size);
    module->build_id_size = (uint32_t)size;
    elf_end(elf);
    close(fd);
}

void
begin_profile(void)
{
    profile = keep_profile(mp_profile_new());
    profile->modules = mp_arena_alloc(profile->arena, 8 * sizeof *profile->modules);
    profile->frames = mp_arena_alloc(profile->arena, 32 * sizeof *profile->frames);
    profile->contexts = mp_arena_alloc(profile->arena, 32 * sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    profile->cells = mp_arena_alloc(profile->arena, 32 * sizeof *profile->cells);
    profile->meta.program = C_PROGRAM;
}

uint32_t
add_module(const char *path)
{
    const char *slash = strrchr(path, '/');

    profile->modules[profile->n_modules] = (struct mp_module){
        .path = path, .name = slash == NULL ? path : slash + 1, .problem = "",
    };
    return profile->n_modules++;
}

uint32_t
add_file(const char *path)
{
    uint32_t module = add_module(path);

    record_build_id(&profile->modules[module], path);
    return module;
}

uint32_t
add_frame(uint32_t module, uint64_t offset)
{
    profile->frames[profile->n_frames] = (struct mp_frame){ .module = module, .offset = offset };
    return profile->n_frames++;
}

uint32_t
add_site(uint32_t module, const char *path, const char *name)
{
    return add_frame(module, address_of(path, name) + 1);
}

static uint32_t
add_context(uint32_t parent, uint32_t frame)
{
    profile->contexts[profile->n_contexts] = (struct mp_context){ parent, frame };
    return profile->n_contexts++;
}

void
add_allocation(uint32_t frame, uint32_t caller, uint32_t size)
{
    uint32_t parent = caller == MP_NO_ID ? 0 : add_context(0, caller);

    profile->cells[profile->n_cells++] = (struct mp_cell){
        .context = add_context(parent, frame), .kind = mp_sizeclass(size), .size_min = size,
        .size_max = size, .counts = {.allocs = 1, .bytes = size},
    };
    profile->bins[size].allocs++;
}

void
symbolise_with(const struct mp_symbol_options *options)
{
    struct mp_error error;

    ck_assert(mp_symbolise(profile, options, &error));
    ck_assert(profile->symbolised);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_frame *frame = &profile->frames[i];

        ck_assert_uint_ge(frame->n_locations, 1);
        ck_assert_uint_le(frame->first_location + frame->n_locations, profile->n_locations);
        for (uint32_t k = 0; k < frame->n_locations; k++)
            ck_assert_uint_lt(profile->locations[frame->first_location + k].function,
                              profile->n_functions);
    }
    for (uint32_t i = 0; i < profile->n_functions; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(profile->functions[i].text, profile->functions[k].text);
}

void
symbolise(void)
{
    symbolise_with(&(struct mp_symbol_options){ .cache = false });
}

const struct mp_location *
location(uint32_t frame, uint32_t index)
{
    ck_assert_uint_lt(index, profile->frames[frame].n_locations);
    return &profile->locations[profile->frames[frame].first_location + index];
}

const char *
name_of(uint32_t frame, uint32_t index)
{
    return profile->functions[location(frame, index)->function].text;
}

void
shell(const char *format, ...)
{
    char command[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    ck_assert_msg(system(command) == 0, "failed: %s", command);
}
/* SPDX-License-Identifier: MIT */
