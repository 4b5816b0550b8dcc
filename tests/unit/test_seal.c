#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "live_builder.h"
#include "profile_checks.h"
#include "reporter/buffer.h"
#include "reporter/reader.h"
#include "reporter/seal.h"
#include "reporter/sealed_parts.h"

static struct mp_error error;
static char directory[] = "/tmp/test-seal-XXXXXX";
static char path[64];

static void
set_up(void)
{
    strcpy(directory + sizeof directory - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/mprof.data", directory);
}

static void
tear_down(void)
{
    unlink(path);
    rmdir(directory);
}

/* Symbols as mp_symbolise() would fill them in. */
static void
symbolise(struct mp_profile *profile)
{
    static const char *const names[] = {"make_widget", "make_red_widget", "make_blue_widget",
                                        "main", "__libc_start_call_main",
                                        "operator new(std::size_t)"};
    uint32_t n = profile->n_frames;

    profile->functions = mp_arena_alloc(profile->arena, n * sizeof *profile->functions);
    profile->locations = mp_arena_alloc(profile->arena, 2 * n * sizeof *profile->locations);
    profile->types = mp_arena_alloc(profile->arena, 2 * sizeof *profile->types);
    profile->n_functions = n;
    for (uint32_t i = 0; i < n; i++) {
        profile->functions[i] = (struct mp_function){
            .name = names[i % 6], .module = profile->frames[i].module,
            .start = profile->frames[i].offset & ~(uint64_t)0xff};
        profile->frames[i].first_location = profile->n_locations;
        profile->frames[i].n_locations = 1 + i % 2;
        for (uint32_t j = 0; j <= i % 2; j++)
            profile->locations[profile->n_locations++] = (struct mp_location){
                .function = (i + j) % n, .line = 40 - i, .inlined = j < i % 2,
                .file = i == 4 ? "" : "/home/zorn/widgets.c"};
    }
    profile->types[0] = "struct widget";
    profile->types[1] = "struct other";
    profile->n_types = 2;
    profile->bins[204].first_type = 0;
    profile->bins[204].n_types = 2;
    profile->modules[0].problem = "no symbols";
    profile->symbolised = true;
}

static struct mp_profile *
widgets(void)
{
    static struct live_builder b;
    struct mp_profile *profile;
    uint8_t *file;
    size_t size;

    lb_init(&b);
    lb_widgets(&b);
    file = lb_finish(&b, &size);
    profile = mp_read_bytes(file, size, "live", &error);
    free(file);
    if (!profile)
        abort();
    symbolise(profile);
    return profile;
}

static struct mp_profile *
read_sealed(void)
{
    struct mp_profile *profile = mp_read(path, &error);

    ck_assert_msg(profile != NULL, "%s", error.text);
    assert_valid(profile);
    return profile;
}

static void
must_seal(const struct mp_profile *profile)
{
    uint64_t size = 0;
    struct stat status;

    ck_assert_msg(mp_seal(profile, path, &size, &error), "%s", error.text);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_size, (off_t)size);
    ck_assert_int_eq(status.st_mode & 07777, 0600);
}

static uint8_t *
file_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);

    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void
must_go_round(const struct mp_profile *profile)
{
    struct mp_profile *again;
    uint8_t *first, *second;
    size_t first_size, second_size;

    must_seal(profile);
    first = file_bytes(&first_size);
    again = read_sealed();
    assert_equal(profile, again);
    must_seal(again);
    second = file_bytes(&second_size);
    ck_assert_uint_eq(first_size, second_size);
    ck_assert_mem_eq(first, second, first_size);
    free(first);
    free(second);
    mp_profile_free(again);
}

START_TEST(the_papers_example_goes_round)
{
    struct mp_profile *profile = widgets();

    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(the_papers_example_is_small)
{
    struct mp_profile *profile = widgets();
    uint64_t size;

    ck_assert(mp_seal(profile, path, &size, &error));
    ck_assert_uint_lt(size, 700);
    mp_profile_free(profile);
}
END_TEST

START_TEST(addresses_of_the_process_are_not_kept)
{
    struct mp_profile *profile = widgets(), *again;

    ck_assert_uint_ne(profile->modules[0].start, 0);
    must_seal(profile);
    again = read_sealed();
    ck_assert_uint_eq(again->modules[0].start, 0);
    ck_assert_uint_eq(again->modules[0].end, 0);
    ck_assert_uint_eq(again->modules[0].bias, 0);
    mp_profile_free(profile);
    mp_profile_free(again);
}
END_TEST

START_TEST(an_empty_profile_goes_round)
{
    struct mp_profile *profile = mp_profile_new();

    profile->symbolised = true;
    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(every_field_of_the_head_goes_round)
{
    struct mp_profile *profile = widgets();
    struct mp_meta *meta = &profile->meta;

    meta->arguments_cut = true;
    meta->duration = UINT64_MAX;
    meta->ending = MP_END_FULL;
    meta->status = INT32_MIN;
    meta->stop_errno = ENOSPC;
    meta->unwinder = MP_UNWIND_FP;
    meta->depth = 5;
    meta->recorders = 3;
    meta->threads = 4;
    for (uint32_t i = 0; i < MP_MISS_KINDS; i++)
        meta->missing[i] = i * 1000;
    meta->programs_started = 6;
    meta->processes_forked = 7;
    meta->nested = 8;
    meta->peak_bytes = INT64_MAX;
    meta->peak_slack = 1 << 20;
    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(every_shape_of_a_cell_goes_round)
{
    static struct mp_cell cells[] = {
        {.context = 1, .kind = 0, .allocs = 5, .bytes = 80, .size_min = 16, .size_max = 16},
        {.context = 1, .kind = 1, .allocs = 5, .bytes = 200, .frees = 5, .freed = 200,
         .temporary = 3, .size_min = 40, .size_max = 40},
        {.context = 1, .kind = 16, .allocs = 2, .bytes = 300, .frees = 1, .freed = 100,
         .peak_bytes = 200, .peak_blocks = 1, .size_min = 100, .size_max = 200},
        {.context = 2, .kind = 0, .allocs = 9, .bytes = 90, .frees = 3, .freed = 30,
         .peak_bytes = -10, .peak_blocks = -1, .size_min = 10, .size_max = 10},
        {.context = 2, .kind = 3, .allocs = 9, .bytes = 90, .frees = 9, .freed = 80,
         .peak_bytes = 7, .peak_blocks = 0, .size_min = 5, .size_max = 20},
        {.context = 4, .kind = 0, .size_min = UINT32_MAX, .size_max = 0},
        {.context = 5, .kind = 0, .allocs = 3, .bytes = 0, .size_min = 0, .size_max = 0,
         .peak_blocks = 3},
        {.context = 6, .kind = 2, .allocs = INT64_MAX / 2, .bytes = INT64_MAX / 2,
         .size_min = 4, .size_max = UINT32_MAX},
    };
    struct mp_profile *profile = widgets();

    profile->cells = cells;
    profile->n_cells = sizeof cells / sizeof *cells;
    profile->bins[MP_BIN_LARGE] =
        (struct mp_bin){.allocs = 2, .bytes = 5000, .frees = 1, .freed = 1500};
    profile->bins[0] = (struct mp_bin){.allocs = 3, .frees = 3};
    profile->bins[77].first_type = 1;
    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(contexts_of_any_order_go_round)
{
    static const uint32_t parents[] = {0, 0, 0, 1, 2, 1, 0};
    struct mp_profile *profile = widgets();

    for (uint32_t i = 1; i < profile->n_contexts; i++)
        profile->contexts[i].parent = parents[i];
    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_deep_and_wide_tree_goes_round)
{
    struct mp_profile *profile = widgets();
    uint32_t n = 20000;

    profile->contexts = mp_arena_alloc(profile->arena, n * sizeof *profile->contexts);
    profile->contexts[0].frame = MP_NO_ID;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t parent = i - 1;

        for (uint32_t up = i % 97 == 0 ? 60 : i % 3; up > 0 && parent > 0; up--)
            parent = profile->contexts[parent].parent;
        profile->contexts[i] = (struct mp_context){parent, i % profile->n_frames};
    }
    profile->n_contexts = n;
    must_go_round(profile);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_profile_without_symbols_is_not_sealed)
{
    struct mp_profile *profile = mp_profile_new();

    ck_assert(!mp_seal(profile, path, NULL, &error));
    ck_assert_int_ne(access(path, F_OK), 0);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_failure_leaves_nothing_behind)
{
    struct mp_profile *profile = widgets();
    char pattern[80];
    glob_t found;

    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!mp_seal(profile, path, NULL, &error));
    ck_assert(!mp_seal(profile, "/nowhere/mprof.data", NULL, &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert_msg(strstr(error.text, "/nowhere/mprof.data") != NULL, "%s", error.text);
    ck_assert(!mp_seal(profile, "/dev/null", NULL, &error));
    snprintf(pattern, sizeof pattern, "%s/*.tmp-*", directory);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    rmdir(path);
    mp_profile_free(profile);
}
END_TEST

START_TEST(an_existing_file_is_replaced)
{
    struct mp_profile *profile = widgets();
    FILE *file = fopen(path, "w");

    fputs("something old", file);
    fclose(file);
    must_seal(profile);
    mp_profile_free(read_sealed());
    mp_profile_free(profile);
}
END_TEST

START_TEST(old_sealed_file_is_readable)
{
    const char *srcdir = getenv("srcdir");
    struct mp_profile *old, *now = widgets();
    char data[4096];

    snprintf(data, sizeof data, "%s/tests/data/sealed-1.data", srcdir ? srcdir : ".");
    old = mp_read(data, &error);
    ck_assert_msg(old != NULL, "%s", error.text);
    assert_equal(now, old);
    mp_profile_free(old);
    mp_profile_free(now);
}
END_TEST

/* ---------------------------------------------------------------- hostile files */

/* A file around CONTENT as it is, with a right checksum. */
static struct mp_buffer
wrapped(const uint8_t *content, size_t size)
{
    struct mp_buffer file = {0};

    mp_buffer_bytes(&file, MP_SEALED_MAGIC, 8);
    mp_buffer_u32(&file, MP_SEALED_VERSION);
    mp_buffer_u32(&file, 0);
    mp_buffer_u64(&file, size);
    mp_buffer_u64(&file, size);
    mp_buffer_bytes(&file, content, size);
    mp_buffer_u32(&file, (uint32_t)crc32_z(0, file.bytes, file.size));
    return file;
}

static void
mend_crc(uint8_t *bytes, size_t size)
{
    uint32_t crc = (uint32_t)crc32_z(0, bytes, size - 4);

    for (int i = 0; i < 4; i++)
        bytes[size - 4 + (size_t)i] = (uint8_t)(crc >> (8 * i));
}

static struct mp_buffer
plain_content(void)
{
    struct mp_profile *profile = widgets();
    struct mp_buffer content = {0};

    ck_assert(mp_sealed_encode(profile, &content, &error));
    mp_profile_free(profile);
    return content;
}

/* Read a copy of its own size, so that a sanitizer sees each byte beyond the end. */
static bool
survives(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    struct mp_profile *profile;
    bool read;

    memcpy(copy, bytes, size);
    error.code = MP_ERR_NONE;
    profile = mp_read_bytes(copy, size, "x.data", &error);
    free(copy);
    read = profile != NULL;
    if (read)
        assert_valid(profile);
    else if (error.code == MP_ERR_NONE)
        ck_abort_msg("no error and no profile");
    mp_profile_free(profile);
    return read;
}

START_TEST(stored_content_is_read_too)
{
    struct mp_buffer content = plain_content(), file = wrapped(content.bytes, content.size);

    ck_assert(survives(file.bytes, file.size));
    mp_buffer_free(&content);
    mp_buffer_free(&file);
}
END_TEST

START_TEST(unknown_sections_are_passed_over)
{
    struct mp_buffer content = plain_content(), file;

    mp_buffer_varint(&content, 1000);
    mp_buffer_varint(&content, 5);
    mp_buffer_bytes(&content, "hello", 5);
    file = wrapped(content.bytes, content.size);
    ck_assert(survives(file.bytes, file.size));
    mp_buffer_free(&content);
    mp_buffer_free(&file);
}
END_TEST

START_TEST(a_newer_version_is_refused_by_name)
{
    struct mp_buffer content = plain_content(), file = wrapped(content.bytes, content.size);

    file.bytes[8] = 2;
    ck_assert(!survives(file.bytes, file.size));
    ck_assert_int_eq(error.code, MP_ERR_VERSION);
    ck_assert_msg(strstr(error.text, "version 2") != NULL, "%s", error.text);
    mp_buffer_free(&content);
    mp_buffer_free(&file);
}
END_TEST

START_TEST(the_error_names_section_and_place)
{
    struct mp_buffer content = plain_content(), file;

    content.bytes[3] = 0xff;    /* the number of strings, after tag and length */
    content.bytes[4] = 0x7f;
    file = wrapped(content.bytes, content.size);
    ck_assert(!survives(file.bytes, file.size));
    ck_assert_int_eq(error.code, MP_ERR_DAMAGED);
    ck_assert_msg(strstr(error.text, "x.data: strings: ") != NULL, "%s", error.text);
    ck_assert_uint_eq(error.offset, MP_SEALED_HEADER_SIZE + 3);
    mp_buffer_free(&content);
    mp_buffer_free(&file);
}
END_TEST

START_TEST(a_wrong_checksum_is_found)
{
    struct mp_profile *profile = widgets();
    uint8_t *bytes;
    size_t size;

    must_seal(profile);
    bytes = file_bytes(&size);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x10;
        ck_assert(!survives(bytes, size));
        bytes[at] ^= 0x10;
    }
    free(bytes);
    mp_profile_free(profile);
}
END_TEST

START_TEST(truncation_at_every_byte_is_an_error)
{
    struct mp_profile *profile = widgets();
    uint8_t *bytes;
    size_t size;

    must_seal(profile);
    bytes = file_bytes(&size);
    for (size_t cut = 0; cut < size; cut++) {
        ck_assert(!survives(bytes, cut));
        ck_assert(cut < 8 || error.code == MP_ERR_TRUNCATED);
    }
    free(bytes);
    mp_profile_free(profile);
}
END_TEST

START_TEST(truncated_content_is_an_error)
{
    struct mp_buffer content = plain_content();

    for (size_t cut = 0; cut < content.size; cut++) {
        struct mp_buffer file = wrapped(content.bytes, cut);

        ck_assert(!survives(file.bytes, file.size));
        mp_buffer_free(&file);
    }
    mp_buffer_free(&content);
}
END_TEST

/* Every value of every byte of FILE, each with a right checksum. */
static void
try_all_bytes(uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size - 4; at++) {
        uint8_t right = bytes[at];

        for (unsigned value = 0; value < 256; value += at < 8 ? 51 : 1) {
            bytes[at] = (uint8_t)value;
            mend_crc(bytes, size);
            survives(bytes, size);
        }
        bytes[at] = right;
    }
}

START_TEST(no_changed_byte_of_the_content_crashes)
{
    struct mp_buffer content = plain_content(), file = wrapped(content.bytes, content.size);

    try_all_bytes(file.bytes, file.size);
    mp_buffer_free(&content);
    mp_buffer_free(&file);
}
END_TEST

START_TEST(no_changed_byte_of_a_deflated_file_crashes)
{
    struct mp_profile *profile = widgets();
    uint8_t *bytes;
    size_t size;

    must_seal(profile);
    bytes = file_bytes(&size);
    try_all_bytes(bytes, size);
    free(bytes);
    mp_profile_free(profile);
}
END_TEST

START_TEST(a_bomb_is_refused_before_it_goes_off)
{
    struct mp_buffer file = {0};

    mp_buffer_bytes(&file, MP_SEALED_MAGIC, 8);
    mp_buffer_u32(&file, MP_SEALED_VERSION);
    mp_buffer_u32(&file, MP_SEALED_DEFLATED);
    mp_buffer_u64(&file, MP_SEALED_MAX_CONTENT);
    mp_buffer_u64(&file, 100);
    for (int i = 0; i < 26; i++)
        mp_buffer_u32(&file, 0);
    mend_crc(file.bytes, file.size);
    ck_assert(!survives(file.bytes, file.size));
    ck_assert_msg(strstr(error.text, "sizes") != NULL, "%s", error.text);
    mp_buffer_free(&file);
}
END_TEST

static void
add_sealing(Suite *suite)
{
    TCase *tests = tcase_create("sealing");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_papers_example_goes_round);
    tcase_add_test(tests, the_papers_example_is_small);
    tcase_add_test(tests, addresses_of_the_process_are_not_kept);
    tcase_add_test(tests, an_empty_profile_goes_round);
    tcase_add_test(tests, every_field_of_the_head_goes_round);
    tcase_add_test(tests, every_shape_of_a_cell_goes_round);
    tcase_add_test(tests, contexts_of_any_order_go_round);
    tcase_add_test(tests, a_deep_and_wide_tree_goes_round);
    tcase_add_test(tests, a_profile_without_symbols_is_not_sealed);
    tcase_add_test(tests, a_failure_leaves_nothing_behind);
    tcase_add_test(tests, an_existing_file_is_replaced);
    tcase_add_test(tests, old_sealed_file_is_readable);
    suite_add_tcase(suite, tests);
}

static void
add_hostile(Suite *suite)
{
    TCase *tests = tcase_create("hostile");

    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stored_content_is_read_too);
    tcase_add_test(tests, unknown_sections_are_passed_over);
    tcase_add_test(tests, a_newer_version_is_refused_by_name);
    tcase_add_test(tests, the_error_names_section_and_place);
    tcase_add_test(tests, a_wrong_checksum_is_found);
    tcase_add_test(tests, truncation_at_every_byte_is_an_error);
    tcase_add_test(tests, truncated_content_is_an_error);
    tcase_add_test(tests, no_changed_byte_of_the_content_crashes);
    tcase_add_test(tests, no_changed_byte_of_a_deflated_file_crashes);
    tcase_add_test(tests, a_bomb_is_refused_before_it_goes_off);
    suite_add_tcase(suite, tests);
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("seal");

    if (argc == 3 && strcmp(argv[1], "--write") == 0) {     /* how tests/data/sealed-1.data came */
        struct mp_profile *profile = widgets();

        return !mp_seal(profile, argv[2], NULL, &error);
    }
    add_sealing(suite);
    add_hostile(suite);
    return tap_run(suite);
}
