/*
 * numbers.h -- which of the functions that ECL made C of have symbols in a compiled file.
 *
 * ECL numbers them (runtime/ecl_c_name.h), each unit of compilation anew.  One that has no symbol was
 * copied wherever it is called, or is equal to another one that is called in its place.
 */
#ifndef MP_LISP_NUMBERS_H
#define MP_LISP_NUMBERS_H

#include "fas_file.h"

struct mp_numbers {
    const struct mp_fas *fas;
    struct mp_numbered *all;    /* ascending; NULL: no memory, nothing is missing */
    size_t n;
};

void mp_numbers_open(struct mp_numbers *numbers, const struct mp_fas *fas);
void mp_numbers_close(struct mp_numbers *numbers);

/* Between the last function of its own before that of SYMBOL and that itself, local functions are
 * numbered that lie in it.  Has one of them no symbol? */
bool mp_numbers_lack_local(const struct mp_numbers *numbers, const Elf64_Sym *symbol);

#endif
