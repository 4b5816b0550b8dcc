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

/* The members in lisp-bridge/places.h, with their offsets from ECL's headers. */
extern const struct layout_number layout_members[];
extern const size_t layout_n_members;

/* From ECL's headers: sizes of objects, the offset of the process in an environment, the offset of the environment in a
 * process, and the size of a frame. */
extern const size_t layout_symbol_size, layout_bytecodes_size, layout_own_process, layout_process_env, layout_frame;

/* Stores the numbers of a class's slots with its name, superclasses, subclasses and slots, from ECL's headers. */
void layout_class_slots(ptrdiff_t numbers[4]);

#endif
