#include "lisp-bridge/objects.h"

#include "ecl_layout.h"

#define NUMBER(what, value) { what, (int64_t)(value) },
const struct layout_number layout_ours[] = {
#include "ecl_layout.def"
};
const size_t layout_n_ours = sizeof layout_ours / sizeof *layout_ours;
/* SPDX-License-Identifier: MIT */
