;;;; heap-odd.lisp -- unusual programs, of which heap snapshots must be possible.
;;;;
;;;;     ecl --shell heap-odd.fas -- KIND FILE OPTION...
;;;;
;;;; Makes a snapshot in FILE with the OPTIONs. KIND is plain (a usual program), shorter (a writable
;;;; mapping of a file that was truncated), many (20,000 additional mappings), or thrown (before,
;;;; finalizers throw out of the collections of other snapshots, which are in FILE.N1 and so on).
;;;; Prints how many conses are kept only by a C variable.

(ffi:clines "#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static cl_object kept;
static void map_shorter(void)
{
    int fd = open(\"shorter\", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 65536) != 0 ||
        mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED ||
        ftruncate(fd, 0) != 0)
        _exit(3);
    close(fd);
}
static void map_many(void)
{
    for (int i = 0; i < 20000; i++)
        if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            _exit(3);
}")

(defun keep (n)
  (let ((list (loop for i below n collect (list i))))
    (ffi:c-inline (list) (:object) :void "kept = #0; ecl_register_root(&kept);" :one-liner nil)
    (length list)))

(defun kept ()
  (length (ffi:c-inline () () :object "kept" :one-liner t)))

(defvar *catching* nil)

;;; *CATCHING* is false in later collections, which may finalize objects, too.
(defun throw-out (object)
  (declare (ignore object))
  (when *catching*
    (throw 'out :thrown)))

(defun make-garbage ()
  (ext:set-finalizer (list 1) #'throw-out)
  nil)

(defun prepare (kind)
  (cond ((string= kind "shorter") (ffi:c-inline () () :void "map_shorter();" :one-liner nil))
        ((string= kind "many") (ffi:c-inline () () :void "map_many();" :one-liner nil))))

(defun thrown (file)
  (loop repeat 20
        count (eq :thrown (catch 'out
                            (let ((*catching* t))
                              (make-garbage)
                              (mprof:heap-snapshot :file (format nil "~A.~D" file (gensym "N"))
                                                   :gc t))))))

(defun main (kind file &rest options)
  (prepare kind)
  (keep 1000)
  (when (string= kind "thrown")
    (format t "~:[none~;some~] thrown~%" (plusp (thrown file))))
  (apply #'mprof:heap-snapshot :file file (mapcar #'read-from-string options))
  (format t "~D kept~%" (kept)))

(apply #'main (rest (member "--" (ext:command-args) :test #'string=)))
(ext:quit 0)
;;;; SPDX-License-Identifier: MIT
