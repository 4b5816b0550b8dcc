/* Tests of what identifies a function in every profile, which is its plain name and the file that declares it. */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/symbols/cache.h"
#include "tests/unit/symbols_fixture.h"

/* Returns the function whose code contains FRAME, into which others may be inlined. */
static const struct mp_function *
holder(uint32_t frame)
{
    return &profile->functions[location(frame, profile->frames[frame].n_locations - 1)->function];
}

static void
ck_file(const struct mp_function *function, const char *name)
{
    const char *slash;

    ck_assert_ptr_nonnull(function->file);
    slash = strrchr(function->file, '/');
    ck_assert_ptr_nonnull(slash);
    ck_assert_str_eq(slash + 1, name);
}

TEST(plain_names_are_those_before_they_were_unique)
{
    uint32_t module, one, two, number, real, twin;

    begin_profile();
    module = add_file(C_PROGRAM);
    one = add_site(module, C_PROGRAM, "site_init_one");
    two = add_site(module, C_PROGRAM, "site_init_two");
    twin = add_site(module, C_PROGRAM, "site_keep");
    add_site(add_file(TWIN_PROGRAM), TWIN_PROGRAM, "site_keep_twin");
    module = add_file(CXX_PROGRAM);
    number = add_site(module, CXX_PROGRAM, "site_add_int");
    real = add_site(module, CXX_PROGRAM, "site_add_double");
    symbolise();
    ck_assert_str_eq(name_of(one, 0), "init@symbols_c.c");
    ck_assert_str_eq(holder(one)->plain, "init");
    ck_file(holder(one), "symbols_c.c");
    ck_assert_str_eq(holder(two)->plain, "init");
    ck_file(holder(two), "symbols_c_two.c");
    ck_assert_str_eq(name_of(twin, 0), "symbols_c!keep");
    ck_assert_str_eq(holder(twin)->plain, "keep");
    ck_assert_str_eq(name_of(number, 0), "shop::Basket::add(int)");
    ck_assert_str_eq(holder(number)->plain, "shop::Basket::add");
    ck_assert_str_eq(holder(real)->plain, "shop::Basket::add");
    ck_file(holder(real), "symbols_cxx.cc");
}

TEST(inlined_functions_have_theirs)
{
    uint32_t frame;

    begin_profile();
    frame = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_widget");
    symbolise();
    for (uint32_t i = 0; i < 3; i++) {
        const struct mp_function *function = &profile->functions[location(frame, i)->function];

        ck_assert_str_eq(function->plain, function->text);
        ck_file(function, "symbols_c.c");
    }
}

TEST(symbols_tell_the_name_only)
{
    uint32_t frame;
    const char *path = in_folder("program");

    shell("objcopy --remove-section='.debug_*' %s %s", C_PROGRAM, path);
    begin_profile();
    frame = add_site(add_file(path), C_PROGRAM, "site_init_one");
    symbolise();
    ck_assert_str_eq(holder(frame)->plain, "init");
    ck_assert_ptr_null(holder(frame)->file);
}

TEST(places_are_no_names)
{
    uint32_t stripped, generated, mark;
    const char *path = in_folder("program");

    shell("objcopy --strip-all %s %s", C_PROGRAM, path);
    begin_profile();
    stripped = add_site(add_file(path), C_PROGRAM, "site_any");
    generated = add_frame(MP_NO_ID, UINT64_C(0x7f1234567890));
    mark = add_frame(MP_NO_ID, 0);
    profile->frames[mark].mark = MP_FRAME_CUT_DEPTH;
    symbolise();
    ck_assert_ptr_null(holder(stripped)->plain);
    ck_assert_ptr_null(holder(stripped)->file);
    ck_assert_ptr_null(holder(generated)->plain);
    ck_assert_str_eq(holder(mark)->plain, "[cut: depth]");
}

/* Adds three names, which are the name of a function, the name of a function that only passes calls on, and another
 * name of the first function. */
static void
add_names(const char *file)
{
    profile->n_names = 3;
    profile->names = mp_arena_alloc(profile->arena, 3 * sizeof *profile->names);
    profile->names[0] = (struct mp_name){ .name = "MAKE-WORD", .file = file, .position = 7 };
    profile->names[1] = (struct mp_name){ .name = "GO", .file = "", .dispatch = true };
    profile->names[2] = (struct mp_name){ .name = "ADD-WORD", .file = file, .position = 7 };
    for (uint32_t i = 0; i < profile->n_frames; i++)
        profile->frames[i].name = MP_NO_ID;
}

TEST(what_the_language_says_counts)
{
    uint32_t module, lisp, dispatch, interpreted;

    begin_profile();
    module = add_file(C_PROGRAM);
    lisp = add_site(module, C_PROGRAM, "site_widget");
    dispatch = add_site(module, C_PROGRAM, "site_box");
    interpreted = add_frame(MP_NO_ID, 1);
    add_names("/src/words.lisp");
    profile->frames[interpreted].interpreted = true;
    profile->frames[interpreted].name = profile->frames[lisp].name = 0;
    profile->frames[dispatch].name = 1;
    symbolise();
    ck_assert_str_eq(holder(lisp)->plain, "make_any");
    ck_assert_str_eq(holder(lisp)->runtime_name, "MAKE-WORD");
    ck_assert_str_eq(holder(lisp)->file, "/src/words.lisp");
    ck_assert_str_eq(profile->functions[location(lisp, 0)->function].plain, "make_widget");
    ck_assert_str_eq(holder(dispatch)->plain, "make_box");
    ck_file(holder(dispatch), "symbols_c.c");
    ck_assert_str_eq(holder(interpreted)->plain, "ecl_interpret");
    ck_assert_ptr_null(holder(interpreted)->file);
}

TEST(of_two_names_it_is_one)
{
    uint32_t module, frames[2];

    for (uint32_t first = 0; first <= 2; first += 2) {
        begin_profile();
        module = add_file(C_PROGRAM);
        frames[0] = add_site(module, C_PROGRAM, "site_widget");
        frames[1] = add_site(module, C_PROGRAM, "site_any");
        add_names("");
        profile->frames[frames[0]].name = first;
        profile->frames[frames[1]].name = 2 - first;
        symbolise();
        ck_assert_str_eq(holder(frames[0])->runtime_name, "ADD-WORD");
        ck_assert_ptr_null(holder(frames[0])->file);
    }
}

TEST(the_cache_keeps_them)
{
    const struct mp_symbol_options options = { .cache = true };
    uint32_t debug, bare;
    const char *path = in_folder("program");

    setenv("MPROF_CACHE", in_folder("cache"), 1);
    shell("objcopy --remove-section='.debug_*' %s %s", C_PROGRAM, path);
    for (int i = 0; i < 2; i++) {
        begin_profile();
        debug = add_site(add_file(C_PROGRAM), C_PROGRAM, "site_init_one");
        bare = add_site(add_file(path), C_PROGRAM, "site_init_two");
        symbolise_with(&options);
        ck_assert_str_eq(holder(debug)->plain, "init");
        ck_file(holder(debug), "symbols_c.c");
        ck_assert_str_eq(holder(bare)->plain, "init");
        ck_assert_ptr_null(holder(bare)->file);
        shell("test $(ls %s | wc -l) -eq 2", in_folder("cache"));
    }
}

TEST(an_old_cache_is_none)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_buffer buffer = { 0 };
    struct mp_answers answers;

    mp_answers_init(&answers, arena);
    mp_known_add(&answers, &(struct mp_known_function){ .key = "k", .name = "f", .file = "/f.c",
                                               .declared = true });
    mp_known_add(&answers, &(struct mp_known_function){ .key = "l", .name = "g", .file = "g.c",
                                               .mentions_read = true });
    mp_stored_write(&answers, &buffer);
    mp_answers_init(&answers, arena);
    ck_assert(mp_stored_read(&answers, buffer.bytes, buffer.size));
    ck_assert_uint_eq(answers.n_knowns, 2);
    ck_assert(answers.knowns[0].declared && !answers.knowns[0].mentions_read);
    ck_assert(!answers.knowns[1].declared && answers.knowns[1].mentions_read);
    mp_answers_init(&answers, arena);
    ck_assert_uint_eq(buffer.bytes[8], MP_STORED_VERSION);
    buffer.bytes[8]--;
    ck_assert(!mp_stored_read(&answers, buffer.bytes, buffer.size));
    ck_assert_uint_eq(answers.n_knowns, 0);
    mp_buffer_free(&buffer);
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
