/* ecl_layout.h -- the numbers of ecl_layout.def, from objects.h (ours) and from ECL's headers (theirs). */
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

/* For each member in lisp-bridge/member_places.h, its offset according to ECL's headers. */
extern const struct layout_number layout_members[];
extern const size_t layout_n_members;

/* From ECL's headers: sizes of objects, the offset of the environment in a process, the size of a frame, and the offset
 * of the index in a record of the interpreter. */
extern const size_t layout_symbol_size, layout_bytecodes_size, layout_process_env, layout_frame, layout_ihs_index;

/* Stores the numbers of a class's slots with its name, superclasses, subclasses and slots, from ECL's headers. */
void layout_class_slots(ptrdiff_t numbers[4]);

#endif
/* SPDX-License-Identifier: MIT */
