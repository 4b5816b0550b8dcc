;;;; SPDX-License-Identifier: MIT
;;;; package.lisp -- the package MPROF: a memory allocation profiler for ECL.

(defpackage #:mprof
  (:use #:common-lisp)
  (:shadow #:compile-file)
  (:documentation
   "Shows which functions allocate Lisp objects, of which types, through which callers, and how many
of them survive. Begin with (mprof:with-profiling (:report t) ...). mprof-lisp(7) is the manual.")
  (:export
   ;; Recording
   #:with-profiling #:start-profiling #:stop-profiling #:reset #:profiling-p
   #:checkpoint

   ;; Profiles
   #:profile #:profile-file #:profile-active-p #:profile-snapshots #:current-profile
   #:save #:load-profile #:discard

   ;; Reports
   #:report #:map-sites
   #:site #:site-functions #:site-type #:site-base-type #:site-category
   #:site-objects #:site-bytes #:site-requested-bytes
   #:site-kept-objects #:site-kept-bytes #:site-collected-objects #:site-collected-bytes
   #:site-survived

   ;; Figures
   #:total-objects #:total-bytes #:live-objects #:live-bytes #:run #:with-budget #:is-within

   ;; The heap
   #:heap #:heap-mark #:heap-snapshot #:why #:retained-size

   ;; Compiling
   #:compile-file #:enable-lines #:disable-lines

   ;; Conditions
   #:mprof-error #:monitor-missing #:recording-failed #:snapshot-failed #:profile-unreadable
   #:profile-discarded #:save-failed #:no-such-function
   #:invalid-argument
   #:mprof-error-reason #:mprof-error-file
   #:mprof-warning #:mprof-warning-reason
   #:budget-exceeded #:budget-exceeded-bytes #:budget-exceeded-objects
   #:budget-exceeded-byte-limit #:budget-exceeded-object-limit #:budget-exceeded-profile
   #:budget-exceeded-top))
