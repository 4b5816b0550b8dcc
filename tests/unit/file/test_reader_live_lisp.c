#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/file/reader.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/reader_live_fixture.h"

static const struct mp_cell *
cell_of_kind(const struct mp_profile *profile, uint32_t kind)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (profile->cells[i].kind == kind)
            return &profile->cells[i];
    ck_abort_msg("no cell of kind %u", kind);
}

static const struct mp_name *
name_called(const struct mp_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->n_names; i++)
        if (strcmp(profile->names[i].name, name) == 0)
            return &profile->names[i];
    ck_abort_msg("no name %s", name);
}

FIXTURE(set_up, NULL)
TIMEOUT(120)

static void
build(void)
{
    lb_lisp(&b);
}

static struct mp_profile *
read_lisp(void)
{
    build();
    return must_read();
}

TEST(the_head_names_the_runtime)
{
    const struct mp_profile *profile = read_lisp();

    ck_assert_str_eq(profile->meta.language, "ECL 21.2.1");
    ck_assert_uint_eq(profile->meta.one_thread, 4712);
    ck_assert_uint_eq(profile->meta.collections, 6);
    ck_assert_uint_eq(profile->meta.heap_before, 100000);
    ck_assert_uint_eq(profile->meta.heap_now, 102500);
}

TEST(kinds_are_sorted_and_found)
{
    const struct mp_profile *profile = read_lisp();
    const struct mp_object_kind *kind = mp_profile_kind(profile, LB_POINT);

    ck_assert_uint_eq(profile->n_kinds, 4);
    ck_assert_str_eq(kind->name, "POINT");
    ck_assert_uint_eq(kind->base, LB_STRUCTURE);
    ck_assert_int_eq(kind->category, 's');
    ck_assert_ptr_null(mp_profile_kind(profile, LB_POINT + 1));
    ck_assert_ptr_null(mp_profile_kind(profile, MP_KIND_SMALL));
}

TEST(parts_are_folded_into_one_cell)
{
    const struct mp_profile *profile = read_lisp();

    ck_assert_uint_eq(profile->n_cells, 3);
    assert_cell(cell_of_kind(profile, LB_CONS), (struct mp_counts){
        .allocs = 100, .bytes = 1600, .frees = 60, .freed = 960, .peak_bytes = 640, .peak_blocks = 40,
        .kept = 480, .kept_blocks = 30, .requested = 1500, .survived = {50, 30, 10}, .aged = 800, .aged_frees = 20,
        .aged_freed = 320});
    ck_assert_uint_eq(cell_of_kind(profile, LB_CONS)->size_max, 16);
    assert_cell(cell_of_kind(profile, LB_POINT), (struct mp_counts){
        .allocs = 10, .bytes = 800, .frees = 1, .freed = 80, .peak_bytes = 720, .peak_blocks = 9, .kept = 80,
        .kept_blocks = 1, .requested = 770, .survived = {1}, .aged = 80});
}

TEST(totals_tell_the_languages_apart)
{
    struct mp_totals totals;

    mp_profile_totals(read_lisp(), &totals);
    ck_assert_uint_eq(totals.all.allocs, 115);
    ck_assert_uint_eq(totals.c.allocs, 5);
    ck_assert_uint_eq(totals.c.kept, 320);
    ck_assert_uint_eq(totals.lisp.allocs, 110);
    ck_assert_uint_eq(totals.lisp.bytes, 2400);
    ck_assert_uint_eq(totals.lisp.kept_blocks, 31);
    ck_assert_uint_eq(mp_counts_new(&totals.lisp), 110 - 61 - 31);
    ck_assert_uint_eq(totals.all.kept, 320 + 560);
}

/* Otherwise a small file, in which many names refer to one long string, would need any amount of memory. */
TEST(a_string_is_copied_once)
{
    const struct mp_profile *profile;

    build();
    for (uint32_t i = 0; i < b.count[MP_EXT_NAMES]; i++)
        b.names[i].file = b.names[0].file;
    profile = must_read();
    for (uint32_t i = 1; i < profile->n_names; i++)
        ck_assert_ptr_eq(profile->names[i].file, profile->names[0].file);
}

TEST(frames_have_names)
{
    const struct mp_profile *profile = read_lisp();
    const struct mp_name *foo = name_called(profile, "FOO");
    uint32_t interpreted = 0, runtime = 0;

    ck_assert_uint_eq(profile->n_names, 4);
    ck_assert_str_eq(foo->file, "/home/zorn/foo.lisp");
    ck_assert_int_eq(foo->position, 123);
    ck_assert(!foo->builtin && !foo->dispatch);
    ck_assert(name_called(profile, "MAPCAR")->builtin);
    ck_assert(name_called(profile, "APPLY-FROM-STACK-FRAME")->dispatch);
    ck_assert_int_eq(name_called(profile, "(SETF BAR)")->position, -1);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        runtime += profile->frames[i].runtime;
        interpreted += profile->frames[i].interpreted;
        if (profile->frames[i].interpreted) {
            ck_assert_uint_eq(profile->frames[i].module, MP_NO_ID);
            ck_assert_uint_eq(profile->frames[i].offset, 0x1234);
        }
    }
    ck_assert_uint_eq(runtime, 4);
    ck_assert_uint_eq(interpreted, 1);
}

static uint32_t
add_frame(uint64_t ip, uint32_t flags, uint32_t name)
{
    uint32_t id = lb_frame(&b, b.first[MP_EXT_MODULES], ip);

    b.frames[id - b.first[MP_EXT_FRAMES]].flags |= flags | name << MP_LIVE_FRAME_NAME_SHIFT;
    return id;
}

/* A frame that no context has is needed if it is the start of a function and has a name. */
TEST(frames_that_only_name_a_function_stay)
{
    struct mp_profile *profile, *without;
    uint32_t named;

    lb_lisp(&b);
    without = must_read();
    named = lb_name(&b, "MK", 0);
    add_frame(0x555555555400, MP_LIVE_FRAME_SIGNAL, named);
    add_frame(0x555555555500, MP_LIVE_FRAME_SIGNAL, 0);
    add_frame(0x555555555600, 0, named);
    profile = must_read();
    ck_assert_uint_eq(profile->n_frames, without->n_frames + 1);
    ck_assert_uint_eq(profile->n_names, without->n_names + 1);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        const struct mp_name *name = mp_frame_name(profile, &profile->frames[i]);

        if (name && strcmp(name->name, "MK") == 0)
            ck_assert_uint_eq(profile->frames[i].offset, 0x1400);
    }
}

/* Two of the forms are the same context in the trees of two threads. A third one does not exist yet. */
TEST(forms_are_contexts)
{
    struct mp_profile *profile;

    lb_lisp(&b);
    b.header.forms[0] = b.first[MP_EXT_CONTEXTS] + 2;
    b.header.forms[1] = b.first[MP_EXT_CONTEXTS] + 1;
    b.header.forms[2] = b.first[MP_EXT_CONTEXTS] + 2;
    b.header.forms[3] = 99999;
    b.header.n_forms = 4;
    profile = must_read();
    ck_assert_uint_eq(profile->n_forms, 2);
    ck_assert_uint_lt(0, profile->forms[0]);
    ck_assert_uint_lt(profile->forms[0], profile->forms[1]);
    ck_assert_uint_lt(profile->forms[1], profile->n_contexts);
}

static const struct damage damages[] = {
    DAMAGE(header.n_forms, MP_MAX_FORMS + 1, "more forms than fit"),
    DAMAGE(names[0].flags, 0, "an empty name"),
    DAMAGE(names[0].name, 9999, "a name is no string"),
    DAMAGE(frames[0].flags, MP_LIVE_FRAME_VALID | 99u << MP_LIVE_FRAME_NAME_SHIFT, "a frame's name is not there"),
    DAMAGE(header.language, 9999, "string"),
    DAMAGE(kinds[0].category, 'x', "unknown category"),
    DAMAGE(kinds[0].kind, LB_STRUCTURE, "twice"),
    DAMAGE(kinds[0].kind, MP_KIND_SMALL, "out of range"),
    DAMAGE(kinds[0].kind, MP_KIND_END, "out of range"),
    DAMAGE(kinds[3].base, LB_POINT + 1, "a base that is none"),
    DAMAGE(kinds[3].category, 0, "kind of object is not there"),
    DAMAGE(cells[0].kind, MP_KIND_C_COUNT, "unknown kind of object"),
    DAMAGE(ages[0].kind, MP_KIND_MEDIUM, "not counted"),
    DAMAGE(ages[0].context, 99, "not counted"),
    DAMAGE(ages[0].survived[1], 51, "survived"),
    DAMAGE(ages[0].survived[2], 31, "survived"),
    DAMAGE(ages[0].aged_frees, 51, "survived"),
    DAMAGE(ages[0].survived[0], UINT64_MAX, "beyond all bounds"),
};

TEST_EACH(damage_is_named, damages)
{
    must_be_damage(build, &damages[_i]);
}

/* The process was killed after it counted the object as freed, but before it counted the object's age as ended. */
TEST(ages_and_objects_may_be_one_apart)
{
    const struct mp_cell *conses;

    build();
    b.cells[1].frees = 90;
    conses = cell_of_kind(must_read(), LB_CONS);
    ck_assert_uint_eq(conses->counts.kept_blocks, 10);
    ck_assert_uint_eq(mp_cell_further(conses)->survived[0], 30);
    ck_assert_uint_eq(conses->counts.kept, 160);
}

/* A vector that grew in another context leaves bytes of its kind without an object. */
TEST(payload_alone_is_a_cell)
{
    struct mp_profile *profile;

    lb_kind(&b, LB_CONS, LB_CONS, "VECTOR", 's');
    lb_objects(&b, add_context(), LB_CONS | MP_KIND_PAYLOAD, 3, 300, 1,
               100);
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    assert_cell(&profile->cells[0],
                  (struct mp_counts){.bytes = 300, .freed = 100, .peak_bytes = 200});
}

TEST(no_flipped_byte_crashes)
{
    size_t size, read = 0;
    uint8_t *file;

    lb_lisp(&b);
    file = lb_finish(&b, &size);
    for (uint32_t i = 0; i < b.header.n_extents; i++) {
        const struct mp_live_extent *extent = &b.header.extents[i];
        uint64_t bytes = (uint64_t)extent->count * extent->record_size;

        for (uint64_t at = 0; at < bytes && extent->kind != MP_EXT_RECORDERS; at++) {
            for (unsigned flip = 1; flip < 256; flip <<= 1) {
                struct mp_profile *profile;

                file[extent->offset + at] ^= (uint8_t)flip;
                profile = mp_read_bytes(file, size, "x.data", &error);
                file[extent->offset + at] ^= (uint8_t)flip;
                read += profile != NULL;
                mp_profile_free(profile);
            }
        }
    }
    ck_assert_uint_gt(read, 100);
    free(file);
}
/* SPDX-License-Identifier: MIT */
