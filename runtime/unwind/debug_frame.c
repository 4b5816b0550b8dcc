/* SPDX-License-Identifier: MIT */
#include "debug_frame.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "eh_frame.h"
#include "inflate.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

#define FIRST_BYTES 4096u               /* of a file, with its program headers */
#define CODE_BYTES  256u                /* of code that are compared */
#define MAX_SECTION ((uint64_t)1 << 28)

struct mp_debug_table {
    struct mp_eh_object object;         /* the copy */
    uintptr_t start, end;               /* addresses of the object */
    struct stat file;
    bool loaded;
    struct mp_debug_table *next;
};

static struct mp_debug_table *tables;   /* all that were ever read */

/* ------------------------------------------------------------------ the file */

static bool
read_all(int fd, void *to, size_t size, uint64_t offset)
{
    size_t done = 0;

    while (done < size) {
        const long n = mp_sys_pread(fd, (char *)to + done, size - done, offset + done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Returns whether the SIZE bytes of FD at OFFSET, at most FIRST_BYTES, are those at ADDRESS, which is readable. */
static bool
is_same(int fd, uint64_t offset, uintptr_t address, uint64_t size)
{
    static MP_LARGE uint8_t bytes[FIRST_BYTES]; /* static because the stack may be small; guarded by the lock */

    return read_all(fd, bytes, size, offset) && memcmp(bytes, (const void *)address, size) == 0;
}

/* Returns the smaller one of A and B. */
static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns whether FD is the file of SOURCE. The bytes compared are in all segments with code or headers. */
static bool
is_file_of(int fd, const struct mp_debug_source *source)
{
    const ElfW(Ehdr) *header = (const void *)source->start;
    const ElfW(Phdr) *segments = (const void *)(source->start + header->e_phoff);
    unsigned found = 0;

    for (unsigned i = 0; i < header->e_phnum; i++) {
        const uint64_t address = source->bias + segments[i].p_vaddr, at = source->pc - address;
        const bool first = address == source->start, code = at < segments[i].p_filesz;

        if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_R) || segments[i].p_flags & PF_W)
            continue;
        if (first && !is_same(fd, segments[i].p_offset, address, least(segments[i].p_filesz, FIRST_BYTES)))
            return false;
        if (code && !is_same(fd, segments[i].p_offset + at, source->pc,
                             least(segments[i].p_filesz - at, CODE_BYTES)))
            return false;
        found += first + code;
    }
    return found == 2;
}

/* Finds the section .debug_frame of FD. Returns false if there is none that can be copied. That of Go's linker is of no
 * use, because it does not describe that Go changes the stack before it calls C. */
static bool
find_section(int fd, ElfW(Shdr) *section)
{
    static const char wanted[] = ".debug_frame", of_go[] = ".go.buildinfo";
    char name[sizeof of_go];
    ElfW(Ehdr) header;
    ElfW(Shdr) names;

    if (!read_all(fd, &header, sizeof header, 0) || header.e_shentsize != sizeof *section ||
        !read_all(fd, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names))
        return false;
    for (unsigned i = 1; i < header.e_shnum; i++) {
        if (!read_all(fd, section, sizeof *section, header.e_shoff + i * sizeof *section))
            return false;
        if (section->sh_type != SHT_PROGBITS ||
            mp_sys_pread(fd, name, sizeof name, names.sh_offset + section->sh_name) < (long)sizeof wanted)
            continue;
        if (memcmp(name, of_go, sizeof of_go) == 0)
            return false;
        if (memcmp(name, wanted, sizeof wanted) == 0)
            return section->sh_size <= MAX_SECTION;
    }
    return false;
}

/* ------------------------------------------------------------------ tables */

/* Decompresses SECTION of FD, to SIZE bytes at TO. */
static bool
decompress(int fd, const ElfW(Shdr) *section, uint8_t *to, uint64_t size)
{
    uint8_t *from = mp_sys_map(section->sh_size);
    bool done;

    if (!from)
        return false;
    done = read_all(fd, from, section->sh_size, section->sh_offset) &&
           mp_inflate(from + sizeof(ElfW(Chdr)), section->sh_size - sizeof(ElfW(Chdr)), to, size);
    mp_sys_unmap(from, section->sh_size);
    return done;
}

/* Copies SECTION of FD and makes an index of it. Returns false if that is impossible. */
static bool
copy(int fd, const ElfW(Shdr) *section, struct mp_eh_object *object)
{
    const bool packed = section->sh_flags & SHF_COMPRESSED;
    ElfW(Chdr) header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = section->sh_size };
    uint64_t size, total;
    uint8_t *memory;

    if (packed && (section->sh_size <= sizeof header || !read_all(fd, &header, sizeof header, section->sh_offset)))
        return false;
    size = (header.ch_size + 3) & ~(uint64_t)3;
    total = size + MP_DEBUG_INDEX_SIZE(size);
    if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size > MAX_SECTION || !(memory = mp_sys_map(total)))
        return false;
    if (packed ? !decompress(fd, section, memory, header.ch_size)
               : !read_all(fd, memory, header.ch_size, section->sh_offset)) {
        mp_sys_unmap(memory, total);
        return false;
    }
    mp_debug_frame_index(memory, header.ch_size, memory + size);
    object->start = object->debug_frame = memory;
    object->eh_frame_hdr = memory + size;
    object->end = memory + total;
    return true;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Returns the table of SOURCE, whose file is FD. */
static struct mp_debug_table *
take(int fd, const struct mp_debug_source *source)
{
    const struct mp_debug_table *same = NULL;
    struct mp_debug_table *table;
    struct stat file;
    ElfW(Shdr) section;

    if (mp_sys_fstat(fd, &file) != 0 || !is_file_of(fd, source))
        return NULL;
    for (table = tables; table; table = table->next)
        if (is_same_file(&table->file, &file)) {
            same = table;
            if (table->start == source->start && table->end == source->end)
                return table;
        }
    if (!same && !find_section(fd, &section))
        return NULL;
    table = mp_sys_map(sizeof *table);
    if (!table)
        return NULL;
    if (same) {
        table->object = same->object;
    } else if (!copy(fd, &section, &table->object)) {
        mp_sys_unmap(table, sizeof *table);
        return NULL;
    }
    table->object.bias = source->bias;
    table->start = source->start;
    table->end = source->end;
    table->file = file;
    table->next = tables;
    __atomic_store_n(&tables, table, __ATOMIC_RELEASE);
    return table;
}

struct mp_debug_table *
mp_debug_frame_read(const struct mp_debug_source *source)
{
    MP_LOCK_HELD();
    const long fd = mp_sys_open_regular(source->path, O_RDONLY | O_CLOEXEC);
    struct mp_debug_table *table;

    if (fd < 0)
        return NULL;
    table = take((int)fd, source);
    mp_sys_close((int)fd);
    mp_debug_frame_loaded(table, true);
    return table;
}

void
mp_debug_frame_loaded(struct mp_debug_table *table, bool loaded)
{
    MP_LOCK_HELD();
    if (table)
        __atomic_store_n(&table->loaded, loaded, __ATOMIC_RELEASE);
}

void
mp_debug_frame_reset(void)
{
    for (struct mp_debug_table *table = tables; table; table = table->next)
        mp_debug_frame_loaded(table, false);
}

bool
mp_debug_frame_find(uintptr_t pc, struct mp_eh_object *object)
{
    const struct mp_debug_table *table = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);

    while (table && (pc - table->start >= table->end - table->start ||
                     !__atomic_load_n(&table->loaded, __ATOMIC_ACQUIRE)))
        table = table->next;
    if (table)
        *object = table->object;
    return table != NULL;
}
