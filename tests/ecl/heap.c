/*
 * heap.c -- a C program that allocates in ECL's heap: uncollectable blocks, plain data, and objects.
 *
 *     heap            ends; which blocks are kept is known
 *     heap forever    prints "running" and runs Lisp in two threads until it is killed
 *     heap fork       forks a child, which goes on allocating
 *     heap collect    forks a child, which only collects its parent's garbage
 *     heap total      prints how much mprof_total() grows in two collections
 */
#include <dlfcn.h>
#include <ecl/ecl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/mprof.h"

static void *uncollectable[100];
static cl_object kept;

static void __attribute__((noinline))
allocate_uncollectable(void)
{
    for (int i = 0; i < 100; i++)
        uncollectable[i] = ecl_alloc_uncollectable(1000);
    for (int i = 0; i < 40; i++)
        ecl_free_uncollectable(uncollectable[i]);
}

/* Prints the size in bytes that libgc gave to each kind of block. */
static void
print_size(void)
{
    void *const function = dlsym(RTLD_DEFAULT, "GC_size");
    size_t (*size)(const void *);

    memcpy(&size, &function, sizeof size);
    printf("%zu\n", size(uncollectable[99]));
}

static void __attribute__((noinline))
make_vectors(int n)
{
    for (int i = 0; i < n; i++) {
        cl_object vector = ecl_alloc_simple_vector(10, ecl_aet_object);

        if (i % 4 == 0)
            kept = ecl_cons(vector, kept);
    }
}

static void __attribute__((noinline))
make_strings(int n)
{
    for (int i = 0; i < n; i++)
        kept = ecl_cons(ecl_make_simple_base_string("text", -1), kept);
}

static cl_object __attribute__((noinline))
run_lisp(const char *form)
{
    cl_object result = cl_eval(ecl_read_from_cstring(form));

    return result;
}

static int
run_forever(void)
{
    run_lisp("(defun churn (n) (let ((l nil)) (dotimes (i n) (push (make-string 10) l)) (length l)))");
    run_lisp("(compile 'churn)");
    run_lisp("(churn 1000)");
    run_lisp("(mp:process-run-function 'other (lambda () (loop (churn 1000))))");
    puts("running");
    fflush(stdout);
    run_lisp("(loop (churn 1000))");
    return 0;
}

static int
run_fork(void)
{
    int status = 0;
    pid_t child;

    make_strings(100);
    child = fork();
    if (child == 0) {
        make_vectors(400);
        _exit(7);
    }
    make_vectors(200);
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

static int
run_collect(void)
{
    int status = 0;
    pid_t child;

    make_strings(1000);
    kept = ECL_NIL;
    child = fork();
    if (child == 0) {
        si_gc(1, ECL_T);
        _exit(8);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    _exit(0);
}

static int
run_total(void)
{
    uint64_t before;

    make_strings(1000);
    before = mprof_total();
    for (int i = 0; i < 2; i++)
        si_gc(1, ECL_T);
    printf("%llu\n", (unsigned long long)(mprof_total() - before));
    return 0;
}

int
main(int argc, char **argv)
{
    ecl_set_option(ECL_OPT_SIGNAL_HANDLING_THREAD, 0);  /* a forked child could not stop ECL's signal thread */
    cl_boot(argc, argv);
    kept = ECL_NIL;
    ecl_register_root(&kept);
    if (argc > 1 && strcmp(argv[1], "forever") == 0)
        return run_forever();
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
        return run_fork();
    if (argc > 1 && strcmp(argv[1], "collect") == 0)
        return run_collect();
    if (argc > 1 && strcmp(argv[1], "total") == 0)
        return run_total();
    allocate_uncollectable();
    print_size();
    make_vectors(4000);
    make_strings(500);
    for (int i = 0; i < 3; i++)
        si_gc(1, ECL_T);
    cl_shutdown();
    return 0;
}
/* SPDX-License-Identifier: MIT */
