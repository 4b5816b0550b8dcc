;;;; deep.lisp -- deep recursion: the memory for a report depends on the length of its text only.

(in-package #:mprof-tests)

(declaim (notinline descend))
(defun descend (n)
  "Makes N conses on N chains, the longest of which has N functions."
  (if (zerop n)
      '()
      (let ((cell (cons n nil)))
        (setf (cdr cell) (descend (1- n)))
        cell)))

(defun bytes-consed (function)
  "Returns the bytes that the heap hands out while FUNCTION is called, recorded or not."
  (flet ((total ()
           (ext:gc t)                   ; updates the statistics
           (si:gc-stats t)))
    (let ((before (total)))
      (funcall function)
      (- (total) before))))

(defun profile-of-depth (n)
  (mprof:with-profiling ()
    (descend n)
    (mprof:current-profile)))

(define-test deep-reports
  (unless *outside*
    (let* ((n 20000) (profile (profile-of-depth n)) (objects 0) (calls 0)
           (longest 0) (wrong nil))
      (dolist (type '(:sites :flat :types :graph :gc))
        (check (format nil "~S of ~D chains, the longest of ~:*~D functions" type n)
               (< (bytes-consed (lambda () (report-of :profile profile :type type :max 3)))
                  200000)))
      (let ((bare (bytes-consed
                   (lambda ()
                     (mprof:map-sites (lambda (site)
                                       (incf objects (mprof:site-objects site)))
                                      :profile profile))))
            (with-chains (bytes-consed
                          (lambda ()
                            (mprof:map-sites (lambda (site)
                                               (when (mprof:site-functions site)
                                                 (incf calls)))
                                             :profile profile)))))
        (check-is "MAP-SITES has all objects" objects n)
        (check-is "and all chains" calls n)
        (check "all sites together are bounded" (< bare (* 2000 n)))
        (check "and so are all whole chains together" (< with-chains (+ bare (* 2000 n)))))
      (mprof:map-sites (lambda (site)
                         (let ((names (mprof:site-functions site 500)))
                           (when (= (length names) 500)
                             (setf longest (max longest (length (mprof:site-functions site))))
                             (unless (equal (subseq (mprof:site-functions site) 0 500) names)
                               (setf wrong site)))))
                       :profile profile :max 600)
      (check "chains that were asked for are whole, beyond their innermost part" (<= 500 longest))
      (check-is "and the same" wrong nil)
      (mprof:discard profile))))
;;;; SPDX-License-Identifier: MIT
