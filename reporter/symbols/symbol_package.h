/* SPDX-License-Identifier: MIT */
/* symbol_package.h -- finds the Debian packages with the debug information of programs and libraries. */
#ifndef MP_SYMBOLS_SYMBOL_PACKAGE_H
#define MP_SYMBOLS_SYMBOL_PACKAGE_H

#include "reporter/profile/profile.h"

/* Sets `package` of those modules of PROFILE that have no symbols and belong to an installed package. Commands that
 * show it call this once for a profile, because it starts dpkg-query. Without dpkg-query it sets nothing. */
void mp_symbol_packages(struct mp_profile *profile);

/* If most bytes in PROFILE are of C and were allocated in chains without any source line, returns a sentence on the
 * module that allocates most of them, and on what brings its lines. It is in PROFILE's arena. Otherwise returns
 * NULL. */
const char *mp_symbol_lines(struct mp_profile *profile);

#endif
