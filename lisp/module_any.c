#include "lisp_module.h"

static cl_object
string_of(const char *text)
{
    return si_string_to_object(1, mp_module_string(text));
}

void
mp_module_define(const struct mp_module_function functions[], size_t n, const char *const forms[])
{
    cl_eval(string_of(*forms));         /* the first form defines the package */
    for (size_t i = 0; i < n; i++)
        ecl_def_c_function(string_of(functions[i].name), functions[i].function, functions[i].arguments);
    while (*++forms)
        cl_eval(string_of(*forms));
}
