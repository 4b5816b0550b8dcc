/* SPDX-License-Identifier: MIT */
/*
 * process_part.h -- selects some processes of a merged profile, or separates all of them. The result is a
 * profile like any other. It is the first step of mp_view(), see view.h.
 */
#ifndef MP_PROCESS_PART_H
#define MP_PROCESS_PART_H

#include "reporter/profile/profile.h"

struct mp_process_choice {
    const bool *chosen;         /* by process of the profile: whether it is wanted; NULL if all are */
    bool group;                 /* begin chains with their process, program or host */
    bool all_frames;            /* with `group`: also show the frames that only start main and threads */
};

/* Returns the processes of PROFILE, a merged profile, that CHOICE wants. The result has no labels, and the first
 * elements of its functions are PROFILE's, in the same order. It must be freed before PROFILE. Returns NULL and fills
 * *ERROR if the file does not distinguish the chosen processes from others. */
struct mp_profile *mp_process_part(const struct mp_profile *profile,
                                   const struct mp_process_choice *choice, struct mp_error *error);

#endif
