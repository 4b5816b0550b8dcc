#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/file/reader.h"
#include "reporter/file/sealed_parts.h"
#include "reporter/table/report.h"
#include "tests/unit/profile_checks.h"
#include "tests/unit/seal_fixture.h"

/* Returns a file with the unchanged CONTENT and a correct checksum. Its bytes are freed when the test ends, or by
 * tap_release(). */
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
    tap_keep(file.bytes, free);
    return file;
}

static void
mend_crc(uint8_t *bytes, size_t size)
{
    uint32_t crc = (uint32_t)crc32_z(0, bytes, size - 4);

    for (int i = 0; i < 4; i++)
        bytes[size - 4 + (size_t)i] = (uint8_t)(crc >> (8 * i));
}

/* Returns the offset of the first section of CONTENT whose tag is not less than TAG. */
static size_t
before_section(const struct mp_buffer *content, uint64_t tag)
{
    struct mp_cursor from;
    size_t before = 0;

    mp_cursor_init(&from, content->bytes, content->size, 0);
    while (mp_cursor_left(&from) > 0 && mp_cursor_varint(&from) < tag) {
        mp_cursor_bytes(&from, mp_cursor_count(&from, 1));
        before = (size_t)(from.at - from.start);
    }
    return before;
}

/* Returns the content of a file for PROFILE, with section TAG if that is not 0. It is freed when the test ends. */
static struct mp_buffer
content_with(const struct mp_profile *profile, unsigned tag, const char *section, size_t size)
{
    struct mp_buffer content = {0};

    struct mp_buffer whole = {0};
    size_t before;

    mp_sealed_encode(profile, &content);
    before = before_section(&content, tag);
    mp_buffer_bytes(&whole, content.bytes, before);
    if (tag) {
        mp_buffer_varint(&whole, tag);
        mp_buffer_varint(&whole, size);
        mp_buffer_bytes(&whole, section, size);
    }
    mp_buffer_bytes(&whole, content.bytes + before, content.size - before);
    mp_buffer_free(&content);
    tap_keep(whole.bytes, free);
    return whole;
}

static struct mp_buffer
content_of(const struct mp_profile *profile)
{
    return content_with(profile, 0, NULL, 0);
}

static struct mp_buffer
file_of(const struct mp_profile *profile)
{
    const struct mp_buffer content = content_of(profile);

    return wrapped(content.bytes, content.size);
}

/* Makes all views of PROFILE, and a report of every 64th one. Code after the reader does not check a profile again, so
 * it must survive all that the reader accepts. */
static void
must_be_shown(const struct mp_profile *profile)
{
    static unsigned reports;
    struct mp_report_options options = MP_REPORT_DEFAULT;

    for (int lisp = 0; lisp < 2; lisp++) {
        for (int frames = MP_FRAMES_LISP; frames <= MP_FRAMES_ALL; frames++) {
            const struct mp_view_options wanted = {.frames = (enum mp_frames)frames,
                                                   .lisp_only = lisp};
            struct mp_profile *view = mp_view(profile, &wanted, NULL);

            assert_valid(view);
            mp_profile_free(view);
        }
    }
    if (reports++ % 64 == 0) {
        FILE *out = fopen("/dev/null", "w");

        options.tables |= MP_TABLE_GC;
        options.view.lisp_only = reports % 128 != 0;
        options.print.verbosity = MP_VERBOSE;
        ck_assert_msg(mp_report_write(profile, &options, out, &error), "%s", error.text);
        fclose(out);
    }
}

/* Returns whether the file in BYTES can be read. Reads an allocated copy, so that a sanitizer finds each access beyond
 * the end. */
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
    if (read && (profile->n_names > 0 || profile->timeline))
        must_be_shown(profile);
    if (read)
        assert_valid(profile);
    else if (error.code == MP_ERR_NONE)
        ck_abort_msg("no error and no profile");
    mp_profile_free(profile);
    return read;
}

/* Reads a file that also has SECTION. */
static bool
survives_with(unsigned tag, const char *section, size_t size)
{
    const struct mp_buffer content = content_with(widgets(), tag, section, size);
    const struct mp_buffer file = wrapped(content.bytes, content.size);

    return survives(file.bytes, file.size);
}

FIXTURE(folder_set_up, NULL)
TIMEOUT(120)

/* Sections of a file, some of which are invalid. The first of the file's two cells has freed blocks, the second has
 * none. */
static const struct {
    unsigned tag;
    const char *bytes;
    size_t size;
    bool good;
} sections[] = {
    {MP_SEC_UNUSED, "\1\177\1\20", 4, true},          /* skipped, whatever its content */
    {MP_SEC_LIFETIMES, "\0", 1, true},
    {MP_SEC_LIFETIMES, "\1\1\1\1\1", 5, true},
    {MP_SEC_LIFETIMES, "\1\1\3\1\1\1\1", 7, true},
    {MP_SEC_LIFETIMES, "\1\2\1\1\1", 5, false},           /* of the second cell */
    {MP_SEC_LIFETIMES, "\1\0\1\1\1", 5, false},
    {MP_SEC_LIFETIMES, "\1\3\1\1\1", 5, false},     /* of a cell that does not exist */
    {MP_SEC_LIFETIMES, "\2\1\0\1\1\1\1\1\1", 9, false},   /* of one cell twice */
    {MP_SEC_LIFETIMES, "\1\1\0\1\1", 5, false},           /* without a bucket */
    {MP_SEC_LIFETIMES, "\1\1\200\200\2\1\1", 7, false},   /* in a bucket that does not exist */
    {MP_SEC_LIFETIMES, "\1\1\1\377\377\3\1", 7, false},   /* more blocks than were freed */
    {MP_SEC_LIFETIMES, "\1\1\1\1", 4, false},
    {MP_SEC_LIFETIMES, "\1\1\1\1\1\1", 6, false},
    {MP_SEC_LIFETIMES, "\177\1\1\1\1", 5, false},
};

TEST_EACH(sections_are_checked, sections)
{
    ck_assert_int_eq(survives_with(sections[_i].tag, sections[_i].bytes, sections[_i].size), sections[_i].good);
}

TEST(stored_content_is_read_too)
{
    const struct mp_buffer file = file_of(widgets());

    ck_assert(survives(file.bytes, file.size));
}

TEST(unknown_sections_are_passed_over)
{
    ck_assert(survives_with(1000, "hello", 5));
}

TEST(another_version_is_refused_by_name)
{
    struct mp_buffer file = file_of(widgets());

    for (uint8_t version = 0; version < 10; version++) {
        char text[] = "x.data has version 0 of the sealed form, this mprof reads versions 1 and 2";

        text[sizeof "x.data has version"] = (char)('0' + version);
        file.bytes[8] = version;
        mend_crc(file.bytes, file.size);
        const bool known = version == MP_SEALED_VERSION || version == MP_SEALED_VERSION_OBJECTS;

        ck_assert_int_eq(survives(file.bytes, file.size), known);
        if (known)
            continue;
        ck_assert_int_eq(error.code, MP_ERR_VERSION);
        ck_assert_str_eq(error.text, text);
    }
}

TEST(the_error_names_section_and_place)
{
    struct mp_buffer content = content_of(widgets()), file;

    content.bytes[3] = 0xff;    /* the number of strings, after tag and length */
    content.bytes[4] = 0x7f;
    file = wrapped(content.bytes, content.size);
    ck_assert(!survives(file.bytes, file.size));
    ck_assert_int_eq(error.code, MP_ERR_DAMAGED);
    ck_assert_msg(strstr(error.text, "x.data: strings: ") != NULL, "%s", error.text);
    ck_assert_uint_eq(error.offset, MP_SEALED_HEADER_SIZE + 3);
}

TEST(a_wrong_checksum_is_found)
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
}

TEST(truncation_at_every_byte_is_an_error)
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
}

/* The bytes of a file are divided among this many tests, so that each test ends within its time limit, also with
 * sanitizers. */
enum { PARTS = 16 };

/* Reads the file with VALUE in place of byte AT, and a correct checksum. */
static void
try_value(uint8_t *bytes, size_t size, size_t at, unsigned value)
{
    const uint8_t right = bytes[at];

    bytes[at] = (uint8_t)value;
    mend_crc(bytes, size);
    survives(bytes, size);
    bytes[at] = right;
}

/* Reads the file with other values of each PARTS-th byte, beginning with byte FIRST: one more, one less, each bit
 * changed, and each 17th value; with EVERY_VALUE in the environment, each value. */
static void
try_bytes(uint8_t *bytes, size_t size, size_t first)
{
    const unsigned step = getenv("EVERY_VALUE") ? 1 : 17;

    for (size_t at = first; at < size - 4; at += PARTS) {
        for (unsigned value = 0; value < 256; value += at < 8 ? 51 : step)
            try_value(bytes, size, at, value);
        for (unsigned bit = 0; bit < 8 && step > 1 && at >= 8; bit++)
            try_value(bytes, size, at, bytes[at] ^ 1u << bit);
        if (step > 1 && at >= 8) {
            try_value(bytes, size, at, bytes[at] + 1u);
            try_value(bytes, size, at, bytes[at] - 1u);
        }
    }
}

static const struct {
    const char *name;
    struct mp_profile *(*profile)(void);
} files[] = {{"widgets", widgets}, {"a Lisp program", lisp}, {"plain names", named}, {"a time line", timed}};

TEST_LOOP(no_changed_byte_of_the_content_crashes, 0, PARTS * (int)(sizeof files / sizeof *files))
{
    struct mp_buffer file = file_of(files[_i / PARTS].profile());

    tap_name(files[_i / PARTS].name);
    ck_assert(survives(file.bytes, file.size));
    try_bytes(file.bytes, file.size, (size_t)_i % PARTS);
}

/* The sections of the runtime may be missing as a whole, but not in part. All later sections may be missing. */
TEST_LOOP(truncated_content_is_an_error, 0, 2)
{
    const struct mp_buffer content = content_of(files[_i].profile());
    const size_t no_identity = before_section(&content, MP_SEC_IDENTITY);
    const size_t needed = before_section(&content, MP_SEC_FORMS);

    for (size_t cut = 0; cut < content.size; cut++) {
        const struct mp_buffer file = wrapped(content.bytes, cut);

        ck_assert_int_eq(survives(file.bytes, file.size), cut == no_identity || cut == needed);
        tap_release(file.bytes);
    }
}

TEST_LOOP(no_changed_byte_of_a_deflated_file_crashes, 0, PARTS)
{
    struct mp_profile *profile = widgets();
    uint8_t *bytes;
    size_t size;

    must_seal(profile);
    bytes = file_bytes(&size);
    try_bytes(bytes, size, (size_t)_i);
    free(bytes);
}

/* Copies of locations need memory, which is reserved by their number in the file. */
TEST(frames_with_more_locations_than_there_are_are_refused)
{
    struct mp_profile *profile = widgets();
    struct mp_buffer file;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        profile->frames[i].first_location = 0;
        profile->frames[i].n_locations = profile->n_locations;
    }
    file = file_of(profile);
    ck_assert(!survives(file.bytes, file.size));
    ck_assert_msg(strstr(error.text, "frames: ") != NULL, "%s", error.text);
}

/* The file has a gigabyte, but takes no space, and must not be read. */
TEST(a_file_that_is_too_large_is_refused_by_its_header)
{
    struct mp_buffer head = {0};
    const uint64_t stored = MP_SEALED_MAX_CONTENT + 1;
    FILE *out = fopen(path, "we");

    mp_buffer_bytes(&head, MP_SEALED_MAGIC, 8);
    mp_buffer_u32(&head, MP_SEALED_VERSION);
    mp_buffer_u32(&head, MP_SEALED_DEFLATED);
    mp_buffer_u64(&head, MP_SEALED_MAX_CONTENT);
    mp_buffer_u64(&head, stored);
    ck_assert_uint_eq(fwrite(head.bytes, 1, head.size, out), MP_SEALED_HEADER_SIZE);
    fclose(out);
    mp_buffer_free(&head);
    ck_assert_int_eq(truncate(path, (off_t)(MP_SEALED_HEADER_SIZE + stored + MP_SEALED_CRC_SIZE)), 0);
    ck_assert_ptr_null(mp_read(path, &error));
    ck_assert_msg(strstr(error.text, "sizes") != NULL, "%s", error.text);
}

TEST(a_bomb_is_refused_before_it_goes_off)
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
/* SPDX-License-Identifier: MIT */
