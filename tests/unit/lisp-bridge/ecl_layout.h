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

/* The members of layout.def, in its order, as ECL's headers have them. */
extern const struct layout_number layout_members[];
extern const size_t layout_n_members;

/* Whether a process has its environment among the words where the bridge looks, and bytes of a frame. */
extern const size_t layout_process_env, layout_frame, layout_booted;

#endif
