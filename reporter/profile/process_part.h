/*
 * process_part.h -- what some of the processes of a merged profile did, or each of them by itself: a profile
 * like any other, made before the view.
 */
#ifndef MP_PROCESS_PART_H
#define MP_PROCESS_PART_H

#include "profile.h"

struct mp_process_choice {
    const bool *chosen;         /* by process of the profile: is it wanted?  NULL: all are */
    bool group;                 /* chains begin with the process, program or host that they are of; */
    bool all_frames;            /* and, of what only starts main and threads, with all of that */
};

/* PROFILE, which is a merged one, as CHOICE wants it, without labels, and with those processes that are
 * wanted.  It must be freed before PROFILE, whose functions are its first.  NULL and *ERROR: the file does not
 * tell them apart from others. */
struct mp_profile *mp_process_part(const struct mp_profile *profile,
                                   const struct mp_process_choice *choice, struct mp_error *error);

#endif
