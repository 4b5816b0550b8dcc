/*
 * embed.c -- a C program that contains ECL: C calls Lisp, which calls C, which allocates with malloc and in ECL's
 * heap.
 */
#include <ecl/ecl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept[1000];
static cl_object list;

static cl_object __attribute__((noinline))
call_back(cl_object n)
{
    cl_env_ptr env = ecl_process_env();
    cl_fixnum count = ecl_to_fixnum(n);

    for (cl_fixnum i = 0; i < count; i++) {
        kept[i] = malloc(100);
        list = ecl_cons(ecl_make_fixnum(i), list);
    }
    ecl_return1(env, n);
}

static cl_object __attribute__((noinline))
run_lisp(const char *form)
{
    cl_object result = cl_eval(ecl_read_from_cstring(form));

    return result;
}

int
main(int argc, char **argv)
{
    cl_boot(argc, argv);
    list = ECL_NIL;
    ecl_register_root(&list);
    ecl_def_c_function(ecl_read_from_cstring("call-back"), (cl_objectfn_fixed)call_back, 1);
    run_lisp("(defun through-lisp (n) (let ((l (list n n))) (+ (call-back n) (length l))))");
    run_lisp("(through-lisp 1000)");
    run_lisp("(si::gc t)");
    puts("done");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    cl_shutdown();
    return 0;
}
/* SPDX-License-Identifier: MIT */
