#include "tests/unit/tap.h"

#include "tests/unit/symbols_fixture.h"

/* --------------------------------------------------------------------------- types */

static const char *
type_of(uint32_t size, uint32_t index)
{
    return index < profile->bins[size].n_types
               ? profile->types[profile->bins[size].first_type + index] : "(none)";
}

TEST(mentioned_types_come_first)
{
    uint32_t module, frame;

    begin_profile();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_widget");
    add_allocation(frame, MP_NO_ID, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "widget");
    ck_assert_str_eq(type_of(204, 1), "aardvark");
    ck_assert_uint_eq(profile->bins[204].n_types, 2);
    end_profile();
}

/* The types of C_PROGRAM are its own, those of TWIN_PROGRAM a library's. */
TEST(a_librarys_types_are_shown_if_mentioned)
{
    uint32_t library, keep, dig_out;

    begin_profile();
    add_site(add_file(C_PROGRAM), C_PROGRAM, "site_keep");
    library = add_file(TWIN_PROGRAM);
    keep = add_site(library, TWIN_PROGRAM, "site_keep_twin");
    dig_out = add_site(library, TWIN_PROGRAM, "site_dig_out");
    add_allocation(keep, dig_out, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "badger");
    ck_assert_uint_eq(profile->bins[204].n_types, 1);
    end_profile();
}

/* Nor are the program's, where it allocates nothing of the size; behind a library it does. */
TEST(a_librarys_other_types_are_not)
{
    uint32_t program, keep, keep_twin;

    for (int called = 0; called < 2; called++) {
        begin_profile();
        program = add_file(C_PROGRAM);
        keep = add_site(program, C_PROGRAM, "site_keep");
        keep_twin = add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
        add_allocation(keep_twin, called ? keep : MP_NO_ID, 204);
        symbolise();
        ck_assert_str_eq(type_of(204, 0), called ? "aardvark" : "(none)");
        ck_assert_str_eq(type_of(204, 1), called ? "widget" : "(none)");
        end_profile();
    }
}

/* ALLOCS blocks of 204 bytes, where there was one. */
static void
more_blocks(uint64_t allocs)
{
    profile->cells[profile->n_cells - 1].counts.allocs = allocs;
    profile->bins[204].allocs += allocs - 1;
}

/* What a library mentions names a bin of which it has one block in ten, not one in eleven. */
TEST(a_few_blocks_do_not_name_a_bin)
{
    for (uint64_t others = 9; others <= 10; others++) {
        uint32_t library, keep, dig_out, widget;

        begin_profile();
        widget = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
        library = add_file(TWIN_PROGRAM);
        keep = add_site(library, TWIN_PROGRAM, "site_keep_twin");
        dig_out = add_site(library, TWIN_PROGRAM, "site_dig_out");
        add_allocation(keep, dig_out, 204);
        add_allocation(widget, MP_NO_ID, 204);
        more_blocks(others);
        symbolise();
        ck_assert_str_eq(type_of(204, 0), "widget");
        ck_assert_str_eq(type_of(204, 1), others == 9 ? "badger" : "aardvark");
        end_profile();
    }
}

/* Of blocks of several sizes only the least and the largest are known. */
TEST(sizes_between_are_not_guessed)
{
    for (uint32_t least = 203; least <= 204; least++) {
        uint32_t widget;

        begin_profile();
        widget = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
        add_allocation(widget, MP_NO_ID, 204);
        profile->cells[0].size_min = least;
        profile->cells[0].size_max = 205;
        symbolise();
        ck_assert_str_eq(type_of(204, 0), least == 204 ? "widget" : "(none)");
        end_profile();
    }
}

TEST(the_caller_of_an_allocator_counts_too)
{
    uint32_t module, site, caller;

    begin_profile();
    module = add_file(C_PROGRAM);
    site = add_site(module, C_PROGRAM, "site_check");
    caller = add_site(module, C_PROGRAM, "site_widget");
    add_allocation(site, caller, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "widget");
    end_profile();
}

/* A library that calls the program, as libc calls main, does not name the program's blocks. It names its own. */
TEST(a_library_that_calls_the_program_names_nothing)
{
    for (int own = 0; own < 2; own++) {
        uint32_t check, library, dig_out, keep;

        begin_profile();
        check = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_check");
        library = add_file(TWIN_PROGRAM);
        dig_out = add_site(library, TWIN_PROGRAM, "site_dig_out");
        keep = add_site(library, TWIN_PROGRAM, "site_keep_twin");
        add_allocation(own ? keep : check, dig_out, 204);
        symbolise();
        ck_assert_str_eq(type_of(204, 0), own ? "badger" : "aardvark");
        ck_assert_uint_eq(profile->bins[204].n_types, own ? 1 : 2);
        end_profile();
    }
}

/* Who calls xmalloc() allocates, and not the file that xmalloc() is in. */
TEST(wrappers_do_not_allocate)
{
    uint32_t xmalloc, dig_out;

    begin_profile();
    xmalloc = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_xmalloc");
    dig_out = add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_dig_out");
    add_allocation(xmalloc, dig_out, 204);
    symbolise();
    ck_assert_str_eq(type_of(204, 0), "badger");
    ck_assert_uint_eq(profile->bins[204].n_types, 1);
    end_profile();
}

TEST(typedefs_of_structs_and_arrays_are_types)
{
    uint32_t module, frame;

    begin_profile();
    module = add_file(C_PROGRAM);
    frame = add_site(module, C_PROGRAM, "site_keep");
    add_allocation(frame, MP_NO_ID, 48);
    add_allocation(frame, MP_NO_ID, 408);
    symbolise();
    ck_assert_str_eq(type_of(48, 0), "gadget");
    ck_assert_str_eq(type_of(48, 1), "number48");
    ck_assert_uint_eq(profile->bins[48].n_types, 2);
    ck_assert_str_eq(type_of(408, 0), "widget_pair");
    end_profile();
}

/* Only a pointer to it tells that blocks may be numbers called "stamp". */
TEST(typedefs_of_numbers_are_types_behind_pointers)
{
    uint32_t module, trio;

    for (int both = 0; both < 2; both++) {
        begin_profile();
        module = add_file(C_PROGRAM);
        trio = add_site(module, C_PROGRAM, "site_trio");
        add_allocation(trio, MP_NO_ID, 24);
        add_allocation(trio, MP_NO_ID, 8);
        if (both)
            add_allocation(add_site(module, C_PROGRAM, "site_stamp"), MP_NO_ID, 8);
        symbolise();
        ck_assert_str_eq(type_of(24, 0), "trio");
        ck_assert_uint_eq(profile->bins[24].n_types, 1);
        ck_assert_str_eq(type_of(8, 0), both ? "stamp" : "(none)");
        end_profile();
    }
}

TEST(cxx_types_are_qualified)
{
    uint32_t module, add, hide;

    begin_profile();
    module = add_file(CXX_PROGRAM);
    add = add_site(module, CXX_PROGRAM, "site_add_int");
    hide = add_site(module, CXX_PROGRAM, "site_hide");
    add_allocation(add, MP_NO_ID, 56);
    add_allocation(hide, MP_NO_ID, 72);
    symbolise();
    ck_assert_str_eq(type_of(56, 0), "shop::Basket::Item");
    ck_assert_str_eq(type_of(72, 0), "(anonymous namespace)::Secret");
    end_profile();
}

TEST(sizes_that_nobody_allocated_have_no_types)
{
    begin_profile();
    add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    ck_assert_uint_eq(profile->n_types, 0);
    end_profile();
}
