/* ecl_layout.h -- the numbers of ecl_layout.def, as objects.h and as ECL's headers have them. */
#ifndef MP_ECL_LAYOUT_H
#define MP_ECL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct layout_number {
    const char *what;
    int64_t value;
};

extern const struct layout_number layout_ours[], layout_theirs[];
extern const size_t layout_n_ours, layout_n_theirs;

/* The version of the ECL whose headers these are: 210201 for 21.2.1. */
extern const int layout_version;

/* Where its cl_core has the table of setf functions, bytes. */
extern const size_t layout_setf_definitions;

#endif
