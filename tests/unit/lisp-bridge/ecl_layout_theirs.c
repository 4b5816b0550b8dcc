#include <ecl/ecl.h>

#include "ecl_layout.h"

#define NUMBER(what, value) { what, (int64_t)(value) },
const struct layout_number layout_theirs[] = {
#include "ecl_layout.def"
};
const size_t layout_n_theirs = sizeof layout_theirs / sizeof *layout_theirs;

const int layout_version = ECL_VERSION_NUMBER;
const size_t layout_setf_definitions = offsetof(struct cl_core_struct, setf_definitions);
