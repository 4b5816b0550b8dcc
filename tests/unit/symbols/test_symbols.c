#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/symbols_fixture.h"

/* --------------------------------------------------------------------------- names */

enum { SITES = 6 };             /* maximum number of sites of a case */

/* The names of the functions at labels of the programs. Sites with equal names are in the same function, because
 * symbolise_with() checks that names are unique. */
static const struct {
    const char *what;
    bool by_symbols;            /* the program is a copy without debug information */
    struct {
        const char *program, *site, *name;
    } sites[SITES];
} cases[] = {
    {"statics of one name have their file", false,
     {{C_PROGRAM, "site_init_one", "init@symbols_c.c"}, {C_PROGRAM, "site_init_two", "init@symbols_c_two.c"}}},
    {"functions of one name have their module", false,
     {{C_PROGRAM, "site_any", "make_any"}, {C_PROGRAM, "site_keep", "symbols_c!keep"},
      {TWIN_PROGRAM, "site_keep_twin", "symbols_twin!keep"}}},
    {"the public alias is shown", false, {{C_PROGRAM, "site_box", "make_box"}}},
    {"cold code is its function", false, {{C_PROGRAM, "site_cold", "check"}, {C_PROGRAM, "site_check", "check"}}},
    {"names of C++ are qualified", false,
     {{CXX_PROGRAM, "site_make", "shop::make<shop::Basket>"},
      {CXX_PROGRAM, "site_hide", "(anonymous namespace)::hide"}}},
    {"overloads show their parameters", false,
     {{CXX_PROGRAM, "site_add_int", "shop::Basket::add(int)"},
      {CXX_PROGRAM, "site_add_double", "shop::Basket::add(double)"}}},
    {"one of them alone does not", false, {{CXX_PROGRAM, "site_add_int", "shop::Basket::add"}}},
    {"symbols name what they cover", true,
     {{C_PROGRAM, "site_widget", "make_any"}, {C_PROGRAM, "site_init_one", "init@symbols_c.c"},
      {C_PROGRAM, "site_init_two", "init@symbols_c_two.c"}, {C_PROGRAM, "site_box", "make_box"},
      {C_PROGRAM, "site_cold", "check"}, {C_PROGRAM, "site_check", "check"}}},
};

TEST_EACH(sites_have_names, cases)
{
    uint32_t frames[SITES], n = 0;
    const char *path = NULL;

    begin_profile();
    for (; n < SITES && cases[_i].sites[n].site; n++) {
        const char *program = cases[_i].sites[n].program;

        if (n == 0 || strcmp(program, cases[_i].sites[n - 1].program) != 0) {
            path = program;
            if (cases[_i].by_symbols)
                shell("objcopy --remove-section='.debug_*' %s %s", program, path = in_folder("program"));
            add_file(path);
        }
        frames[n] = add_site(profile->n_modules - 1, program, cases[_i].sites[n].site);
    }
    symbolise();
    for (uint32_t i = 0; i < n; i++)
        ck_assert_msg(strcmp(name_of(frames[i], 0), cases[_i].sites[i].name) == 0, "%s: %s, not %s", cases[_i].what,
                      name_of(frames[i], 0), cases[_i].sites[i].name);
    ck_assert_str_eq(profile->modules[0].problem, "");
}

/* A function has the line at which it calls the next one. */
TEST(inlined_calls_are_expanded)
{
    static const char *const names[] = {"make_widget", "make_red", "make_any"};
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(profile->frames[frame].n_locations, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_str_eq(name_of(frame, i), names[i]);
        ck_assert_uint_eq(location(frame, i)->line, 101 + 100 * i);
        ck_assert_int_eq(location(frame, i)->inlined, i < 2);
        ck_assert_ptr_nonnull(strstr(location(frame, i)->file, "symbols_c.c"));
    }
}

TEST(a_function_has_its_module_and_start)
{
    uint32_t module, frame;
    const struct mp_function *function;

    begin_profile();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_any");
    symbolise();
    function = &profile->functions[location(frame, 0)->function];
    ck_assert_str_eq(function->text, "make_any");
    ck_assert_uint_eq(function->module, module);
    ck_assert_uint_eq(function->start, address_of(C_PROGRAM, "make_any"));
}

TEST(the_instruction_is_before_the_return_address)
{
    uint32_t module, call, exact;
    uint64_t start;

    begin_profile();
    module = add_file(C_PROGRAM);
    start = address_of(C_PROGRAM, "keep");
    exact = add_frame(module, start);
    profile->frames[exact].exact = true;
    call = add_frame(module, start);
    symbolise();
    ck_assert_str_eq(name_of(exact, 0), "keep");
    ck_assert_str_ne(name_of(call, 0), "keep");
}

TEST(a_file_loaded_twice_has_its_functions_once)
{
    uint32_t one, two;

    begin_profile();
    one = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    two = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    symbolise();
    ck_assert_uint_eq(location(one, 0)->function, location(two, 0)->function);
}

/* ------------------------------------------------------------------ without DWARF */

TEST(symbols_without_size_need_unwind_information)
{
    uint32_t module, bare, loose;
    uint64_t offset = address_of(C_PROGRAM, "site_loose") + 1;
    char expected[64];

    snprintf(expected, sizeof expected, "symbols_c+0x%llx", (unsigned long long)offset);
    begin_profile();
    module = add_file(C_PROGRAM);
    bare = add_site(module, C_PROGRAM, "site_bare");
    loose = add_frame(module, offset);
    symbolise();
    ck_assert_str_eq(name_of(bare, 0), "bare");
    ck_assert_str_eq(name_of(loose, 0), expected);
}

TEST(a_stripped_function_is_its_start)
{
    uint32_t module, one, two, other;
    const char *path = in_folder("program");
    uint64_t start = address_of(C_PROGRAM, "make_any");
    char expected[64];

    shell("objcopy --strip-all %s %s", C_PROGRAM, path);
    snprintf(expected, sizeof expected, "program+0x%llx", (unsigned long long)start);
    begin_profile();
    module = add_file(path);
    one = add_site(module, C_PROGRAM, "site_widget");
    two = add_site(module, C_PROGRAM, "site_any");
    other = add_site(module, C_PROGRAM, "site_keep");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), expected);
    ck_assert_uint_eq(location(one, 0)->function, location(two, 0)->function);
    ck_assert_uint_ne(location(one, 0)->function, location(other, 0)->function);
    ck_assert_uint_eq(profile->functions[location(one, 0)->function].start, start);
    ck_assert_str_eq(profile->modules[module].problem, "no symbols");
}

/* A debug file beside the program is read if it belongs to that program. */
TEST(debug_files)
{
    for (int strange = 0; strange < 2; strange++) {
        const char *path = in_folder("program"), *debug = in_folder("program.debug");
        uint32_t frame;

        shell("objcopy --only-keep-debug %s %s", C_PROGRAM, debug);
        shell("cd %s && objcopy --strip-all --add-gnu-debuglink=program.debug %s %s", folder(), C_PROGRAM, path);
        if (strange)
            shell("objcopy --only-keep-debug %s %s", TWIN_PROGRAM, debug);
        begin_profile();
        frame = add_site(add_file(path), C_PROGRAM, "site_widget");
        symbolise();
        if (strange) {
            ck_assert_int_eq(strncmp(name_of(frame, 0), "program+0x", 10), 0);
        } else {
            ck_assert_str_eq(name_of(frame, 0), "make_widget");
            ck_assert_uint_eq(location(frame, 0)->line, 101);
        }
    }
}

/* ------------------------------------------------------------------- outside of modules */

TEST(marks_have_their_names)
{
    static const char *const expected[] = { "[cut: depth]", "[cut: no unwind information]",
                                            "[cut: no memory]" };

    begin_profile();
    for (uint32_t mark = MP_FRAME_CUT_DEPTH; mark <= MP_FRAME_LAST_MARK; mark++)
        profile->frames[add_frame(MP_NO_ID, 0)].mark = mark;
    symbolise();
    for (uint32_t i = 0; i < MP_FRAME_LAST_MARK; i++)
        ck_assert_str_eq(name_of(i, 0), expected[i]);
    ck_assert_uint_eq(profile->functions[0].module, MP_NO_ID);
}

TEST(generated_code_is_its_address)
{
    uint32_t one, two;

    begin_profile();
    one = add_frame(MP_NO_ID, UINT64_C(0x7f1234567890));
    two = add_frame(MP_NO_ID, UINT64_C(0x7f1234567891));
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "0x7f1234567890");
    ck_assert_uint_ne(location(one, 0)->function, location(two, 0)->function);
}

static uint64_t progress_calls, progress_done;

static void
note_progress(uint64_t done, uint64_t total)
{
    ck_assert_uint_le(done, total);
    ck_assert_uint_ge(done, progress_done);
    progress_done = done;
    progress_calls++;
}

TEST(progress_is_reported_for_each_module)
{
    uint32_t module;

    begin_profile();
    module = add_file(C_PROGRAM);
    add_site(module, C_PROGRAM, "site_any");
    add_site(module, C_PROGRAM, "site_box");
    add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    symbolise_with(&(struct mp_symbol_options){ .progress = note_progress });
    ck_assert_uint_eq(progress_calls, 3);
    ck_assert_uint_eq(progress_done, 3);
}

TEST(symbolised_profiles_stay_as_they_are)
{
    begin_profile();
    add_frame(MP_NO_ID, 1);
    symbolise();
    profile->n_functions = 77;
    ck_assert(mp_symbolise(profile, &(struct mp_symbol_options){ 0 }, NULL));
    ck_assert_uint_eq(profile->n_functions, 77);
}

TEST(files_that_stay_open_name_another_profile)
{
    uint32_t frame;

    mp_symbols_keep_files(true);
    for (int i = 0; i < 3; i++) {
        begin_profile();
        if (i > 0)
            add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
        frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
        symbolise();
        ck_assert_uint_eq(profile->frames[frame].n_locations, 3);
        ck_assert_str_eq(name_of(frame, 0), "make_widget");
        ck_assert_str_eq(name_of(frame, 2), "make_any");
        ck_assert_uint_eq(profile->functions[location(frame, 2)->function].module, i > 0 ? 1 : 0);
        if (i == 1) {                   /* the kept file is not used for another build-id with the same path */
            begin_profile();
            frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
            profile->modules[0].build_id[0] ^= 1;
            symbolise();
            ck_assert_ptr_nonnull(strstr(profile->modules[0].problem, "changed"));
        }
    }
    mp_symbols_keep_files(false);
}
/* SPDX-License-Identifier: MIT */
