#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/symbols_fixture.h"

/* ---------------------------------------------------------------------- which file */

TIMEOUT(120)

TEST(missing_files_are_said)
{
    uint32_t gone, vdso, unknown, frame, last;

    begin_profile();
    gone = add_module("/nowhere/libgone.so");
    vdso = add_module("linux-vdso.so.1");
    unknown = add_module("");
    frame = add_frame(gone, 0x1234);
    add_frame(vdso, 0x10);
    last = add_frame(unknown, 0x20);
    symbolise();
    ck_assert_str_eq(profile->modules[gone].problem, "missing");
    ck_assert_str_eq(profile->modules[vdso].problem, "missing");
    ck_assert_str_eq(profile->modules[unknown].problem, "missing");
    ck_assert_str_eq(name_of(frame, 0), "libgone.so+0x1234");
    ck_assert_str_eq(name_of(last, 0), "?+0x20");
}

TEST(a_changed_file_gives_no_names)
{
    uint32_t module, frame;
    const char *problem;

    begin_profile();
    module = add_file(C_PROGRAM);
    record_build_id(&profile->modules[module], TWIN_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    problem = profile->modules[module].problem;
    ck_assert_msg(strncmp(problem, "changed (build-id ", 18) == 0, "%s", problem);
    ck_assert_ptr_nonnull(strstr(problem, ".., recorded "));
    ck_assert_int_eq(strncmp(name_of(frame, 0), "symbols_c+0x", 12), 0);
}

TEST(without_build_id_the_code_must_fit)
{
    uint32_t module, frame;

    begin_profile();
    module = add_module(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_str_eq(name_of(frame, 0), "make_any");
    begin_profile();
    module = add_module(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    add_frame(module, 0x7000000);
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "changed (no code where it was recorded)");
    ck_assert_str_ne(name_of(frame, 0), "make_any");
}

TEST(another_path_of_the_program_can_be_given)
{
    uint32_t module, frame;

    begin_profile();
    profile->meta.program = "/gone/symbols_c";
    module = add_module("/gone/symbols_c");
    record_build_id(&profile->modules[module], C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    mp_symbols_add_file(C_PROGRAM);
    symbolise();
    ck_assert(mp_symbols_check(&(struct mp_error){0}));
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_str_eq(name_of(frame, 0), "make_any");
}

TEST(what_is_no_file_is_not_opened)
{
    uint32_t device, pipe, folder_module;
    const char *path = in_folder("pipe");

    shell("mkfifo %s", path);
    begin_profile();
    device = add_module("/dev/zero");
    pipe = add_module(path);
    folder_module = add_module("/tmp");
    add_frame(device, 1);
    add_frame(pipe, 1);
    add_frame(folder_module, 1);
    symbolise();
    ck_assert_str_eq(profile->modules[device].problem, "not a file");
    ck_assert_str_eq(profile->modules[pipe].problem, "not a file");
    ck_assert_str_eq(profile->modules[folder_module].problem, "not a file");
}

TEST(modules_without_frames_are_left_alone)
{
    uint32_t module;

    begin_profile();
    module = add_module("/nowhere/unused.so");
    symbolise();
    ck_assert_str_eq(profile->modules[module].problem, "");
    ck_assert_uint_eq(profile->n_functions, 0);
}

/* ------------------------------------------------------------------------- damage */

/* Symbolises a copy of the program, whose SIZE BYTES are changed in the LENGTH bytes from PLACE on, or that ends at
 * PLACE if LENGTH is 0. The names do not matter, but nothing may crash or hang. */
static void
symbolise_damaged(const unsigned char *bytes, size_t size, size_t place, size_t length)
{
    const char *path = in_folder("program");
    unsigned char *copy = malloc(size);
    FILE *file = fopen(path, "wb");
    uint32_t module, frame;

    memcpy(copy, bytes, size);
    for (size_t i = place; i < place + length && i < size; i++)
        copy[i] = (unsigned char)(copy[i] * 73 + i * 29 + 7);
    fwrite(copy, 1, length == 0 ? place : size, file);
    fclose(file);
    free(copy);
    begin_profile();
    profile->meta.program = path;
    module = add_module(path);
    frame = add_site(module, C_PROGRAM, "site_widget");
    add_site(module, C_PROGRAM, "site_init_one");
    add_site(module, C_PROGRAM, "site_cold");
    add_allocation(frame, MP_NO_ID, 204);
    symbolise();
}

TEST(damaged_files_do_no_harm)
{
    static unsigned char bytes[1u << 20];
    FILE *file = fopen(C_PROGRAM, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);

    fclose(file);
    ck_assert_uint_gt(size, 4096);
    for (size_t place = 0; place < size; place += size / 61)
        symbolise_damaged(bytes, size, place, 0);
    for (size_t place = 0; place < size; place += size / 149)
        symbolise_damaged(bytes, size, place, 3);
    for (size_t place = 0; place < size; place += size / 31)
        symbolise_damaged(bytes, size, place, 600);
}
/* SPDX-License-Identifier: MIT */
