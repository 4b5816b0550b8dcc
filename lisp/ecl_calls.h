/* SPDX-License-Identifier: MIT */
/*
 * ecl_calls.h -- the functions of libecl and libgc that the module calls.
 *
 * The module's C code is compiled without ECL's headers, so that one build works with every ECL. All of these
 * functions are exported by every libecl and have the same arguments in all of its versions.
 */
#ifndef MP_LISP_ECL_CALLS_H
#define MP_LISP_ECL_CALLS_H

#include "lisp-bridge/objects.h"

#define ecl_make_fixnum(n)  ((cl_object)(((intptr_t)(n) << 2) | t_fixnum))
#define ECL_CODE_CHAR(c)    ((cl_object)(((intptr_t)(c) << 2) | t_character))

cl_object ecl_cons(cl_object, cl_object);
cl_object cl_list(intptr_t n, ...);
cl_object cl_values(intptr_t n, ...);
cl_object cl_eval(cl_object form);
cl_object cl_null(cl_object);
cl_object cl_make_string(intptr_t n, cl_object size, ...);
cl_object si_string_to_object(intptr_t n, cl_object string, ...);
cl_object ecl_make_simple_base_string(const char *, intptr_t length);
intptr_t ecl_length(cl_object);
ecl_character ecl_char(cl_object string, cl_index);
ecl_character ecl_char_set(cl_object string, cl_index, ecl_character);
cl_object ecl_aref1(cl_object vector, cl_index);
void *ecl_row_major_ptr(cl_object array, cl_index, cl_index bytes);
cl_object ecl_aset1(cl_object vector, cl_index, cl_object);
cl_object ecl_make_unsigned_integer(cl_index);
cl_object ecl_make_double_float(double);
double ecl_to_double(cl_object);
cl_object ecl_make_foreign_data(cl_object tag, cl_index size, void *);
void *ecl_foreign_data_pointer_safe(cl_object);
cl_object cl_apply(intptr_t n, cl_object function, ...);
cl_object cl_fdefinition(cl_object name);
cl_object cl_funcall(intptr_t n, cl_object function, ...);
void ecl_def_c_function(cl_object symbol, cl_object (*function)(void), int arguments);
void ecl_def_c_function_va(cl_object symbol, cl_object (*function)(intptr_t n, ...), int fixed);    /* older ECLs have
                                                                                               no FIXED */
intptr_t ecl_get_option(int);

void *GC_base(void *);
void *GC_dlopen(const char *, int);

#endif
