;;;; kinds.lisp -- forms that allocate. ";= 100 CONS" after a line states how many objects of a type
;;;; it allocates in (kinds 100). VECTOR also makes lists, so other types are not stated there.

(defvar *kept* nil)
(declaim (notinline arguments local expanded twin-a twin-b branches quoted included))

(defun arguments (i)
  (let ((pair (cons i                   ;= 100 CONS
                    i)))
    (push                               ;= 100 CONS
     (vector pair                       ;= 100 VECTOR
             (list i i i))              ;= 300 CONS
     *kept*)
    (push (list i) *kept*)))            ;= 200 CONS

(defun local (i)                        ;= 100 CONS
  (flet ((all (first &rest others)      ;= 200 CONS
           (vector first                ;= 100 VECTOR
                   others)))
    (declare (notinline all))
    (funcall (lambda (x)                ;= 100 CONS
               (list x x                ;= 400 CONS
                     (all x x x)
                     #'(lambda ()       ;= 100 CLOSURE
                         (list x i))))
             i)))

(defmacro two-lists (form)
  `(progn (list ,form ,form)
          (when ,form
            (list ,form))))

(defun expanded (i)
  (macrolet ((inner (x) `(two-lists ,x)))
    (list (inner i)                     ;= 500 CONS
          (two-lists                    ;= 300 CONS
           (cons i i)))                 ;= 400 CONS
    (loop for j below 1
          collect (make-array 2)        ;= 100 VECTOR
          when (evenp j)
            collect (vector i))))       ;= 100 VECTOR

(defun twin-a (i)
  (list i 1))                           ;= 200 CONS
(defun twin-b (i)
  (list i 1))                           ;= 200 CONS

(defun branches (i)
  (if (evenp i)
      (vector i i)                      ;= 50 VECTOR
      (vector i i)))                    ;= 50 VECTOR

(defun quoted (i)
  (list                                 ;= 300 CONS
   #-(and) (no i)
   "a ( in a string and ünïcödé" #\( #| and
a comment ( |#
   `(a ,i                               ;= 200 CONS
       ,@(list #.(+ 1 2)                ;= 100 CONS
               ))))

(defun included (i)
  (ffi:c-inline (i) (:object) :object   ;= 300 CONS
    "{ cl_object c = ecl_cons(#0, #0);
       c = ecl_cons(c, c);

       @(return) = ecl_cons(c, c); }"))

(defun kinds (n)
  (dotimes (i n)
    (arguments i)
    (local i)
    (expanded i)
    (twin-a i)
    (twin-b i)
    (branches i)
    (quoted i)
    (included i)))
