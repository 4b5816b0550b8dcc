#include "mappings.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PAGE 0x1000u
#define FIRST 0x100000000000u           /* far from the addresses of modules that cannot be moved */
#define LARGEST ((uint64_t)1 << 40)     /* larger sizes only occur in damaged files */
#define MOST_HEADERS 256u

/* The executable segment in the ELF file of a module. */
struct code {
    bool known, fixed;          /* fixed: the code cannot be moved to another address */
    uint64_t address, size, file_offset;
};

static uint64_t
page_down(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

static uint64_t
page_up(uint64_t address)
{
    return page_down(address + PAGE - 1);
}

/* Returns the first executable segment in HEADER's file. */
static struct code
code_of(int fd, const Elf64_Ehdr *header)
{
    for (unsigned i = 0; i < header->e_phnum && i < MOST_HEADERS; i++) {
        Elf64_Phdr segment;
        uint64_t at = header->e_phoff + i * sizeof segment;

        if (pread(fd, &segment, sizeof segment, (off_t)at) != sizeof segment)
            break;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
            return (struct code){.known = true, .fixed = header->e_type == ET_EXEC,
                                 .address = segment.p_vaddr, .size = segment.p_memsz,
                                 .file_offset = segment.p_offset};
    }
    return (struct code){.known = false};
}

/* Returns whether the file of MODULE is the one that was recorded. If it is missing or differs, reading its names
 * failed. */
static bool
is_recorded(const struct mp_module *module)
{
    return module->problem[0] == '\0' || strcmp(module->problem, "no symbols") == 0;
}

static struct code
read_code(const struct mp_module *module)
{
    const char *path = module->file ? module->file : module->path;
    struct code code = {.known = false};
    Elf64_Ehdr header;
    int fd;

    if (!is_recorded(module) || (fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
        return code;
    if (pread(fd, &header, sizeof header, 0) == sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
        header.e_phentsize == sizeof(Elf64_Phdr))
        code = code_of(fd, &header);
    close(fd);
    return code;
}

/* Marks modules with frames as used, and stores the largest offset of their frames in `limit`. */
static void
find_used(const struct mp_profile *view, struct mp_mapping mappings[])
{
    for (uint32_t i = 0; i < view->n_frames; i++) {
        const struct mp_frame *frame = &view->frames[i];
        struct mp_mapping *mapping;

        if (frame->module >= view->n_modules || frame->interpreted)
            continue;
        mapping = &mappings[frame->module];
        mapping->used = true;
        if (frame->offset > mapping->limit && frame->offset < LARGEST)
            mapping->limit = frame->offset;
    }
}

/* Places the module at NEXT, or at its own addresses if it cannot be moved. Returns the next free address. */
static uint64_t
place(struct mp_mapping *mapping, const struct code *code, uint64_t next)
{
    uint64_t end = mapping->limit + 1;

    if (code->known && code->address < LARGEST && code->size < LARGEST && code->address + code->size > end)
        end = code->address + code->size;
    mapping->base = code->fixed ? 0 : next;
    mapping->start = mapping->base;
    if (code->known && code->address < LARGEST) {
        mapping->start += page_down(code->address);
        mapping->file_offset = page_down(code->file_offset);
    }
    mapping->limit = mapping->base + page_up(end);
    return code->fixed ? next : mapping->limit + PAGE;
}

struct mp_mapping *
mp_mappings(const struct mp_profile *view, struct mp_arena *arena)
{
    struct mp_mapping *mappings = mp_arena_alloc(arena, view->n_modules * sizeof *mappings);
    uint64_t next = FIRST;

    find_used(view, mappings);
    for (uint32_t i = 0; i < view->n_modules; i++) {
        struct code code;

        if (!mappings[i].used)
            continue;
        code = read_code(&view->modules[i]);
        next = place(&mappings[i], &code, next);
    }
    return mappings;
}

uint64_t
mp_mapped_address(const struct mp_mapping mappings[], const struct mp_frame *frame)
{
    uint64_t base = frame->module != MP_NO_ID ? mappings[frame->module].base : 0;

    if (frame->mark != 0 || frame->interpreted || frame->offset == 0)
        return 0;
    return base + frame->offset - !frame->exact;
}
