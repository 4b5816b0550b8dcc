#include "target.h"

#include <alloca.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sanitizer.h"

#define MOST_SCRIPTS 5         /* a script's interpreter may be a script, says the kernel */

#if defined __x86_64__
#define OUR_MACHINE EM_X86_64
#elif defined __aarch64__
#define OUR_MACHINE EM_AARCH64
#endif

static bool
read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Up to SIZE - 1 bytes, and a NUL after them. */
static bool
read_text(int fd, char *to, size_t size, uint64_t offset)
{
    ssize_t n = offset <= INT64_MAX ? pread(fd, to, size - 1, (off_t)offset) : -1;

    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* ------------------------------------------------------------------ ELF */

/* An ELF file, its program headers read one by one: the stack may be small. */
struct elf {
    int fd;
    ElfW(Ehdr) header;
};

/* Program header I; false after the last, or if there is none. */
static bool
read_segment(const struct elf *elf, unsigned i, ElfW(Phdr) *segment)
{
    return i < elf->header.e_phnum && elf->header.e_phentsize == sizeof *segment &&
           read_at(elf->fd, segment, sizeof *segment, elf->header.e_phoff + i * sizeof *segment);
}

static bool
find_segment(const struct elf *elf, uint32_t type, ElfW(Phdr) *segment)
{
    for (unsigned i = 0; read_segment(elf, i, segment); i++)
        if (segment->p_type == type)
            return true;
    return false;
}

/* Where in the file ADDRESS stands; UINT64_MAX: nowhere. */
static uint64_t
offset_of(const struct elf *elf, uint64_t address)
{
    ElfW(Phdr) segment;

    for (unsigned i = 0; read_segment(elf, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    return UINT64_MAX;
}

/* Entry I of the dynamic section; false after the last. */
static bool
read_entry(int fd, const ElfW(Phdr) *dynamic, size_t i, ElfW(Dyn) *entry)
{
    return i < dynamic->p_filesz / sizeof *entry &&
           read_at(fd, entry, sizeof *entry, dynamic->p_offset + i * sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

static bool
needs_sanitizer(const struct elf *elf)
{
    char name[MP_SANITIZER_NAME];
    uint64_t strings = UINT64_MAX;
    ElfW(Phdr) dynamic;
    ElfW(Dyn) entry;

    if (!find_segment(elf, PT_DYNAMIC, &dynamic))
        return false;
    for (size_t i = 0; read_entry(elf->fd, &dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB)
            strings = offset_of(elf, entry.d_un.d_ptr);
    if (strings == UINT64_MAX)
        return false;
    for (size_t i = 0; read_entry(elf->fd, &dynamic, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED &&
            read_text(elf->fd, name, sizeof name, strings + entry.d_un.d_val) &&
            mp_sanitizer_must_be_first(name))
            return true;
    return false;
}

static bool
is_for_musl(const struct elf *elf)
{
    char interpreter[128];
    ElfW(Phdr) segment;

    return find_segment(elf, PT_INTERP, &segment) &&
           read_text(elf->fd, interpreter, sizeof interpreter, segment.p_offset) &&
           strstr(interpreter, "ld-musl");
}

static bool
elf_takes_us(const struct elf *elf)
{
    if (elf->header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return false;
#ifdef OUR_MACHINE
    if (elf->header.e_machine != OUR_MACHINE)
        return false;
#endif
    return !is_for_musl(elf) && !needs_sanitizer(elf);
}

/* ------------------------------------------------------------------ scripts */

/* The interpreter that TEXT, the beginning of a script, asks for; in place. */
static char *
interpreter_of(char *text)
{
    char *name = text + 2 + strspn(text + 2, " \t");

    name[strcspn(name, " \t\n")] = '\0';
    return name;
}

/* If FD is a script, its interpreter, opened, or -1; else FD. */
static int
follow_script(int fd)
{
    char text[257];

    if (!read_text(fd, text, sizeof text, 0) || text[0] != '#' || text[1] != '!')
        return fd;
    close(fd);
    return open(interpreter_of(text), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Closes FD. */
static bool
takes_us(int fd)
{
    struct elf elf;
    bool result = true;

    for (int i = 0; fd >= 0 && i < MOST_SCRIPTS; i++)
        fd = follow_script(fd);
    if (fd < 0)
        return true;
    elf.fd = fd;
    if (read_at(fd, &elf.header, sizeof elf.header, 0) &&
        memcmp(elf.header.e_ident, ELFMAG, SELFMAG) == 0)
        result = elf_takes_us(&elf);
    close(fd);
    return result;
}

bool
mp_target_takes_us(const char *path)
{
    const int error = errno;
    bool result = takes_us(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));

    errno = error;
    return result;
}

bool
mp_target_open_takes_us(int fd)
{
    const int error = errno;
    bool result = takes_us(fcntl(fd, F_DUPFD_CLOEXEC, 0));

    errno = error;
    return result;
}

/* "FOLDER/FILE", FOLDER being LENGTH bytes, at TO. */
static const char *
join(char *to, const char *folder, size_t length, const char *file)
{
    memcpy(to, folder, length);
    to[length] = '/';
    strcpy(to + length + (length > 0), file);
    return to;
}

bool
mp_target_found_takes_us(const char *file)
{
    const int error = errno;
    const char *search = getenv("PATH");
    bool result = true;
    char *path;

    if (strchr(file, '/') || !*file)
        return mp_target_takes_us(file);
    if (!search)
        search = "/bin:/usr/bin";
    path = alloca(strlen(search) + strlen(file) + 2);
    while (search) {
        const char *end = strchrnul(search, ':');

        if (access(join(path, search, (size_t)(end - search), file), X_OK) == 0) {
            result = mp_target_takes_us(path);
            break;
        }
        search = *end ? end + 1 : NULL;
    }
    errno = error;
    return result;
}
