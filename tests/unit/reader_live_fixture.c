#include "tap.h"

#include "reader_live_fixture.h"

#include <stdio.h>
#include <string.h>

#include "profile_builder.h"
#include "profile_checks.h"
#include "reporter/file/reader.h"

struct live_builder b;

static struct mp_profile *
read_built(void)
{
    size_t size;
    uint8_t *file = lb_finish(&b, &size);
    struct mp_profile *profile = mp_read_bytes(file, size, "x.data", &error);

    free(file);
    if (profile)
        assert_valid(profile);
    return profile;
}

struct mp_profile *
must_read(void)
{
    struct mp_profile *profile = read_built();

    ck_assert_msg(profile != NULL, "%s", error.text);
    return keep_profile(profile);
}

uint64_t
place(enum mp_extent_kind kind, uint32_t index)
{
    for (uint32_t i = 0; i < b.header.n_extents; i++) {
        const struct mp_live_extent *extent = &b.header.extents[i];

        if (extent->kind != kind)
            continue;
        if (index < extent->count)
            return extent->offset + (uint64_t)index * extent->record_size;
        index -= extent->count;
    }
    return 0;
}

void
must_fail(enum mp_error_code code, const char *text)
{
    struct mp_profile *profile = read_built();

    ck_assert_ptr_null(profile);
    ck_assert_int_eq(error.code, code);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
}

void
set_up(void)
{
    lb_init(&b);
}

uint32_t
add_context(void)
{
    return lb_context(&b, 0, lb_frame(&b, 0, 0x1100));
}

void
must_be_damage(void (*build)(void), const struct damage *damage)
{
    set_up();
    build();
    memcpy((char *)&b + damage->at, &damage->value, damage->size);     /* little-endian */
    must_fail(MP_ERR_DAMAGED, damage->text);
    if (damage->kind != MP_EXT_KINDS)
        ck_assert_uint_eq(error.offset, place(damage->kind, damage->index));
}

void
assert_equal_but_for_file(struct mp_profile *one, struct mp_profile *other)
{
    one->meta.live_file_size = other->meta.live_file_size;
    assert_equal(one, other);
}

/* Field 22 of /proc/PID/stat. */
static uint64_t
start_ticks_of(pid_t pid)
{
    unsigned long long ticks = 0;
    char path[64], line[1024] = "", *at;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    at = strrchr(line, ')') + 2;
    for (int field = 3; field < 22; field++)
        at = strchr(at, ' ') + 1;
    sscanf(at, "%llu", &ticks);
    return ticks;
}

void
run_as(pid_t pid)
{
    b.header.state = MP_STATE_RUNNING;
    b.header.pid = (uint32_t)pid;
    b.header.start_ticks = start_ticks_of(pid);
}
/* SPDX-License-Identifier: MIT */
