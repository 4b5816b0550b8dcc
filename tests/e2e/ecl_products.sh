#!/bin/sh
# Other products of ECL's compiler than loadable files: programs, static and shared libraries, and what ASDF makes of
# a system. All are profiled like loaded code, with names.
#
# ECL_LIBRARIES  libecl.a of an ECL of the same version, and the libraries that it needs, for a program that contains it
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

mkdir system
cat >system/product.lisp <<'END'
(defvar *kept*)
(defvar *lists*)
(defun make-conses (n) (let ((l '())) (dotimes (i n l) (push i l))))
(declaim (notinline each))
(defun each (n)
  (flet ((seven (i) (cons i (make-list 7))))
    (list (apply 'mapcar #'seven (list (list 0 n))))))
(defun run () (setf *kept* (make-conses 1000) *lists* (each 1)) (print (length *kept*)) (terpri))
END
cat >system/product.asd <<'END'
(defsystem "product" :class asdf:program-system :no-uiop t :components ((:file "product"))
  :build-pathname "standalone" :epilogue-code (progn (funcall (intern "RUN" "CL-USER")) (ext:quit 0)))
END
cat >build.lisp <<'END'
(require :cmp)
(compile-file "system/product.lisp" :output-file "product.o" :system-p t)
(c:build-program "program" :lisp-files '("product.o") :epilogue-code '(progn (run) (ext:quit 0)))
(c:build-static-library "static" :lisp-files '("product.o") :init-name "init_static")
(c:build-shared-library "shared" :lisp-files '("product.o") :init-name "init_shared")
(require :asdf)
(asdf:initialize-source-registry
 (list :source-registry (list :directory (truename "system/")) :ignore-inherited-configuration))
(asdf:initialize-output-translations
 (list :output-translations (list t (list (truename "./") "cache" :**/ :*.*.*)) :ignore-inherited-configuration))
(loop for (operation name) in '((asdf:program-op "standalone") (asdf:compile-bundle-op "bundle.fasb"))
      do (asdf:operate operation "product")
         (rename-file (first (asdf:output-files operation "product")) (merge-pathnames name (truename "./"))))
(ext:quit 0)
END
cat >main.c <<'END'
#include <ecl/ecl.h>

extern void INIT(cl_object);

void
ecl_run_it(void)                /* the program's own function, named like those of ECL */
{
    cl_eval(ecl_read_from_cstring("(run)"));
}

int
main(int argc, char **argv)
{
    cl_boot(argc, argv);
    ecl_init_module(NULL, INIT);
    ecl_run_it();
    cl_shutdown();
    return 0;
}
END
echo '(load "bundle.fasb") (run) (ext:quit 0)' >bundle.lisp
returns "ECL makes them: status" 0 "$ecl" --norc --shell build.lisp </dev/null
ok "a program with the static library" ${CC:-cc} -DINIT=init_static -o with-static main.c -L. -lstatic -lecl
ok "a program with the shared library" ${CC:-cc} -DINIT=init_shared -o with-shared main.c -L. -lshared -lecl -Wl,-rpath,"$tmp"

# profiled TEXT COMMAND...: records COMMAND and tests names and counts.
profiled()
{
    text=$1
    shift
    "$mprof" run -q -o product.mprof -- "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$text: status" "$?" 0
    has "$text: output" "$tmp/out" '^1000'
    is "$text: conses" "$(objects CONS MAKE-CONSES product.mprof)" 1000
    lisp_table product.mprof >table
    has "$text: names of callers and callees" table '[;	]RUN;MAKE-CONSES$'
    has "$text: a local function" table '[;	]RUN;EACH;.*SEVEN in EACH$'
    hasnt "$text: no names of C functions" table '[;	](LC?[0-9]|_ecl|init_lib_)'
}

profiled "c:build-program" ./program
profiled "c:build-static-library" ./with-static
profiled "c:build-shared-library" ./with-shared
profiled "asdf:program-op" ./standalone
profiled "asdf:compile-bundle-op" "$ecl" --norc --shell bundle.lisp
if [ -n "${ECL_LIBRARIES-}" ]; then
    # shellcheck disable=SC2086
    ok "a program with the static library and libecl.a" \
        ${CC:-cc} -DINIT=init_static -o with-both main.c -L. -lstatic $ECL_LIBRARIES
    profiled "libecl.a" ./with-both
fi
plan
# SPDX-License-Identifier: MIT
