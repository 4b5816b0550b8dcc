/* session.h -- mprof top on a terminal: looks and keys in turn. */
#ifndef MP_SESSION_H
#define MP_SESSION_H

#include "keys.h"
#include "look.h"

/* Until somebody ends it, or for N looks (0: any number). */
bool mp_session(struct mp_looks *looks, struct mp_controls *controls, unsigned long n,
                struct mp_error *error);

/* ns, of a clock that goes on steadily. */
uint64_t mp_session_now(void);

/* When the look after one that took from BEGIN to END is due: so that looks take at most a fifth of the
 * time. */
uint64_t mp_session_due(uint64_t begin, uint64_t end, double interval);

/* A picture's options of what LOOKS and CONTROLS have now.  SETTINGS and SAYING are filled. */
struct mp_picture_options mp_session_picture(const struct mp_looks *looks,
                                             const struct mp_controls *controls,
                                             const struct mp_lines *lines,
                                             char settings[static 64], char saying[static 256]);

#endif
