/*
 * many_modules.c -- thousands of plug-ins, one after the other, at one address.
 *
 *     many_modules PLUG-A PLUG-B COPIES FILE
 *
 * COPIES times, writes PLUG-A to FILE with a different build-id, so that it is a different module, loads it, has it
 * allocate a block, and unloads it. Then loads PLUG-B, which allocates 10 blocks of 60 bytes and stays loaded. Prints
 * whether PLUG-B was loaded where the copies had been, and the numbers.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "program.h"

#define BLOCKS 10

static void
give_up(const char *why)
{
    say("%s\n", why);
    _exit(3);
}

/* Returns the content of the file at PATH. */
static char *
read_all(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY);
    struct stat status;
    char *bytes;

    if (fd < 0 || fstat(fd, &status) != 0)
        give_up(path);
    *size = (size_t)status.st_size;
    bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        give_up("mmap");
    return bytes;
}

/* Returns the address of the build-id in the ELF file BYTES. */
static char *
build_id(char *bytes)
{
    const ElfW(Ehdr) *header = (void *)bytes;
    const ElfW(Phdr) *segments = (void *)(bytes + header->e_phoff);

    for (unsigned i = 0; i < header->e_phnum; i++) {
        char *at = bytes + segments[i].p_offset, *end = at + segments[i].p_filesz;

        while (segments[i].p_type == PT_NOTE && end - at >= (long)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (void *)at;
            char *content = at + sizeof *note + ((note->n_namesz + 3) & ~3u);

            if (note->n_type == NT_GNU_BUILD_ID)
                return content;
            at = content + ((note->n_descsz + 3) & ~3u);
        }
    }
    give_up("the plug-in has no build-id");
    return NULL;
}

static void
write_all(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        give_up(path);
    close(fd);
}

typedef void *(*run_function)(size_t);

static run_function
load(const char *path, void **handle)
{
    run_function run;

    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle == NULL)
        give_up(dlerror());
    *(void **)&run = dlsym(*handle, "plug_run");
    return run;
}

int
main(int argc, char **argv)
{
    long copies = number_or(argc > 3 ? argv[3] : NULL, 100);
    run_function run, copy = NULL;
    char *bytes, *id;
    void *handle;
    size_t size;

    if (argc < 5)
        return 2;
    bytes = read_all(argv[1], &size);
    id = build_id(bytes);
    for (long i = 0; i < copies; i++) {
        memcpy(id, &i, sizeof i);
        write_all(argv[4], bytes, size);
        copy = load(argv[4], &handle);
        free(copy(40));
        dlclose(handle);
    }
    run = load(argv[2], &handle);
    for (int i = 0; i < BLOCKS; i++)
        run(60);
    say("same-address %d\ncopies %ld\nbravo %d %d\n", run == copy, copies, BLOCKS, BLOCKS * 60);
    return 0;
}
/* SPDX-License-Identifier: MIT */
