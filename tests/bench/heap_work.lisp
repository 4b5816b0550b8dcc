;;;; heap_work.lisp -- heaps of which snapshots are measured.  Environment: HEAP, which; MODULE: mprof.fas; RUNS; FOLDER:
;;;; where files go.  Prints seconds of full collections, a line; then of snapshots without a copy and with one FILEs,
;;;; which say themselves how long the program stood still.

(load (ext:getenv "MODULE"))

(defvar *kept* nil)
(defstruct node number next list kept)

;;; Lists of fixnums, in the order in which they were made.
(defun conses ()
  (loop repeat 80 collect (loop for i below 150000 collect i)))

;;; One list whose conses stand anywhere.
(defun shuffled ()
  (let* ((n 3000000) (all (make-array n)))
    (dotimes (i n) (setf (aref all i) (cons i nil)))
    (loop for i from (1- n) downto 1 do (rotatef (aref all i) (aref all (random (1+ i)))))
    (dotimes (i (1- n) (aref all 0)) (setf (cdr (aref all i)) (aref all (1+ i))))))

(defun strings ()
  (let ((all (make-array 1500000)))
    (dotimes (i (length all) all)
      (setf (aref all i) (make-string 12 :initial-element #\a)))))

(defun structures ()
  (let ((last nil))
    (dotimes (i 1500000 last)
      (setf last (make-node :number i :next last :list (list i) :kept *kept*)))))

(defun tables ()
  (loop repeat 2000
        collect (let ((table (make-hash-table)))
                  (dotimes (i 1000 table) (setf (gethash i table) (list i))))))

(defun seconds (function)
  (let ((start (get-internal-real-time)))
    (funcall function)
    (/ (- (get-internal-real-time) start) (float internal-time-units-per-second))))

(setf *kept* (funcall (intern (string-upcase (ext:getenv "HEAP")))))
(si:gc t)
(let ((runs (parse-integer (ext:getenv "RUNS"))))
  (flet ((file (how i) (format nil "~A/~A.~D.heap" (ext:getenv "FOLDER") how i)))
    (format t "~{~F ~}~%" (loop repeat runs collect (seconds (lambda () (si:gc t)))))
    (dotimes (i runs)
      (funcall (intern "HEAP-SNAPSHOT" :mprof) :file (file "place" i) :fork nil)
      (funcall (intern "HEAP-SNAPSHOT" :mprof) :file (file "copy" i)))))
(ext:quit 0)
