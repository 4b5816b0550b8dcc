#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/symbols_fixture.h"

/* --------------------------------------------------------------------------- DWARF */

TEST(inlined_calls_are_expanded)
{
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(profile->frames[frame].n_locations, 3);
    ck_assert_str_eq(name_of(frame, 0), "make_widget");
    ck_assert_str_eq(name_of(frame, 1), "make_red");
    ck_assert_str_eq(name_of(frame, 2), "make_any");
    ck_assert(location(frame, 0)->inlined);
    ck_assert(location(frame, 1)->inlined);
    ck_assert(!location(frame, 2)->inlined);
    end_profile();
}

TEST(lines_are_those_of_the_calls)
{
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(location(frame, 0)->line, 101);
    ck_assert_uint_eq(location(frame, 1)->line, 201);
    ck_assert_uint_eq(location(frame, 2)->line, 301);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(strstr(location(frame, i)->file, "symbols_c.c"));
    end_profile();
}

TEST(inlined_calls_can_be_left_folded)
{
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise_with(&(struct mp_symbol_options){ .inlines = false });
    ck_assert_uint_eq(profile->frames[frame].n_locations, 1);
    ck_assert_str_eq(name_of(frame, 0), "make_any");
    ck_assert_uint_eq(location(frame, 0)->line, 301);
    ck_assert(!location(frame, 0)->inlined);
    end_profile();
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
    ck_assert_str_eq(function->name, "make_any");
    ck_assert_uint_eq(function->module, module);
    ck_assert_uint_eq(function->start, address_of(C_PROGRAM, "make_any"));
    end_profile();
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
    end_profile();
}

TEST(statics_of_one_name_have_their_file)
{
    uint32_t module, one, two;

    begin_profile();
    module = add_file(C_PROGRAM);
    one = add_site(module, C_PROGRAM, "site_init_one");
    two = add_site(module, C_PROGRAM, "site_init_two");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "init@symbols_c.c");
    ck_assert_str_eq(name_of(two, 0), "init@symbols_c_two.c");
    end_profile();
}

TEST(functions_of_one_name_have_their_module)
{
    uint32_t one, two, alone;

    begin_profile();
    one = add_file(C_PROGRAM);
    alone = add_site(one, C_PROGRAM, "site_any");
    one = add_site(one, C_PROGRAM, "site_keep");
    two = add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "symbols_c!keep");
    ck_assert_str_eq(name_of(two, 0), "symbols_twin!keep");
    ck_assert_str_eq(name_of(alone, 0), "make_any");
    end_profile();
}

TEST(a_file_loaded_twice_has_its_functions_once)
{
    uint32_t one, two;

    begin_profile();
    one = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    two = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_any");
    symbolise();
    ck_assert_uint_eq(location(one, 0)->function, location(two, 0)->function);
    end_profile();
}

TEST(the_public_alias_is_shown)
{
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_box");
    symbolise();
    ck_assert_str_eq(name_of(frame, 0), "make_box");
    end_profile();
}

TEST(cold_code_is_its_function)
{
    uint32_t module, cold, hot;

    begin_profile();
    module = add_file(C_PROGRAM);
    cold = add_site(module, C_PROGRAM, "site_cold");
    hot = add_site(module, C_PROGRAM, "site_check");
    symbolise();
    ck_assert_str_eq(name_of(cold, 0), "check");
    ck_assert_uint_eq(location(cold, 0)->function, location(hot, 0)->function);
    end_profile();
}

TEST(cxx_names_are_qualified)
{
    uint32_t module, make, hide;

    begin_profile();
    module = add_file(CXX_PROGRAM);
    make = add_site(module, CXX_PROGRAM, "site_make");
    hide = add_site(module, CXX_PROGRAM, "site_hide");
    symbolise();
    ck_assert_str_eq(name_of(make, 0), "shop::make<shop::Basket>");
    ck_assert_str_eq(name_of(hide, 0), "(anonymous namespace)::hide");
    end_profile();
}

TEST(overloads_show_their_parameters)
{
    uint32_t module, one, two;

    begin_profile();
    module = add_file(CXX_PROGRAM);
    one = add_site(module, CXX_PROGRAM, "site_add_int");
    two = add_site(module, CXX_PROGRAM, "site_add_double");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "shop::Basket::add(int)");
    ck_assert_str_eq(name_of(two, 0), "shop::Basket::add(double)");
    end_profile();
    begin_profile();
    one = add_site(add_file(CXX_PROGRAM), CXX_PROGRAM, "site_add_int");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "shop::Basket::add");
    end_profile();
}

/* ------------------------------------------------------------------ without DWARF */

TEST(symbols_name_what_they_cover)
{
    uint32_t module, any, one, two, box, cold, hot;
    const char *path = in_folder("program");

    shell("objcopy --remove-section='.debug_*' %s %s", C_PROGRAM, path);
    begin_profile();
    module = add_file(path);
    any = add_site(module, C_PROGRAM, "site_widget");
    one = add_site(module, C_PROGRAM, "site_init_one");
    two = add_site(module, C_PROGRAM, "site_init_two");
    box = add_site(module, C_PROGRAM, "site_box");
    cold = add_site(module, C_PROGRAM, "site_cold");
    hot = add_site(module, C_PROGRAM, "site_check");
    symbolise();
    ck_assert_str_eq(name_of(any, 0), "make_any");
    ck_assert_str_eq(name_of(one, 0), "init@symbols_c.c");
    ck_assert_str_eq(name_of(two, 0), "init@symbols_c_two.c");
    ck_assert_str_eq(name_of(box, 0), "make_box");
    ck_assert_str_eq(name_of(cold, 0), "check");
    ck_assert_uint_eq(location(cold, 0)->function, location(hot, 0)->function);
    ck_assert_str_eq(profile->modules[module].problem, "");
    end_profile();
    remove_folder();
}

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
    end_profile();
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
    end_profile();
    remove_folder();
}

TEST(a_debug_file_is_found_beside)
{
    uint32_t frame;
    const char *path = in_folder("program"), *debug = in_folder("program.debug");

    shell("objcopy --only-keep-debug %s %s", C_PROGRAM, debug);
    shell("cd %s && objcopy --strip-all --add-gnu-debuglink=program.debug %s %s", folder,
          C_PROGRAM, path);
    begin_profile();
    frame = add_site(add_file(path), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_str_eq(name_of(frame, 0), "make_widget");
    ck_assert_uint_eq(location(frame, 0)->line, 101);
    end_profile();
    remove_folder();
}

TEST(a_strangers_debug_file_is_refused)
{
    uint32_t frame;
    const char *path = in_folder("program"), *debug = in_folder("program.debug");

    shell("objcopy --only-keep-debug %s %s", C_PROGRAM, debug);
    shell("cd %s && objcopy --strip-all --add-gnu-debuglink=program.debug %s %s", folder,
          C_PROGRAM, path);
    shell("objcopy --only-keep-debug %s %s", TWIN_PROGRAM, debug);
    begin_profile();
    frame = add_site(add_file(path), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_int_eq(strncmp(name_of(frame, 0), "program+0x", 10), 0);
    end_profile();
    remove_folder();
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
    end_profile();
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
    end_profile();
}

static uint32_t progress_calls, progress_done;

static void
note_progress(const char *what, uint32_t done, uint32_t total)
{
    ck_assert_ptr_nonnull(what);
    ck_assert_uint_le(done, total);
    ck_assert_uint_ge(done, progress_done);
    progress_done = done;
    progress_calls++;
}

TEST(progress_is_told_for_each_module)
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
    end_profile();
}

TEST(symbolised_profiles_stay_as_they_are)
{
    begin_profile();
    add_frame(MP_NO_ID, 1);
    symbolise();
    profile->n_functions = 77;
    ck_assert(mp_symbolise(profile, &(struct mp_symbol_options){ 0 }, NULL));
    ck_assert_uint_eq(profile->n_functions, 77);
    end_profile();
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
        if (i == 1) {                   /* the same path, another file: not what was kept */
            end_profile();
            begin_profile();
            frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
            profile->modules[0].build_id[0] ^= 1;
            symbolise();
            ck_assert_ptr_nonnull(strstr(profile->modules[0].problem, "changed"));
        }
        end_profile();
    }
    mp_symbols_keep_files(false);
}
