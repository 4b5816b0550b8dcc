/* symbol_package.h -- finds the Debian packages with the debug information of programs and libraries. */
#ifndef MP_SYMBOLS_SYMBOL_PACKAGE_H
#define MP_SYMBOLS_SYMBOL_PACKAGE_H

#include "reporter/profile/profile.h"

/* Sets `package` of those modules of PROFILE that are WANTED and belong to an installed package. Reads the list of each
 * installed package once, if it must. */
void mp_symbol_packages(struct mp_profile *profile, const bool *wanted);

#endif
