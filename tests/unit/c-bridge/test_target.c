#include "tests/unit/tap.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "c-bridge/target.h"
#include "reporter/base/open_file.h"
#include "reporter/run/preloadable.h"
#include "runtime/system/sys.h"

/* These functions replace the monitor's system calls of the same names. */
long
mp_sys_open_regular(const char *path, int flags)
{
    return mp_open_at(AT_FDCWD, path, flags);
}

long
mp_sys_fstat(int fd, struct stat *status)
{
    return fstat(fd, status);
}

static char folder[] = "/tmp/mprof-target-XXXXXX";

/* The parts of a dynamic program that the kernel and the dynamic linker read first. */
struct program {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    Elf64_Dyn dynamic[4];
    char strings[64];
    char interpreter[64];
};

#define ADDRESS 0x400000

static Elf64_Phdr
segment(uint32_t type, size_t offset, size_t size)
{
    return (Elf64_Phdr){.p_type = type, .p_offset = offset, .p_vaddr = ADDRESS + offset,
                        .p_filesz = size, .p_memsz = size};
}

/* Returns a program that needs LIBRARY in addition to libc. */
static struct program
make_program(const char *library)
{
    struct program p = {.interpreter = "/lib64/ld-linux-x86-64.so.2"};
    int fd = open("/proc/self/exe", O_RDONLY);

    ck_assert(fd >= 0 && read(fd, &p.header, sizeof p.header) == sizeof p.header);
    close(fd);
    p.header.e_phoff = offsetof(struct program, segments);
    p.header.e_phnum = 3;
    p.segments[0] = segment(PT_INTERP, offsetof(struct program, interpreter), 64);
    p.segments[1] = segment(PT_LOAD, 0, sizeof p);
    p.segments[2] = segment(PT_DYNAMIC, offsetof(struct program, dynamic), sizeof p.dynamic);
    p.dynamic[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un = {.d_val = 1}};
    p.dynamic[1] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un = {.d_val = 11}};
    p.dynamic[2] = (Elf64_Dyn){.d_tag = DT_STRTAB,
                               .d_un = {.d_ptr = ADDRESS + offsetof(struct program, strings)}};
    memcpy(p.strings + 1, "libc.so.6", 10);
    snprintf(p.strings + 11, sizeof p.strings - 11, "%s", library);
    return p;
}

static const char *
make_file(const char *name, const void *bytes, size_t size)
{
    static char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    return path;
}

/* Returns whether the program in the descriptor that OPENED returned can be preloaded. */
static bool
opened_takes_us(int opened)
{
    const bool result = mp_target_takes_us(opened);

    if (opened >= 0)
        ck_assert_int_eq(close(opened), 0);
    return result;
}

/* Returns whether the program in BYTES can be preloaded. Fails the test if the three ways to open it give different
 * answers. */
static bool
takes_us(const void *bytes, size_t size)
{
    const char *path = make_file("program", bytes, size);
    bool result = opened_takes_us(mp_target_open(path));
    int fd = open(path, O_RDONLY);

    ck_assert(opened_takes_us(mp_target_copy(fd)) == result);
    ck_assert_int_eq(fcntl(fd, F_GETFD), 0);    /* FD is still open */
    close(fd);
    ck_assert(opened_takes_us(mp_target_find(path)) == result);
    setenv("PATH", "/no/such/folder:/tmp", 1);
    ck_assert(opened_takes_us(mp_target_find(strrchr(path, '/') + 1)));
    setenv("PATH", folder, 1);
    ck_assert(opened_takes_us(mp_target_find(strrchr(path, '/') + 1)) == result);
    return result;
}

/* Checks that mprof run refuses program P with a reason that contains WHY, or accepts P if WHY is NULL. */
static void
assert_told(const struct program *p, const char *why)
{
    const char *path = make_file("program", p, sizeof *p);
    struct mp_error error;

    ck_assert(takes_us(p, sizeof *p) == !why);
    if (mp_program_check(path, &error))
        ck_assert_ptr_null(why);
    else
        ck_assert(why && strstr(error.text, why));
}

/* The dynamic linker preloads nothing into a static program or one with another user's rights. */
TEST(programs_that_preload_nothing)
{
    struct program p = make_program("libm.so.6");
    const char *path = make_file("program", &p, sizeof p);
    int fd = open(path, O_RDONLY);

    ck_assert(mp_target_loads_us(fd) && mp_target_loads_us(-1));
    ck_assert_int_eq(chmod(path, 04755), 0);
    ck_assert(!mp_target_loads_us(fd));
    close(fd);
    for (size_t i = 0; i < sizeof p.segments / sizeof *p.segments; i++)
        if (p.segments[i].p_type == PT_INTERP)
            p.segments[i].p_type = PT_NULL;
    fd = open(make_file("program", &p, sizeof p), O_RDONLY);
    ck_assert(!mp_target_loads_us(fd));
    close(fd);
}

TEST(a_plain_program_does)
{
    struct program p = make_program("libm.so.6");

    assert_told(&p, NULL);
    ck_assert(opened_takes_us(mp_target_open("/bin/sh")));
}

TEST(one_with_a_sanitizer_does_not)
{
    static const char *const libraries[] = {"libasan.so.8", "libtsan.so.2", "libhwasan.so.0",
                                            "libclang_rt.asan-x86_64.so"};

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct program p = make_program(libraries[i]);

        assert_told(&p, libraries[i]);
    }
}

TEST(one_for_another_libc_does_not)
{
    struct program p = make_program("libm.so.6");

    strcpy(p.interpreter, "/lib/ld-musl-x86_64.so.1");
    assert_told(&p, "is a program for musl");
}

TEST(one_of_another_word_size_or_machine_does_not)
{
    struct program p = make_program("libm.so.6");

    p.header.e_machine = EM_S390;
    assert_told(&p, "another kind of machine");
    p = make_program("libm.so.6");
    p.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_told(&p, "is a 32-bit program");
}

TEST(scripts_are_their_interpreters)
{
    struct program p = make_program("libasan.so.8");
    char text[PATH_MAX + 8];

    snprintf(text, sizeof text, "#! %s -x\n", make_file("asan", &p, sizeof p));
    ck_assert(!takes_us(text, strlen(text)));
    snprintf(text, sizeof text, "#!%s", make_file("script", text, strlen(text)));
    ck_assert(!takes_us(text, strlen(text)));
    ck_assert(takes_us("#!/bin/sh\n", 10));
    ck_assert(takes_us("#!", 2));
    ck_assert(takes_us("echo\n", 5));
}

TEST(a_script_of_itself_ends)
{
    char text[PATH_MAX + 8];
    int n = snprintf(text, sizeof text, "#!%s/program\n", folder);

    ck_assert(takes_us(text, (size_t)n));
}

TEST(what_cannot_be_read_does)
{
    struct program p = make_program("libasan.so.8");

    for (size_t size = 0; size < sizeof p.header; size += 7)
        ck_assert(takes_us(&p, size));
    p.header.e_phoff = UINT64_MAX - 8;
    ck_assert(takes_us(&p, sizeof p));
    p = make_program("libasan.so.8");
    p.segments[2].p_offset = INT64_MAX - 2;
    ck_assert(takes_us(&p, sizeof p));
    p = make_program("libasan.so.8");
    p.dynamic[2].d_un.d_ptr = ADDRESS - 1;
    ck_assert(takes_us(&p, sizeof p));
    p.dynamic[1].d_un.d_val = UINT64_MAX;
    ck_assert(takes_us(&p, sizeof p));
    errno = EDOM;
    ck_assert(opened_takes_us(mp_target_open("/no/such/program")));
    ck_assert(opened_takes_us(mp_target_open(folder)));
    ck_assert(opened_takes_us(mp_target_copy(-1)));
    ck_assert(opened_takes_us(mp_target_find("")));
    ck_assert_int_eq(errno, EDOM);
}

static unsigned n_reads;

/* Replaces libc's function. Counts the reads, which are the cost of examining a program. */
ssize_t
pread(int fd, void *to, size_t size, off_t offset)
{
    n_reads++;
    return syscall(SYS_pread64, fd, to, size, offset);
}

/* Each segment is a dynamic section that refers to many tables, and no segment contains these tables. */
TEST(a_hostile_program_takes_few_reads)
{
    static struct {
        Elf64_Ehdr header;
        Elf64_Phdr segments[1000];
        Elf64_Dyn dynamic[300];
    } many;
    const char *path;

    many.header = make_program("").header;
    many.header.e_phnum = 1000;
    many.header.e_phoff = sizeof many.header;
    for (size_t i = 0; i < 1000; i++)
        many.segments[i] = segment(PT_DYNAMIC, sizeof many.header + sizeof many.segments, sizeof many.dynamic);
    for (size_t i = 0; i < 300; i++)
        many.dynamic[i] = (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un = {.d_ptr = 1}};
    path = make_file("many", &many, sizeof many);
    n_reads = 0;
    ck_assert(opened_takes_us(mp_target_open(path)));
    ck_assert_uint_gt(n_reads, 0);
    ck_assert_uint_lt(n_reads, 1000);
}

TEST(a_pipe_is_not_waited_for)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(path, 0700), 0);
    ck_assert(opened_takes_us(mp_target_open(path)));
    unlink(path);
}

int
main(void)
{
    int result;

    if (!mkdtemp(folder))
        return 99;
    result = tap_run();
    for (const char *const *name = (const char *const[]){"program", "asan", "script", NULL}; *name;
         name++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", folder, *name);
        unlink(path);
    }
    rmdir(folder);
    return result;
}
/* SPDX-License-Identifier: MIT */
