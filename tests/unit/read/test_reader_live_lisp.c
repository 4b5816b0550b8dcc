#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/read/reader.h"
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

TEST(the_head_names_the_runtime)
{
    struct mp_profile *profile;

    lb_lisp(&b);
    profile = must_read();
    ck_assert_str_eq(profile->meta.language, "ECL 21.2.1");
    ck_assert_uint_eq(profile->meta.one_thread, 4712);
    ck_assert_uint_eq(profile->meta.collections, 6);
    ck_assert_uint_eq(profile->meta.heap_before, 100000);
    ck_assert_uint_eq(profile->meta.heap_now, 102500);
}

TEST(kinds_are_sorted_and_found)
{
    struct mp_profile *profile;
    const struct mp_object_kind *kind;

    lb_lisp(&b);
    profile = must_read();
    ck_assert_uint_eq(profile->n_kinds, 4);
    kind = mp_profile_kind(profile, LB_POINT);
    ck_assert_str_eq(kind->name, "POINT");
    ck_assert_uint_eq(kind->base, LB_STRUCTURE);
    ck_assert_int_eq(kind->category, 's');
    ck_assert_ptr_null(mp_profile_kind(profile, LB_POINT + 1));
    ck_assert_ptr_null(mp_profile_kind(profile, MP_KIND_SMALL));
}

TEST(parts_are_folded_into_one_cell)
{
    const struct mp_cell *conses, *points;
    struct mp_profile *profile;

    lb_lisp(&b);
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 3);
    conses = cell_of_kind(profile, LB_CONS);
    ck_assert_uint_eq(conses->counts.allocs, 100);
    ck_assert_uint_eq(conses->counts.frees, 60);
    ck_assert_uint_eq(conses->counts.requested, 1500);
    ck_assert_uint_eq(conses->counts.temporary, 0);
    ck_assert_uint_eq(conses->counts.survived[0], 50);
    ck_assert_uint_eq(conses->counts.survived[1], 30);
    ck_assert_uint_eq(conses->counts.survived[2], 10);
    ck_assert_uint_eq(conses->counts.aged, 800);
    ck_assert_uint_eq(conses->size_max, 16);
    ck_assert_uint_eq(conses->counts.kept_blocks, 30);
    ck_assert_uint_eq(conses->counts.kept, 480);
    points = cell_of_kind(profile, LB_POINT);
    ck_assert_uint_eq(points->counts.allocs, 10);
    ck_assert_uint_eq(points->counts.bytes, 800);
    ck_assert_uint_eq(points->counts.frees, 1);
    ck_assert_uint_eq(points->counts.freed, 80);
    ck_assert_uint_eq(points->counts.requested, 770);
    ck_assert_int_eq(points->counts.peak_blocks, 9);
    ck_assert_int_eq(points->counts.peak_bytes, 720);
    ck_assert_uint_eq(points->counts.kept_blocks, 1);
    ck_assert_uint_eq(points->counts.kept, 80);
}

TEST(totals_tell_the_languages_apart)
{
    struct mp_profile *profile;
    struct mp_totals totals;

    lb_lisp(&b);
    profile = must_read();
    mp_profile_totals(profile, &totals);
    ck_assert_uint_eq(totals.all.allocs, 115);
    ck_assert_uint_eq(totals.c.allocs, 5);
    ck_assert_uint_eq(totals.c.kept, 320);
    ck_assert_uint_eq(totals.lisp.allocs, 110);
    ck_assert_uint_eq(totals.lisp.bytes, 2400);
    ck_assert_uint_eq(totals.lisp.kept_blocks, 31);
    ck_assert_uint_eq(mp_counts_new(&totals.lisp), 110 - 61 - 31);
    ck_assert_uint_eq(totals.all.kept, 320 + 560);
}

TEST(frames_have_names)
{
    const struct mp_name *foo;
    struct mp_profile *profile;
    uint32_t interpreted = 0, runtime = 0;

    lb_lisp(&b);
    profile = must_read();
    ck_assert_uint_eq(profile->n_names, 4);
    foo = name_called(profile, "FOO");
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

/* Of the frames that no context has, those that begin a function and have a name are needed. */
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

/* Twice the same, in the trees of two threads, and one that is not (yet) there. */
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

TEST(forms_beyond_the_header_are_refused)
{
    lb_lisp(&b);
    b.header.n_forms = MP_MAX_FORMS + 1;
    must_fail(MP_ERR_DAMAGED, "more forms than fit");
}

TEST(references_that_lead_nowhere_are_named)
{
    lb_lisp(&b);
    b.names[0].flags = 0;
    must_fail(MP_ERR_DAMAGED, "an empty name");
    b.names[0].flags = MP_LIVE_NAME_VALID;
    b.names[0].name = 9999;
    must_fail(MP_ERR_DAMAGED, "a name is no string");
    lb_init(&b);
    lb_lisp(&b);
    b.frames[0].flags |= 99u << MP_LIVE_FRAME_NAME_SHIFT;
    must_fail(MP_ERR_DAMAGED, "a frame's name is not there");
    lb_init(&b);
    lb_lisp(&b);
    b.header.language = 9999;
    must_fail(MP_ERR_DAMAGED, "string");
}

TEST(kinds_that_cannot_be_are_refused)
{
    lb_lisp(&b);
    b.kinds[0].category = 'x';
    must_fail(MP_ERR_DAMAGED, "unknown category");
    b.kinds[0].category = 'c';
    b.kinds[0].kind = LB_STRUCTURE;
    must_fail(MP_ERR_DAMAGED, "twice");
    b.kinds[0].kind = MP_KIND_SMALL;
    must_fail(MP_ERR_DAMAGED, "out of range");
    b.kinds[0].kind = MP_KIND_END;
    must_fail(MP_ERR_DAMAGED, "out of range");
    b.kinds[0].kind = LB_CONS;
    b.kinds[3].base = LB_POINT + 1;
    must_fail(MP_ERR_DAMAGED, "a base that is none");
    b.kinds[3].base = LB_STRUCTURE;
    b.kinds[3].category = 0;
    must_fail(MP_ERR_DAMAGED, "kind of object is not there");
    b.kinds[3].category = 's';
    b.cells[0].kind = MP_KIND_C_COUNT;
    must_fail(MP_ERR_DAMAGED, "unknown kind of object");
    b.cells[0].kind = MP_KIND_MEDIUM;
    b.ages[0].kind = MP_KIND_MEDIUM;
    must_fail(MP_ERR_DAMAGED, "not counted");
}

TEST(ages_that_cannot_be_are_refused)
{
    lb_lisp(&b);
    b.ages[0].survived[1] = 51;
    must_fail(MP_ERR_DAMAGED, "survived");
    b.ages[0].survived[1] = 30;
    b.ages[0].survived[2] = 31;
    must_fail(MP_ERR_DAMAGED, "survived");
    b.ages[0].survived[2] = 10;
    b.ages[0].aged_frees = 51;
    must_fail(MP_ERR_DAMAGED, "survived");
    b.ages[0].aged_frees = 20;
    b.ages[0].survived[0] = UINT64_MAX;
    must_fail(MP_ERR_DAMAGED, "beyond all bounds");
    b.ages[0].survived[0] = 50;
    b.ages[0].context = 99;
    must_fail(MP_ERR_DAMAGED, "not counted");
}

/* Killed after the object was freed, before its age was. */
TEST(ages_and_objects_may_be_one_apart)
{
    struct mp_profile *profile;
    const struct mp_cell *conses;

    lb_lisp(&b);
    b.cells[1].frees = 90;
    profile = must_read();
    conses = cell_of_kind(profile, LB_CONS);
    ck_assert_uint_eq(conses->counts.kept_blocks, 10);
    ck_assert_uint_eq(conses->counts.survived[0], 30);
    ck_assert_uint_eq(conses->counts.kept, 160);
}

/* A vector that grew elsewhere: bytes of a kind without an object. */
TEST(payload_alone_is_a_cell)
{
    struct mp_profile *profile;

    lb_kind(&b, LB_CONS, LB_CONS, "VECTOR", 's');
    lb_objects(&b, lb_context(&b, 0, lb_frame(&b, 0, 0x1100)), LB_CONS | MP_KIND_PAYLOAD, 3, 300, 1,
               100);
    profile = must_read();
    ck_assert_uint_eq(profile->n_cells, 1);
    ck_assert_uint_eq(profile->cells[0].counts.allocs, 0);
    ck_assert_uint_eq(profile->cells[0].counts.frees, 0);
    ck_assert_uint_eq(profile->cells[0].counts.bytes, 300);
    ck_assert_uint_eq(profile->cells[0].counts.freed, 100);
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
