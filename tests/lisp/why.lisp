;;;; why.lisp -- WHY and RETAINED-SIZE of objects for which the answers are known.

(in-package #:mprof-tests)

(defvar *kept* nil)
(defvar *other* nil)
(defvar *bound* nil)
(declaim (notinline fresh))

(defstruct holder left right)

(defun fresh (n)
  "Returns a list of N new strings of 5 characters."
  (loop repeat n collect (make-string 5 :initial-element #\a)))

(defun whys (object)
  "Returns the values of WHY as a list."
  (multiple-value-list (mprof:why object :stream nil)))

(defun sizes (object)
  (multiple-value-list (mprof:retained-size object)))

(defun files-left ()
  (directory (format nil "~A/mprof-*" *folder*)))

(define-test retained-sizes
  (setf *kept* (make-list 1000))
  (check-is "a list: its conses" (sizes *kept*) '(16000 1000))
  (check-is "the end of a list" (sizes (nthcdr 990 *kept*)) '(160 10))
  (setf *other* (nthcdr 900 *kept*))
  (check-is "not what another one holds, too" (sizes *kept*) '(14400 900))
  (check-is "nor in the other" (sizes *other*) '(1600 100))
  (setf *other* nil)
  (check-is "but when that is gone" (sizes *kept*) '(16000 1000))
  (setf (cdr (last *kept*)) *kept*)
  (check-is "a list without an end" (sizes *kept*) '(16000 1000))
  (check-is "... where its second cons is gone, the others are" (sizes (cdr *kept*)) '(15984 999))
  (setf *kept* nil)
  (let ((only-here (make-list 5)))
    (check-is "what is held by a variable of a function only" (sizes only-here) '(80 5))))

(define-test ways
  (setf *kept* (list 1 2 (make-holder :left 1 :right (vector 7 (list 8)))))
  (destructuring-bind (way own) (whys (aref (holder-right (third *kept*)) 1))
    (check-is "what does not count is not there" own nil)
    (check-is "it begins with a variable" (first way)
              '("MPROF-TESTS::*KEPT*" "values of symbols, MPROF-TESTS" nil nil))
    (check-is "and goes on by slots" (mapcar #'second (rest way))
              '("" "cdr" "cdr" "car" "slots" "RIGHT" "data" "1"))
    (check-is "of objects with types" (mapcar #'first (rest way))
              '("CONS" "CONS" "CONS" "MPROF-TESTS::HOLDER" "MPROF-TESTS::HOLDER: slots" "(VECTOR T)"
                "(VECTOR T) data" "CONS"))
    (check "with sizes and addresses"
           (loop for (nil nil bytes address) in (rest way)
                 always (and (plusp bytes) (zerop (mod address 16))))))
  (setf *other* (make-hash-table :test 'equal)
        (gethash "key" *other*) (list 1))
  (let ((by (second (car (last (first (whys (gethash "key" *other*))))))))
    (check "a table's value by its key"
           (and (eql 0 (search "value of " by)) (search "\"key\"" by))))
  (check "a line for each step, and the line of the variable first"
         (let ((text (with-output-to-string (stream)
                       (mprof:why (gethash "key" *other*) :stream stream))))
           (and (eql 0 (search "MPROF-TESTS::*OTHER* (values of symbols" text))
                (= (count #\Newline text) (length (first (whys (gethash "key" *other*))))))))
  (setf *other* nil *kept* nil))

(define-test all-ways
  (let ((leaf (make-holder)))
    (setf *kept* (list 1 2 leaf) *other* (vector leaf) *bound* (make-hash-table))
    (setf (gethash 1 *bound*) leaf))
  (flet ((ways (paths)
           (multiple-value-list (mprof:why (aref *other* 0) :stream nil :paths paths)))
         (slots (references) (sort (mapcar #'second references) #'string<)))
    (destructuring-bind (ways own cut) (ways t)
      (check-is "all of them" (sort (mapcar #'caar ways) #'string<)
                '("MPROF-TESTS::*BOUND*" "MPROF-TESTS::*KEPT*" "MPROF-TESTS::*OTHER*"))
      (check-is "they count" own nil)
      (check-is "what is to be cleared" (slots cut) '("0" "car" "value of 1")))
    (destructuring-bind (ways own cut) (ways 2)
      (declare (ignore own))
      (check-is "some of them" (length ways) 2)
      (check-is "... and so what is to be cleared is not known" cut nil))
    (setf (holder-left (aref *other* 0)) (list 1))
    (check-is "of what one reference holds there is one way"
              (slots (third (multiple-value-list
                             (mprof:why (holder-left (aref *other* 0)) :stream nil :paths 5))))
              '("LEFT"))
    (check "that is printed"
           (search (format nil "The fewest references to be cleared:~%  ")
                   (with-output-to-string (stream)
                     (mprof:why (aref *other* 0) :stream stream :paths t)))))
  (check-signals "a number of ways that is none" mprof:invalid-argument
    (mprof:why (list 1) :stream nil :paths 0))
  (setf *kept* nil *other* nil *bound* nil))

(defun counted-words () 5)

(define-test names-in-ways
  (flet ((last-step (object) (car (last (first (whys object))))))
    (check-is "a symbol" (first (last-step 'counted-words)) "SYMBOL MPROF-TESTS::COUNTED-WORDS")
    (check-is "a function"
              (first (last-step #'counted-words)) "FUNCTION MPROF-TESTS::COUNTED-WORDS")
    (check "a class" (search " MPROF-TESTS::HOLDER" (first (last-step (find-class 'holder)))))
    (setf *other* (make-hash-table))
    (loop for (key name) in '((4711 "4711") (counted-words "MPROF-TESTS::COUNTED-WORDS") (:k ":K")
                              (#\a "#\\a"))
          do (setf (gethash key *other*) (list 1))
             (check-is (format nil "a key of a table: ~A" name)
                       (second (last-step (gethash key *other*))) (format nil "value of ~A" name)))
    (setf *other* nil)))

(defun printed-way (object)
  (with-output-to-string (stream) (mprof:why object :stream stream)))

(defun chained (n)
  "Makes N holders, each in the slot LEFT of the next. Returns the outermost and the innermost one."
  (let* ((innermost (make-holder)) (outermost innermost))
    (loop repeat (1- n)
          do (setf outermost (make-holder :left outermost)))
    (values outermost innermost)))

(define-test long-ways
  (setf *kept* (make-list 100000))
  (let ((text (printed-way (last *kept*))))
    (check-is "an element far down a list: a few lines" (count #\Newline text) 5)
    (check "how many are left out" (search "  ... 99,997 more by cdr" text))
    (check "the first and the last are there"
           (and (eql 0 (search "MPROF-TESTS::*KEPT* (" text))
                (search (format nil "~%  CONS, 16 bytes~%") text)
                (eql (search "  cdr: CONS, 16 bytes" text :from-end t)
                     (- (length text) (length "  cdr: CONS, 16 bytes") 1)))))
  (check-is "all of it is returned" (length (first (whys (last *kept*)))) 100001)
  (multiple-value-bind (outermost innermost) (chained 1000)
    (setf *kept* outermost)
    (let ((text (printed-way innermost)))
      (note (< (count #\Newline text) 10) "structures, one in the other: a few lines" text)
      (check "by which slots" (search "more by slots, LEFT" text))))
  (let ((list (list 1)))
    (setf *kept* list)
    (loop for i from 1 to 200
          do (setf list (if (zerop (mod (floor (* i i) 3) 2))
                            (setf (car list) (list 1))
                            (setf (cdr list) (list 1)))))
    (let ((text (printed-way list)))
      (check "what does not repeat itself: both ends" (search "lines left out" text))
      (check "of not too many lines" (< (count #\Newline text) 70))))
  (setf *kept* nil))

(define-test who-asks-does-not-count
  (let ((here (fresh 3)))
    (check-is "by a variable of a function" (second (whys here)) t)
    (check "... and it is said"
           (eql 0 (search "Only what asks for it"
                          (with-output-to-string (stream) (mprof:why here :stream stream)))))
    (let ((* here) (*** here))
      (check-is "by what a REPL remembers" (second (whys here)) t))
    (handler-bind ((warning (lambda (condition) (print (list condition here)))))
      (check-is "by a handler" (second (whys here)) t))
    (let ((*bound* here))
      (check-is "by a variable that is bound" (second (whys here)) nil))
    (let* ((begun nil) (end nil)
           (thread (mp:process-run-function 'holder
                                            (lambda ()
                                              (let ((*bound* here))
                                                (setf begun t)
                                                (loop until end do (sleep 0.01)))))))
      (loop until begun do (sleep 0.01))
      (check-is "by another thread" (second (whys here)) nil)
      (setf end t)
      (mp:process-join thread))))

(define-test what-is-not-asked-for
  (dolist (object (list 5 #\a nil t 'car))
    (check-signals (format nil "~S is not in the heap" object) mprof:invalid-argument
      (mprof:why object :stream nil)))
  (check-signals "... for its size either" mprof:invalid-argument (mprof:retained-size 5))
  (check-signals "a stream that is none" mprof:invalid-argument (mprof:why (list 1) :stream 5))
  (let ((before (length (files-left))))
    (mprof:retained-size (list 1))
    (check-is "no file is left" (length (files-left)) before)))
;;;; SPDX-License-Identifier: MIT
