/*
 * fas.c -- local functions of a compiled Lisp file, from its symbol table.
 *
 * ECL names the C functions that it makes L<n><name> (functions of their own) and LC<n><name> (local
 * functions, lambdas, methods, macros).  The former have objects with exact names; the latter mostly
 * have none.  (compile 'f) deletes its file at once, so this is done when it is loaded.
 *
 * The file may have been written anew since it was loaded, and may be half written: it is read, not
 * mapped; nothing in it is believed without a look at its bounds; and of the process nothing is read.
 */
#include "names.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ecl.h"

#define MOST_FILE ((off_t)1 << 28)      /* bytes */

struct image {
    const uint8_t *map;         /* the file's bytes */
    size_t size;
    const Elf64_Phdr *segments;
    size_t n_segments;
    uint64_t examined;          /* bytes of code */
    const Elf64_Sym *symbols;
    size_t n;
    const char *strings;
    size_t strings_size;
    uintptr_t bias;
};

/* Digits after PREFIX in NAME; what follows them, or NULL. */
static const char *
after_number(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9')
        return NULL;
    for (name += n; *name >= '0' && *name <= '9'; name++)
        continue;
    return name;
}

static bool
is_lambda(const char *name)
{
    const char *rest = after_number(name, "LC");

    return rest && strncmp(rest, "__lambda", 8) == 0;
}

bool
mp_lisp_local_name(const char *name, char *room, size_t size)
{
    const char *rest = after_number(name, "LC");
    size_t n = 0;

    if (!rest || !*rest)
        return false;
    if (is_lambda(name)) {
        snprintf(room, size, "LAMBDA");
        return true;
    }
    for (; *rest && *rest != '.' && n + 1 < size; rest++)
        room[n++] = *rest == '_' ? '-' : *rest >= 'a' && *rest <= 'z' ? (char)(*rest - 32) : *rest;
    room[n] = '\0';
    return n > 0;
}

/* ------------------------------------------------------------------ the file */

static bool
within(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

static bool
read_symbols(struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    if (!within(image, table->sh_offset, table->sh_size) || table->sh_offset % 8 != 0 ||
        !within(image, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
        image->map[strings->sh_offset + strings->sh_size - 1] != 0)
        return false;
    image->symbols = (const void *)(image->map + table->sh_offset);
    image->n = table->sh_size / sizeof *image->symbols;
    image->strings = (const char *)image->map + strings->sh_offset;
    image->strings_size = strings->sh_size;
    return true;
}

/* The symbol table; in a stripped file, what is exported. */
static bool
find_symbols(struct image *image)
{
    const Elf64_Ehdr *header = (const void *)image->map;
    const Elf64_Shdr *sections;
    bool found = false;

    if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof *sections || header->e_shoff % 8 != 0 ||
        !within(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections))
        return false;
    if (header->e_phentsize == sizeof *image->segments && header->e_phoff % 8 == 0 &&
        within(image, header->e_phoff, (uint64_t)header->e_phnum * sizeof *image->segments)) {
        image->segments = (const void *)(image->map + header->e_phoff);
        image->n_segments = header->e_phnum;
    }
    sections = (const void *)(image->map + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i];

        if (table->sh_link >= header->e_shnum)
            continue;
        if (table->sh_type == SHT_SYMTAB && read_symbols(image, table, &sections[table->sh_link]))
            return true;
        if (table->sh_type == SHT_DYNSYM)
            found |= read_symbols(image, table, &sections[table->sh_link]);
    }
    return found;
}

static const char *
symbol_name(const struct image *image, const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size &&
                   symbol->st_name < image->strings_size
               ? image->strings + symbol->st_name : "";
}

/* ------------------------------------------------------------------ who refers to whom */

#define MOST_REFERRERS 8
#define MOST_DEPTH 64

struct local {
    uintptr_t start;
    const Elf64_Sym *symbol;
    const Elf64_Sym *referrers[MOST_REFERRERS];     /* the first that refer to it */
    unsigned n_referrers;
    const struct local *asked_for;      /* see look_outwards() */
};

struct locals {
    struct local *all;                  /* ascending */
    size_t n;
};

static struct local *
find_local(const struct locals *locals, uintptr_t start)
{
    size_t low = 0, high = locals->n;

    if (high == 0 || start < locals->all[0].start || start > locals->all[high - 1].start)
        return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (locals->all[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return locals->all[low].start == start ? &locals->all[low] : NULL;
}

/* Do the bytes before AT begin an instruction that calls, jumps to or takes (lea) the address that
 * is given at AT as a distance?  Other numbers equal the distance to some start by chance. */
static bool
is_reference(const uint8_t *code, uint64_t at)
{
    if (at >= 3 && (code[at - 3] & 0xfb) == 0x48 && code[at - 2] == 0x8d)
        return (code[at - 1] & 0xc7) == 0x05;
    if (at >= 2 && code[at - 2] == 0x0f && (code[at - 1] & 0xf0) == 0x80)
        return true;
    return at >= 1 && (code[at - 1] == 0xe8 || code[at - 1] == 0xe9);
}

static void
add_referrer(struct local *local, const Elf64_Sym *symbol)
{
    for (unsigned i = 0; i < local->n_referrers; i++)
        if (local->referrers[i] == symbol)
            return;
    if (local->n_referrers < MOST_REFERRERS)
        local->referrers[local->n_referrers++] = symbol;
}

/* The code of SYMBOL in the file: what refers to the same section is as it will be in memory.  NULL:
 * it is not there, or more is asked for than functions that lie side by side can have. */
static const uint8_t *
code_of(struct image *image, const Elf64_Sym *symbol)
{
    for (size_t i = 0; i < image->n_segments; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        uint64_t at = symbol->st_value - segment->p_vaddr;

        if (segment->p_type != PT_LOAD || symbol->st_value < segment->p_vaddr ||
            at > segment->p_filesz || symbol->st_size > segment->p_filesz - at ||
            !within(image, segment->p_offset, segment->p_filesz))
            continue;
        image->examined += symbol->st_size;
        return image->examined <= 4 * image->size ? image->map + segment->p_offset + at : NULL;
    }
    return NULL;
}

/* Whose start the code of SYMBOL calls or takes. */
static void
note_references(struct image *image, const struct locals *locals, const Elf64_Sym *symbol)
{
    const uint8_t *code = code_of(image, symbol);
    uintptr_t start = image->bias + symbol->st_value;

    for (uint64_t i = 1; code && i + 4 <= symbol->st_size; i++) {
        struct local *local;
        int32_t distance;

        memcpy(&distance, code + i, sizeof distance);
        local = find_local(locals, start + i + 4 + (uintptr_t)(intptr_t)distance);
        if (local && local->symbol != symbol && is_reference(code, i))
            add_referrer(local, symbol);
    }
}

static long
number_of(const char *name)
{
    return strtol(name + strcspn(name, "0123456789"), NULL, 10);
}

/* Functions are numbered in the order in which ECL ends compiling them: the one that a local function
 * lies in is the next after it of those that refer to it.  Others do where gcc copied the outer
 * function into its caller, or made equal local functions one. */
static void
consider(const struct image *image, const struct local *asked_for, const Elf64_Sym *symbol,
         const Elf64_Sym **best)
{
    long number = number_of(symbol_name(image, symbol));

    if (number > number_of(symbol_name(image, asked_for->symbol)) &&
        (!*best || number < number_of(symbol_name(image, *best))))
        *best = symbol;
}

/* Ways outwards from LOCAL to functions that no local function refers to.  Local functions call each
 * other in circles: each is looked at once for ASKED_FOR. */
static void
look_outwards(const struct image *image, const struct locals *locals, struct local *local,
              const struct local *asked_for, unsigned depth, const Elf64_Sym **best)
{
    if (depth == MOST_DEPTH || local->asked_for == asked_for)
        return;
    local->asked_for = asked_for;
    for (unsigned i = 0; i < local->n_referrers; i++) {
        const Elf64_Sym *symbol = local->referrers[i];
        struct local *outer = find_local(locals, image->bias + symbol->st_value);

        if (outer)
            look_outwards(image, locals, outer, asked_for, depth + 1, best);
        else if (after_number(symbol_name(image, symbol), "L"))
            consider(image, asked_for, symbol, best);
        else if (local != asked_for && !is_lambda(symbol_name(image, local->symbol)))   /* a method */
            consider(image, asked_for, local->symbol, best);
    }
}

/* Where the function of its own starts that LOCAL lies in; 0: it is at top level, or that cannot be
 * told. */
static uintptr_t
outer_function(const struct image *image, const struct locals *locals, struct local *local)
{
    const Elf64_Sym *best = NULL;

    look_outwards(image, locals, local, local, 0, &best);
    return best ? image->bias + best->st_value : 0;
}

/* ------------------------------------------------------------------ names */

static int
by_start(const void *a, const void *b)
{
    const struct local *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static void
collect(struct image *image, struct locals *locals)
{
    for (size_t i = 0; i < image->n; i++) {
        const Elf64_Sym *symbol = &image->symbols[i];

        if (after_number(symbol_name(image, symbol), "LC"))
            locals->all[locals->n++] =
                (struct local){ .start = image->bias + symbol->st_value, .symbol = symbol };
    }
    qsort(locals->all, locals->n, sizeof *locals->all, by_start);
    for (size_t i = 0; locals->n && i < image->n; i++)
        if (symbol_name(image, &image->symbols[i])[0])
            note_references(image, locals, &image->symbols[i]);
}

static void
name_locals(struct image *image)
{
    struct locals locals = { calloc(image->n + 1, sizeof *locals.all), 0 };

    if (!locals.all)
        return;
    collect(image, &locals);
    for (size_t i = 0; i < locals.n; i++) {
        char room[192];
        struct mp_function_name name = { room, NULL, -1, MP_NAME_WEAK,
                                         outer_function(image, &locals, &locals.all[i]) };

        if (mp_lisp_local_name(symbol_name(image, locals.all[i].symbol), room, sizeof room))
            mp_name_tell(locals.all[i].start, &name);
    }
    free(locals.all);
}

/* Forms at top level are in functions named init_fas_... and, in a file made of several, _ecl.... */
static void
name_forms(const struct image *image, const char *path)
{
    const char *slash = strrchr(path, '/');
    char room[192];
    struct mp_function_name name = { room, NULL, -1, MP_NAME_WEAK, 0 };

    snprintf(room, sizeof room, "top-level forms of %s", slash ? slash + 1 : path);
    for (size_t i = 0; i < image->n; i++) {
        const char *c_name = symbol_name(image, &image->symbols[i]);

        if (strncmp(c_name, "init_fas_", 9) == 0 || strncmp(c_name, "init_lib_", 9) == 0 ||
            strncmp(c_name, "_ecl", 4) == 0)
            mp_name_tell(image->bias + image->symbols[i].st_value, &name);
    }
}

/* What gcc moved out of a function FOO, because it is hardly ever run, is called FOO.cold. */
static void
name_cold_parts(const struct image *image)
{
    struct mp_function_name name = { "", NULL, -1, MP_NAME_WEAK, 0 };

    for (size_t i = 0; i < image->n; i++) {
        const char *cold = symbol_name(image, &image->symbols[i]), *dot = strstr(cold, ".cold");

        if (!dot || dot[5] != '\0')
            continue;
        for (size_t k = 0; k < image->n; k++) {
            const char *whole = symbol_name(image, &image->symbols[k]);

            if (strncmp(whole, cold, (size_t)(dot - cold)) == 0 && !whole[dot - cold]) {
                name.outer = image->bias + image->symbols[k].st_value;
                mp_name_tell(image->bias + image->symbols[i].st_value, &name);
            }
        }
    }
}

/* Room for the file's bytes; MAP_FAILED if they cannot be had. */
static void *
read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    struct stat status;
    size_t done = 0;
    ssize_t got;

    if (fd < 0)
        return MAP_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < MOST_FILE)
        bytes = mmap(NULL, *size = (size_t)status.st_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* what is missing of it stays zero */
    while (bytes != MAP_FAILED && done < *size &&
           (got = pread(fd, (char *)bytes + done, *size - done, (off_t)done)) > 0)
        done += (size_t)got;
    close(fd);
    return bytes;
}

void
mp_lisp_name_file(const char *path, uintptr_t bias)
{
    struct image image = { .bias = bias };
    void *bytes = read_file(path, &image.size);

    if (bytes == MAP_FAILED)
        return;
    image.map = bytes;
    if (find_symbols(&image)) {
        name_locals(&image);
        name_forms(&image, path);
        name_cold_parts(&image);
    }
    munmap(bytes, image.size);
}

/* Only names that end so: other libraries have nothing for us, and some have very many symbols. */
static bool
is_module(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strstr(slash ? slash : path, ".fas");

    return dot != NULL;
}

void
mp_lisp_name_files(void)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (is_module(map->l_name))
            mp_lisp_name_file(map->l_name, map->l_addr);
}
