/*
 * form.h -- what chains of the language begin with: the thread, and the forms that are recorded.
 */
#ifndef MP_FORM_H
#define MP_FORM_H

struct mp_recorder;

/* Find what the chains of RECORDER's thread begin with, unless root_known: before each capture. */
void mp_form_find_root(struct mp_recorder *recorder);

#endif
