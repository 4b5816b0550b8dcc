/* reader_live_fixture.h -- what the live reader's tests share: one file in the making. */
#ifndef MP_TEST_READER_LIVE_FIXTURE_H
#define MP_TEST_READER_LIVE_FIXTURE_H

#include <sys/types.h>

#include "live_builder.h"
#include "profile_checks.h"
#include "reporter/profile/profile.h"

extern struct live_builder b;

/* Begin an empty file. */
void set_up(void);

/* Read what was built: a valid profile, or an error of CODE whose message has TEXT in it. */
struct mp_profile *must_read(void);
void must_fail(enum mp_error_code code, const char *text);

/* The two say the same, but for how large their files are. */
void assert_equal_but_for_file(struct mp_profile *one, struct mp_profile *other);

/* Where record INDEX of KIND is in the file that was built last. */
uint64_t place(enum mp_extent_kind kind, uint32_t index);

/* The file is that of process PID, which runs. */
void run_as(pid_t pid);

#endif
