;;;; chains.lisp -- compiled chains of calls that unwinding must follow. interpreted-chains.lisp has
;;;; interpreted ones. No two functions may have the same code, because gcc would merge them.

(defvar *sink*)
(defvar *callback* (lambda (n) n))
(declaim (notinline cons-here recurse tree even-way odd-way thrower deep-throw tail-one tail-two
                    with-cleanup rest-of keys-of many-values adder jumper))

(defun cons-here (n) (setf *sink* (cons n n)) n)

;;; Recursion

(defun recurse (n)
  (if (zerop n) (cons-here n) (1+ (recurse (1- n)))))
(defun even-way (n)
  (cons-here n)
  (if (zerop n) 0 (+ 1 (odd-way (1- n)))))
(defun odd-way (n)
  (if (zerop n) (cons-here n) (+ 1 (funcall *callback* n) (even-way (1- n)))))
(defun tree (n)
  (labels ((grow (n) (if (zerop n) (list n) (list (grow (1- n)) (shrink (1- n)))))
           (shrink (n) (if (< n 2) (cons n n) (grow (- n 2)))))
    (setf *sink* (grow n))
    n))

;;; Callbacks of built-in functions

(defun callbacks (n)
  (let ((table (make-hash-table :test 'equal)))
    (dotimes (i n)
      (setf (gethash (list i) table) i))
    (maphash (lambda (key value) (setf *sink* (cons key value))) table)
    (sort (loop for i below n collect (mod (* i 7) n)) (lambda (a b) (cons-here a) (< a b)))
    (stable-sort (coerce (loop for i below n collect (mod (* i 7) n)) 'vector) #'<
                 :key (lambda (a) (cons-here a)))
    (reduce (lambda (a b) (cons-here b) (+ a b)) (loop for i below n collect i))
    (mapcar (lambda (a) (list (funcall *callback* a))) (list 1 2 3))
    (mapcan (lambda (a) (list a a)) (list 1 2 3))
    (find-if (lambda (a) (consp (setf *sink* (list a)))) (list 1 2 3))
    (every (lambda (a) (setf *sink* (list a))) #(1 2 3))
    (remove-if (lambda (a) (null (list a))) (list 1 2 3))
    (map 'vector (lambda (a) (list a)) '(1 2 3))
    (length (merge 'list (list 1 3) (list 2 4) (lambda (a b) (cons-here a) (< a b))))))

;;; Unwinding

(defun deep-throw (n tag)
  (cons-here n)
  (if (zerop n) (throw tag n) (1+ (deep-throw (1- n) tag))))
(defun thrower (n)
  (dotimes (i n n)
    (catch 'out (deep-throw (mod i 20) 'out))
    (cons-here i)
    (catch 'a (catch 'b (deep-throw (mod i 7) (if (oddp i) 'a 'b)) (cons-here i)))))
(defun handlers (n)
  (dotimes (i n n)
    (handler-case (progn (recurse 3) (error "no ~D" i))
      (simple-error (e) (cons-here (length (simple-condition-format-arguments e)))))
    (block nil
      (handler-bind ((error (lambda (e) (declare (ignore e)) (cons-here i) (return i))))
        (deep-error (mod i 10))))
    (restart-case
        (handler-bind ((error (lambda (e) (declare (ignore e)) (invoke-restart 'again (list i)))))
          (deep-error 3))
      (again (x) (setf *sink* (cons x x))))
    (ignore-errors (handler-case (error "one") (error () (error "two"))))
    (ignore-errors (car (cons-here 1)))))
(defun deep-error (n)
  (if (zerop n) (error 'type-error :datum n :expected-type 'cons) (1+ (deep-error (1- n)))))
(defun with-cleanup (n)
  (catch 'out
    (unwind-protect (deep-throw n 'out)
      (recurse 2)
      (catch 'out (deep-throw 2 'out))
      (cons-here n)))
  (cons-here n))
(defun jumper (n)
  (let ((i 0))
    (tagbody
     again
       (mapc (lambda (x) (cons-here x) (incf i) (when (< i n) (go again))) (list 1 2)))
    (+ i (block out (mapc (lambda (x) (cons-here x) (return-from out x)) '(3 4)) 0))))

;;; Calls of all kinds

(defun tail-one (n) (cons-here n) (if (zerop n) n (tail-two (1- n))))
(defun tail-two (n) (setf *sink* (list n)) (if (zerop n) n (tail-one (1- n))))
(defun rest-of (&rest all) (setf *sink* (copy-list all)) (length all))
(defun keys-of (&key a (b (list a)) &allow-other-keys) (setf *sink* (list a b)) 1)
(defun many-values (n) (values (list n) (cons n n) n))
(defun calls (n)
  (+ (apply #'rest-of n (loop for i below 70 collect i))
     (apply #'rest-of (list 1 2 3))
     (keys-of :a n) (keys-of :a 1 :b 2 :c 3)
     (multiple-value-call #'rest-of (many-values n) (many-values 1))
     (multiple-value-bind (a b) (many-values n) (+ (length a) (car b)))
     (progv '(*sink*) '(1) (cons-here n))
     (tail-one n)))
(defun adder (n) (lambda (m) (cons-here m) (lambda (k) (setf *sink* (list n m k)) (+ n m k))))
(defun closures (n)
  (let ((count 0))
    (flet ((bump () (setf *sink* (list (incf count)))))
      (dotimes (i n (+ count (funcall (funcall (adder 1) 2) 3)))
        (bump)
        (funcall (adder i) i)))))

;;; CLOS

(defclass a () ((x :initform (list 1) :initarg :x :accessor x) (unbound)))
(defclass b (a) ((y :initform (list 2))))
(defclass c (b) ())
(defclass d (c) ())
(defgeneric visit (thing n))
(defmethod visit ((thing a) n) (cons-here n))
(defmethod visit ((thing b) n) (cons-here n) (+ 1 (call-next-method)))
(defmethod visit ((thing c) n) (cons-here n) (+ 1 (call-next-method thing (length (list n 1)))))
(defmethod visit :around ((thing c) n) (cons-here n) (+ 2 (call-next-method)))
(defmethod visit :before ((thing d) n) (setf *sink* (list n)))
(defmethod visit :after ((thing d) n) (setf *sink* (list n)))
(defmethod visit ((thing (eql 5)) n) (setf *sink* (list n)) 5)
(defmethod visit ((thing integer) n) (if (zerop thing) (cons-here n) (1+ (visit (1- thing) n))))
(defmethod initialize-instance :after ((thing b) &key) (setf (x thing) (list (x thing))))
(defmethod slot-unbound (class (thing a) (slot (eql 'unbound))) (cons-here slot))
(defmethod print-object ((thing a) stream) (format stream "<~{~S~}>" (list (x thing))))
(defgeneric (setf place) (value thing))
(defmethod (setf place) (value (thing a)) (setf *sink* (list value thing)) value)
(defun objects (n)
  (dotimes (i n n)
    (let ((thing (make-instance (nth (mod i 4) '(a b c d)) :x i)))
      (visit thing i)
      (visit (mod i 8) i)
      (slot-value thing 'unbound)
      (setf (place thing) i)
      (format nil "~S and ~10,2F ~{~A~^, ~}" thing 2.5 (list i i)))))

;;; Other functions of ECL that allocate

(defun others (n)
  (setf *sink* (list (expt 3 (* 20 n)) (isqrt (expt 7 40)) (/ (expt 3 50) (expt 2 70))
                     (read-from-string "(a (b . 2.5d0) #(1 2) \"x\" :key)")
                     (with-output-to-string (s) (print '(1 "two" #\3 4.0) s))
                     (parse-integer "123456789012345678901234567890")
                     (coerce "abc" 'list) (concatenate 'string "ab" "cd")
                     (format nil "~R ~:D ~A" n 1234567 :x)
                     (subseq (vector 1 2 3) 1) (make-array 3 :initial-contents '(1 2 3))
                     (eval '(let ((x 1)) (list x (funcall (lambda (y) (list x y)) 2))))
                     (string-upcase "abc") (intern "SOME-NAME" "CL-USER") (gensym)))
  (length *sink*))

(defun in-threads (n)
  (let ((threads (loop repeat n collect
                   (mp:process-run-function
                    'worker (lambda () (thrower 20) (callbacks 5) (objects 4) (even-way 20))))))
    (mapc #'mp:process-join threads)
    n))

(defun all (n)
  (recurse 200)
  (dotimes (i n t)
    (recurse (mod i 50))
    (even-way 30)
    (tree 5)
    (callbacks 10)
    (thrower 30)
    (handlers 5)
    (with-cleanup 10)
    (jumper 5)
    (calls 6)
    (closures 10)
    (objects 8)
    (others i)))
;;;; SPDX-License-Identifier: MIT
