;;;; SPDX-License-Identifier: MIT
;;;; build.lisp -- writes the C code of the module: ecl --norc --shell build.lisp -- FOLDER
;;;;
;;;; mprof.fas contains the Lisp code of the files in FOLDER as text, which the user's ECL compiles
;;;; to bytecode when it loads the file, whatever its version. For each C-INLINE form of ffi.lisp it
;;;; has a C function, which calls ECL by the functions of ecl_calls.h only. Output is standard
;;;; output.

(defvar *folder* (first (rest (member "--" (ext:command-args) :test #'string=))))

(defvar *functions* '()
  "A list of (name argument-types result-type C-code), the last one first.")

(defun add-function (name inline)
  "Add the C function NAME for INLINE, a C-INLINE form."
  (destructuring-bind (arguments types type code &key one-liner) (rest inline)
    (declare (ignore arguments one-liner))
    (push (list name types type code) *functions*)))

(defun source (name)
  (concatenate 'string *folder* "/" name ".lisp"))

(defun from-lisp (type argument)
  "The C expression that converts ARGUMENT, a cl_object, to TYPE."
  (format nil (ecase type
                (:object "~A")
                (:bool "(~A != ECL_NIL)")
                ((:int :unsigned-int :uint32-t :fixnum) "ecl_fixnum(~A)")
                (:double "ecl_to_double(~A)")
                (:pointer-void "ecl_foreign_data_pointer_safe(~A)"))
          argument))

(defun result (type code)
  "The C statement that sets `result` to the value of the expression CODE of TYPE."
  (format nil (ecase type
                (:object "result = ~A;")
                (:bool "result = mp_module_truth(~A);")
                ((:int :unsigned-int :uint32-t :fixnum) "result = ecl_make_fixnum(~A);")
                (:void "~A;"))
          code))

(defun replace-all (text old new)
  (loop for at = (search old text)
        while at
        do (setf text (concatenate 'string (subseq text 0 at) new
                                   (subseq text (+ at (length old))))))
  text)

(defun c-body (types type code)
  "CODE of a C-INLINE form as a C statement. Arguments are numbered in base 36."
  (loop for argument in types
        for i from 0
        do (setf code (replace-all code (format nil "#~36R" i)
                                   (from-lisp argument (format nil "a~D" i)))
                 code (replace-all code (format nil "#~(~36R~)" i)
                                   (from-lisp argument (format nil "a~D" i)))))
  (cond ((search "@(return)" code)
         (format nil "~:[intptr_t value;~;cl_object value;~]~%    ~A~%    ~A" (eq type :object)
                 (replace-all code "@(return) =" "value =") (result type "value")))
        ((find #\; code) code)
        (t (result type code))))

(defun plain (form)
  "Replace the C-INLINE forms in FORM by calls of C functions, which are added to *FUNCTIONS*."
  (cond ((atom form) form)
        ((not (symbolp (first form))) (cons (plain (car form)) (plain (cdr form))))
        ((member (first form) '("WITH-WISH" "C-CONSTANT") :test #'string-equal)
         (plain (macroexpand-1 form)))
        ((eq (first form) 'ffi:c-inline)
         (let ((name (format nil "C-~D" (length *functions*))))
           (add-function name form)
           `(,(intern name "MPROF") ,@(mapcar #'plain (second form)))))
        (t (cons (plain (car form)) (plain (cdr form))))))

(defun inline-alone (form)
  "Return the C-INLINE form that FORM, a DEFUN, consists of, if both have the same arguments. Lisp
can call the C function in its place, without binding variables in bytecode, which would cons."
  (when (eq (first form) 'defun)
    (let ((body (first (last form))))
      (when (eq (first body) 'the)
        (setf body (third body)))
      (when (and (eq (first body) 'ffi:c-inline) (equal (second body) (third form)))
        body))))

(defun ffi-texts ()
  "The forms of ffi.lisp as text, without its macros."
  (with-open-file (stream (source "ffi"))
    (loop for form = (read stream nil stream)
          until (eq form stream)
          if (member (first form) '(defmacro in-package))
            do (eval form)
          else if (inline-alone form)
            do (add-function (symbol-name (second form)) (inline-alone form))
          else unless (eq (first form) 'ffi:clines)
            collect (with-standard-io-syntax
                      (let ((*package* (find-package "MPROF")))
                        (prin1-to-string (plain form)))))))

(defun texts (name)
  "The top-level forms of the source NAME as text."
  (with-open-file (stream (source name))
    (let ((*package* *package*)
          (text (make-string (file-length stream))))
      (setf text (subseq text 0 (read-sequence text stream)))
      (loop with at = 0
            for (form end) = (multiple-value-list (read-from-string text nil stream :start at))
            until (eq form stream)
            collect (string-trim '(#\Space #\Newline) (subseq text at end))
            do (setf at end)
               (when (member (first form) '(in-package defpackage))
                 (eval form))))))

(defun defined-function (form)
  "The name of the function that FORM defines, or NIL."
  (let ((defining (if (consp form) (symbol-name (first form)) "")) (name (second form)))
    (cond ((string= defining "DEFINE-SITE-READER") (format nil "SITE-~A" name))
          ((and (member defining '("DEFUN" "DEFINE-SUM") :test #'string=) (symbolp name))
           (symbol-name name)))))

(defun enclosed-functions (name)
  "The names of the functions that the source NAME defines."
  (with-open-file (stream (source name))
    (let ((*package* (find-package "MPROF")))
      (loop for form = (read stream nil stream)
            until (eq form stream)
            when (defined-function form) collect it))))

(defun c-string (text)
  (with-output-to-string (out)
    (write-char #\" out)
    (loop for c across text
          do (case c
               (#\Newline (format out "\\n\"~%\""))
               ((#\" #\\ #\?) (format out "\\~C" c))
               (t (write-char c out))))
    (write-char #\" out)))

(let* ((before (mapcan #'texts '("package" "conditions")))
       (ffi (let ((*package* (find-package "MPROF"))) (ffi-texts)))
       (after (mapcan #'texts '("profile" "arguments" "names" "recording" "report" "measure" "heap"
                                "why" "census" "lines" "provide")))
       (functions (reverse *functions*))
       ;; the functions of ffi.lisp allocate nothing, those of lines.lisp call the compiler
       (enclosed (mapcan #'enclosed-functions '("profile" "arguments" "names" "recording" "report"
                                                "measure" "heap" "why" "census"))))
  (format t "/* Made by lisp/build.lisp. */~%~{#include \"~A\"~%~}~%"
          '("lisp/lisp_module.h" "reporter/api.h"))
  (loop for (name types type code) in functions
        for i from 0
        do (format t "static cl_object~%c~D(~:[void~;~:*~{cl_object a~D~^, ~}~])~%{~%    ~
                      cl_object result = ECL_NIL;~2%    ~A~%    return cl_values(1, result);~%}~2%"
                   i (loop for nil in types for n from 0 collect n) (c-body types type code)))
  (format t "static const struct mp_module_function functions[] = {~%~{~A~}};~2%"
          (loop for (name types) in functions
                for i from 0
                collect (format nil "    { \"MPROF::~A\", (cl_object (*)(void))c~D, ~D },~%"
                                name i (length types))))
  (format t "~{static cl_object~%e~D(intptr_t n, ...)~%{~%    MP_MODULE_ENCLOSED(~:*~D, n);~%}~2%~}"
          (loop for nil in enclosed for i from 0 collect i))
  (format t "static const struct mp_module_enclosed enclosed[] = {~%~
             ~:{    { \"MPROF::~A\", e~D },~%~}    { NULL, NULL }~%};~2%"
          (loop for name in enclosed for i from 0 collect (list name i)))
  (format t "static const char *const forms[] = {~%~{~A,~%~}NULL };~2%"
          (mapcar #'c-string
                  (append before (list "(in-package #:mprof)") ffi after)))
  (format t "void init_fas_CODE(cl_object);~2%void~%init_fas_CODE(cl_object block)~%{~%    ~
             if (!block)~%        mp_module_define(functions, ~D, forms, enclosed);~%}~%"
          (length functions)))

(ext:quit 0)
