#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/heap/heap_files.h"
#include "reporter/heap/heap_plot.h"
#include "reporter/html/html_parts.h"
#include "tests/unit/folder.h"
#include "tests/unit/heap_records.h"

/* Snapshots of a process in the test's directory, data.NUMBER.heap: CONSES objects of 16 bytes that APP:F made, and
 * STRINGS of 32 bytes, half of them without a site. */
static const char *paths[12];
static struct mp_error error;
static struct mp_heap_series *series;
static struct mp_profile *profile;
static struct mp_plot *plot;

struct made {
    uint64_t time, pid, heap;
    unsigned conses, strings, others;   /* others: types of one object of 8 bytes each */
};

static void
make(unsigned number, struct made made)
{
    const uint64_t n = made.conses + made.strings + made.others;
    struct mp_heap_writer *writer;
    char name[24];

    snprintf(name, sizeof name, "data.%u.heap", number);
    paths[number] = in_folder(name);
    writer = mp_heap_write_begin(AT_FDCWD, paths[number], MP_HEAP_SEALED, &error);
    ck_assert_msg(writer != NULL, "%s", error.text);
    PUT(MP_HEAP_FACT, MP_FACT_NUMBER, number);
    PUT(MP_HEAP_FACT, MP_FACT_PID, made.pid);
    PUT(MP_HEAP_FACT, MP_FACT_SINCE_START, made.time);
    PUT(MP_HEAP_FACT, MP_FACT_HEAP, made.heap);
    PUT(MP_HEAP_FACT, MP_FACT_TRIGGER, MP_TRIGGER_SIGNAL);
    put_text(writer, "CONS");
    put_text(writer, "STRING");
    put_text(writer, "APP:F");
    put_text(writer, "a.lisp");
    PUT(MP_HEAP_TYPE, MP_SHAPE_CONS, 1, 0);
    PUT(MP_HEAP_TYPE, MP_SHAPE_LEAF, 2, 0);
    PUT(MP_HEAP_SITE, 0, 3, 4, 14);
    for (unsigned i = 0; i < made.others; i++) {
        snprintf(name, sizeof name, "T%02u", i);
        put_text(writer, name);
        PUT(MP_HEAP_TYPE, MP_SHAPE_OTHER, 5 + i, 0);
    }
    for (unsigned i = 0; i < made.conses; i++)
        PUT(MP_HEAP_OBJECT, i == 0 ? 0x1000 : 0, 16, 2, 1, 0);
    for (unsigned i = 0; i < made.strings; i++)
        PUT(MP_HEAP_OBJECT, i + made.conses == 0 ? 0x1000 : 0, 32, 4, i % 2, 0);
    for (unsigned i = 0; i < made.others; i++)
        PUT(MP_HEAP_OBJECT, 8, 8, 6 + 2 * i, 0, 0);
    PUT(MP_HEAP_END, n, 0, 0, 16 * made.conses + 32 * made.strings + 8 * made.others);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
}

static void
set_up(void)
{
    make(1, (struct made){.time = 1000, .pid = 7, .heap = 4096, .conses = 10, .strings = 2});
    make(2, (struct made){.time = 2000, .pid = 7, .heap = 8192, .conses = 40});
    make(3, (struct made){.time = 3000, .pid = 7, .conses = 20, .strings = 4});
}

static void
tear_down(void)
{
    mp_plot_free(plot);
    mp_profile_free(profile);
    mp_heap_series_free(series);
}

static void
load(enum mp_heap_by by, unsigned a, unsigned b, unsigned c)
{
    const char *files[] = {paths[a], paths[b], paths[c]};

    mp_heap_series_free(series);
    series = mp_heap_series_load(files, 3, by, &error);
    ck_assert_msg(series != NULL, "%s", error.text);
}

static const struct mp_heap_band *
band(const char *name)
{
    for (uint32_t i = 0; i < series->n_bands; i++)
        if (strcmp(series->bands[i].name, name) == 0)
            return &series->bands[i];
    ck_abort_msg("no band %s", name);
    return NULL;
}

static void
is(const char *name, uint64_t a, uint64_t b, uint64_t c, unsigned size)
{
    const struct mp_heap_band *row = band(name);
    const uint64_t objects[] = {a, b, c};

    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(row->objects[i], objects[i]);
        ck_assert_uint_eq(row->bytes[i], objects[i] * size);
    }
}

FIXTURE(set_up, tear_down)

TEST(rows_are_by_time_whatever_the_order_of_files)
{
    load(MP_HEAP_BY_TYPE, 3, 1, 2);
    ck_assert_uint_eq(series->n_bands, 2);
    is("CONS", 10, 40, 20, 16);
    is("STRING", 2, 0, 4, 32);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(series->taken[i].number, i + 1);
        ck_assert_uint_eq(series->taken[i].time, 1000 * (i + 1));
        ck_assert_str_eq(series->taken[i].file, paths[i + 1]);
    }
    ck_assert_uint_eq(series->taken[0].objects, 12);
    ck_assert_uint_eq(series->taken[0].bytes, 224);
}

TEST(rows_add_up_to_the_snapshot_by_all_keys)
{
    static const enum mp_heap_by keys[] = {MP_HEAP_BY_TYPE, MP_HEAP_BY_SITE, MP_HEAP_BY_FUNCTION, MP_HEAP_BY_PACKAGE};
    static const char *const of_f[] = {"CONS", "APP:F (a.lisp:7)", "APP:F", "APP"};
    static const char *const not_of_f[] = {"STRING", "(not recorded)", "(not recorded)", "(not known)"};

    for (unsigned k = 0; k < 4; k++) {
        load(keys[k], 1, 2, 3);
        ck_assert_uint_eq(series->n_bands, 2);
        ck_assert_uint_eq(band(of_f[k])->bytes[0], k == 0 ? 160 : 192);
        ck_assert_uint_eq(band(not_of_f[k])->bytes[0], k == 0 ? 64 : 32);
        ck_assert_uint_eq(band(not_of_f[k])->bytes[1], 0);
        for (unsigned i = 0; i < 3; i++)
            ck_assert_uint_eq(band(of_f[k])->bytes[i] + band(not_of_f[k])->bytes[i], series->taken[i].bytes);
    }
}

static void
is_refused(const char *const *files, uint32_t n, const char *why)
{
    struct mp_error problem = {0};

    ck_assert_ptr_null(mp_heap_series_load(files, n, MP_HEAP_BY_TYPE, &problem));
    ck_assert_msg(strstr(problem.text, why) != NULL, "%s", problem.text);
}

TEST(what_has_no_common_axis_is_refused)
{
    make(4, (struct made){.time = 4000, .pid = 8, .conses = 1});
    make(5, (struct made){.time = 0, .pid = 7, .conses = 1});
    is_refused((const char *[]){paths[1], paths[4]}, 2, "different processes");
    is_refused((const char *[]){paths[1], paths[2], paths[1]}, 3, "the same snapshot");
    is_refused((const char *[]){paths[1], paths[5]}, 2, "does not say when");
    is_refused((const char *[]){paths[1]}, 1, "two at least");
    is_refused((const char *[]){paths[1], "/nowhere/x.heap"}, 2, "/nowhere/x.heap");
}

TEST(those_beside_are_found_by_number)
{
    uint32_t n;
    char **files;

    make(10, (struct made){.time = 4000, .pid = 7, .conses = 1});
    make_text("data.1x.heap", "");
    files = mp_heap_files(in_folder("data"), &n);
    ck_assert_ptr_nonnull(files);
    ck_assert_uint_eq(n, 4);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_str_eq(files[i], paths[i < 3 ? i + 1 : 10]);
    mp_heap_files_free(files, n);
    ck_assert_ptr_null(mp_heap_files(in_folder("dat?"), &n));
    ck_assert_uint_eq(n, 0);
}

TEST(the_plot_has_the_largest_and_all_others)
{
    struct mp_plot_options options = {.by = MP_PLOT_TYPE, .from = 1500, .to = 4000};

    make(4, (struct made){.time = 4000, .pid = 7, .heap = 16384, .conses = 2, .strings = 1, .others = 9});
    load(MP_HEAP_BY_TYPE, 1, 2, 4);
    profile = mp_heap_plot_profile(series, NULL);
    ck_assert_uint_eq(profile->timeline->n_moments, 4);         /* the start, and the snapshots */
    plot = mp_heap_plot_new(series, profile, &options);
    ck_assert_uint_eq(plot->n_moments, 2);
    ck_assert_uint_eq(plot->n_parts, MP_PLOT_PARTS + 1);
    ck_assert_uint_eq(plot->n_others, 11 - MP_PLOT_PARTS);
    ck_assert_str_eq(plot->names[0], "CONS");
    ck_assert_str_eq(plot->names[1], "STRING");
    ck_assert_str_eq(plot->names[MP_PLOT_PARTS], "4 others");
    ck_assert_int_eq(plot->bytes[0], 640);
    ck_assert_int_eq(plot->bytes[1], 32);
    ck_assert_int_eq(plot->bytes[2 * MP_PLOT_PARTS], 0);
    ck_assert_int_eq(plot->bytes[2 * MP_PLOT_PARTS + 1], 32);
    ck_assert_uint_eq(plot->snapshots[0].heap, 8192);
    ck_assert_uint_eq(plot->snapshots[1].objects, 12);
    ck_assert_uint_eq(plot->n_steps, 2);
    ck_assert_uint_eq(plot->highest, 16384);
}

TEST(a_heap_whose_size_is_not_known_has_none)
{
    struct mp_plot_options options = {.by = MP_PLOT_TYPE, .to = 3000};

    load(MP_HEAP_BY_TYPE, 1, 2, 3);
    profile = mp_heap_plot_profile(series, NULL);
    plot = mp_heap_plot_new(series, profile, &options);
    ck_assert_uint_eq(plot->n_moments, 3);
    ck_assert(plot->snapshots[2].heap == MP_NOT_SEEN);
    ck_assert_uint_eq(plot->highest, 8192);
}

/* Returns the sum of the numbers in the column KEY of the model TEXT. Sets *N to their number. */
static uint64_t
sum_of(const char *text, const char *key, uint64_t *n)
{
    const char *at = strstr(text, key);
    uint64_t sum = 0;
    char *end;

    ck_assert_ptr_nonnull(at);
    for (*n = 0, at += strlen(key); *at != ']'; at = *end == ',' ? end + 1 : end, ++*n)
        sum += strtoull(at, &end, 10);
    return sum;
}

TEST(a_page_has_the_largest_rows_and_the_sum_of_all_others)
{
    struct mp_buffer out = {0};
    uint64_t n, bytes = 0;

    make(4, (struct made){.time = 4000, .pid = 7, .conses = 2, .strings = 2, .others = 50010});
    load(MP_HEAP_BY_EACH, 1, 2, 4);
    ck_assert_uint_eq(series->n_bands, 50013);      /* conses, strings with a site and without, and these */
    mp_html_heap_write(series, &out);
    mp_buffer_bytes(&out, "", 1);
    ck_assert_ptr_nonnull(strstr((const char *)out.bytes, "\"left\":12}"));
    ck_assert_ptr_nonnull(strstr((const char *)out.bytes, "\"[smaller rows]\""));
    for (unsigned i = 0; i < 3; i++)
        bytes += series->taken[i].bytes;
    ck_assert_uint_eq(sum_of((const char *)out.bytes, "\"cells\":{\"row\":[", &n), 50001);     /* up to the last row */
    ck_assert_uint_eq(n, 7 + 50001 - 3 + 1);        /* three rows have seven cells together, the others one each */
    ck_assert_uint_eq(sum_of((const char *)out.bytes, "\"objects\":[", &n), 12 + 40 + 50014);
    ck_assert_uint_eq(sum_of((const char *)out.bytes, "\"bytes\":[", &n), bytes);
    mp_buffer_free(&out);
}
/* SPDX-License-Identifier: MIT */
