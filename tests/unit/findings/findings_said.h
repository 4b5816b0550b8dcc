/* findings_said.h -- what rules say of profiles made by hand, for tests. */
#ifndef MP_TEST_FINDINGS_SAID_H
#define MP_TEST_FINDINGS_SAID_H

#include "reporter/findings/findings.h"

/* What is said of PROFILE, in a line each: "kept make_widget 501: main > make_red_widget > make_widget". */
void must_say(const struct mp_profile *profile, const char *expected);

/* The first finding's sentences are EXPECTED. */
void sentence_must_be(const struct mp_profile *profile, const char *expected);

/* The cell of PROFILE whose function is called NAME, the first of them. */
struct mp_cell *cell_in(struct mp_profile *profile, const char *name);

/* What is kept of each cell was alive at the peak, and nothing else was. */
void let_peak_be_kept(struct mp_profile *profile);

#endif
