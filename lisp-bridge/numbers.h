/*
 * numbers.h -- finds functions of a compiled Lisp file that have no symbol.
 *
 * ECL numbers the C functions that it creates (runtime/ecl_c_name.h), starting anew in each compilation unit. A
 * function without a symbol was inlined everywhere, or was folded with an equal function.
 */
#ifndef MP_LISP_NUMBERS_H
#define MP_LISP_NUMBERS_H

#include "fas_file.h"

struct mp_numbers {
    const struct mp_fas *fas;
    struct mp_numbered *all;    /* ascending; NULL if memory was lacking, and then no function counts as missing */
    size_t n;
};

void mp_numbers_open(struct mp_numbers *numbers, const struct mp_fas *fas);
void mp_numbers_close(struct mp_numbers *numbers);

/* Local functions are numbered before the function that contains them. Returns whether a number is missing between
 * the preceding function with its own object and SYMBOL's function, that is, whether a local function of it has no
 * symbol. */
bool mp_numbers_lack_local(const struct mp_numbers *numbers, const Elf64_Sym *symbol);

#endif
