/*
 * form.h -- the beginning of the language's chains: the thread, and the forms that are recorded.
 */
#ifndef MP_FORM_H
#define MP_FORM_H

struct mp_recorder;

/* Finds the frame that all chains of RECORDER's thread begin with. Called before each capture while root_known is
 * false. */
void mp_form_find_root(struct mp_recorder *recorder);

#endif
