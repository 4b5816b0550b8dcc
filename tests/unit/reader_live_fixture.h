/* reader_live_fixture.h -- a live file in memory that a test builds, reads and damages. */
#ifndef MP_TEST_READER_LIVE_FIXTURE_H
#define MP_TEST_READER_LIVE_FIXTURE_H

#include <sys/types.h>

#include "live_builder.h"
#include "profile_checks.h"
#include "reporter/profile/profile.h"

extern struct live_builder b;

/* Begins an empty file. Called before each test. */
void set_up(void);

/* Adds a context without callers, whose frame is outside of all modules. */
uint32_t add_context(void);

/* Reads what was built. The first function returns a valid profile, which is freed when the test ends. The second one
 * fails the test unless reading fails with CODE and a message that contains TEXT. */
struct mp_profile *must_read(void);
void must_fail(enum mp_error_code code, const char *text);

/* A number of the builder, what it becomes, and the error that this causes. */
struct damage {
    size_t at, size;            /* of the number in struct live_builder */
    uint64_t value;
    const char *text;           /* part of the message */
    enum mp_extent_kind kind;   /* the error is in record INDEX of this kind; MP_EXT_KINDS if that is not checked */
    uint32_t index;
};
#define DAMAGE_AT(member, value, text, kind, index)                                                \
    {offsetof(struct live_builder, member), sizeof(((struct live_builder *)0)->member), (uint64_t)(value), text, kind, \
     index}
#define DAMAGE(member, value, text) DAMAGE_AT(member, value, text, MP_EXT_KINDS, 0)

/* Builds a file by BUILD, changes one number and fails the test unless the file is refused as damaged. */
void must_be_damage(void (*build)(void), const struct damage *damage);

/* Compares two profiles, but not the sizes of their files. */
void assert_equal_but_for_file(struct mp_profile *one, struct mp_profile *other);

/* Returns the offset of record INDEX of KIND in the file that was built last. */
uint64_t place(enum mp_extent_kind kind, uint32_t index);

/* Makes the file that of the running process PID. */
void run_as(pid_t pid);

#endif
/* SPDX-License-Identifier: MIT */
