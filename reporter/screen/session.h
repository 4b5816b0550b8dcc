/* session.h -- mprof top on a terminal: takes samples and handles keys. */
#ifndef MP_SCREEN_SESSION_H
#define MP_SCREEN_SESSION_H

#include "keys.h"
#include "look.h"

/* Runs until the user ends it or N samples were taken; 0 means no limit. Returns false and fills *ERROR if there is
 * no usable terminal. */
bool mp_session(struct mp_looks *looks, struct mp_controls *controls, unsigned long n,
                struct mp_error *error);

/* Returns the time of CLOCK_MONOTONIC, ns. */
uint64_t mp_session_now(void);

/* Returns when to take the next sample after one that lasted from BEGIN to END, ns. INTERVAL is in seconds. Samples
 * take at most a fifth of the time. */
uint64_t mp_session_due(uint64_t begin, uint64_t end, double interval);

/* Returns the options of a picture with the current state of LOOKS and CONTROLS. Writes texts to SETTINGS and SAYING,
 * to which the options refer. */
struct mp_picture_options mp_session_picture(const struct mp_looks *looks,
                                             const struct mp_controls *controls,
                                             const struct mp_screen_lines *lines,
                                             char settings[static 64], char saying[static 256]);

#endif
