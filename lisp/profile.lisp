;;;; SPDX-License-Identifier: MIT
;;;; profile.lisp -- profiles of current and past recordings, and their data files.

(in-package #:mprof)

(deftype limit ()
  "A maximum number of rows or frames. NIL means all."
  '(or null (integer 1 #.(1- (ash 1 32)))))

(defmacro without-recording (&body body)
  "Evaluate BODY without recording this thread, and return its values."
  (let ((saved (gensym "SAVED")))
    `(let ((,saved (%pause)))
       (declare (type fixnum ,saved))
       (unwind-protect (progn ,@body)
         (%resume ,saved)))))

(defmacro undisturbed (&body body)
  "Evaluate BODY with interrupts deferred and without recording, and return its values. For calls of
C functions."
  `(without-recording (mp:without-interrupts ,@body)))

(defvar *lock* (mp:make-lock :name "MPROF" :recursive t)
  "Held while a recording begins or ends. Also guards the two variables below.")

(defvar *recording* nil "The profile that is being recorded, or NIL.")

(defvar *profile* nil "The profile that is being recorded, or was last; or NIL.")

(defmacro exclusively (&body body)
  "Evaluate BODY UNDISTURBED and with the lock held, and return its values."
  `(undisturbed (mp:with-lock (*lock*) ,@body)))

(defstruct (profile (:conc-name %profile-) (:constructor make-profile) (:copier nil)
                    (:predicate profilep))
  "The contents of one data file."
  (file "" :type string)
  (temporary nil)                       ; whether the file is removed when the profile is garbage
  (origin :file)                        ; who began it: :START, :WITH, :OUTSIDE (mprof run) or :FILE
  (users 0 :type fixnum)                ; number of forms WITH-PROFILING that use it
  (held 0 :type fixnum)                 ; number of those forms whose thread is in the debugger
  (depth 0 :type fixnum)
  (sample 0 :type fixnum)
  (fold nil)                            ; whether recursion is folded
  (joined-only nil)                     ; whether only threads that joined are recorded
  (sums nil)                            ; after its end: objects, bytes, live objects, live bytes
  (discarded nil)                       ; whether its data file was removed
  (snapshots nil))                      ; T while they are taken, afterwards a list

(defun profile-file (profile)
  "The name of PROFILE's data file, a string. The mprof command can read the file. A temporary file
is removed when PROFILE is garbage, and when the process exits."
  (%profile-file (check-some-profile profile)))

(defun profile-active-p (profile)
  "Return whether PROFILE is being recorded."
  (check-some-profile profile)
  (and (eq profile *recording*)
       (%recording-into-p (profile-file profile))))

(defun snapshots-now ()
  (loop for index from 0
        for snapshot = (%snapshot index)
        while snapshot collect snapshot))

(defun profile-snapshots (profile)
  "The sums after each garbage collection, oldest first, if PROFILE was recorded with
:SNAPSHOT-ON-GC. They are lists (SECONDS OBJECTS BYTES LIVE-OBJECTS LIVE-BYTES), counted from the
beginning of the recording. After 1024 collections every second one is dropped, and so on."
  (check-some-profile profile)
  (if (eq (%profile-snapshots profile) t)
      (undisturbed (snapshots-now))
      (%profile-snapshots profile)))

(defun current-profile ()
  "The profile that is being recorded, or the one that was recorded last, or NIL."
  (exclusively (or (current-recording) *profile*)))

(defmethod print-object ((profile profile) stream)
  (print-unreadable-object (profile stream :type t :identity t)
    (format stream "~A~:[~; (recording)~]" (profile-file profile) (profile-active-p profile))))

;;; Parts

(defstruct (part (:conc-name %part-) (:constructor make-part (from to recorder)) (:copier nil)
                 (:predicate nil))
  "The part of a recording that belongs to a form which joined it, or that one thread allocated."
  (from nil) (to nil)                   ; names of checkpoints; NIL for the start or end
  (recorder 0))                         ; of the thread; 0 for all threads

(defvar *part* nil
  "The part of the profile that REPORT shows. NIL means all of it.")

(defun part-from (part) (and part (%part-from part)))
(defun part-to (part) (and part (%part-to part)))
(defun part-recorder (part) (if part (%part-recorder part) 0))

;;; Files

(defun native-name (file)
  "The absolute name of FILE, a pathname designator, as a new string for C."
  (namestring (merge-pathnames (translate-logical-pathname file)
                               *default-pathname-defaults*)))

(defun temporary-file ()
  "Create a temporary data file and return its name."
  (let ((name (%temporary)))
    (if (stringp name)
        name
        (error 'recording-failed :reason (%strerror name)))))

(defun forget-file (profile)
  "Remove PROFILE's temporary data file. Also PROFILE's finalizer."
  (undisturbed (%forget (%profile-file profile))))

(defun discard (profile)
  "Remove PROFILE's data file if it is temporary, and return NIL. PROFILE cannot be used afterwards.
Does nothing while PROFILE is being recorded."
  (unless (profile-active-p profile)
    (setf (%profile-discarded profile) (%profile-temporary profile))
    (forget-file profile))
  nil)

(defun failed-p (result)
  "Return whether RESULT is (CODE . TEXT), an error of C."
  (and (consp result) (stringp (car result))))

(defun reason-of (result)
  (cond ((string= (cdr result) "") (car result))
        ((system-error-p result) (cdr result))
        (t (format nil "~A (~A)" (cdr result) (car result)))))

(defun check-result (result file)
  "Return RESULT, or signal an error if it is one that %REPORT or a similar function returned for
FILE."
  (cond ((not (failed-p result))
         result)
        ((function-error-p result)
         (error 'no-such-function :file file :reason (cdr result)))
        (t
         (error 'profile-unreadable :file file :reason (reason-of result)))))

(defun find-profile (profile)
  "Return PROFILE, or the current profile if it is NIL."
  (let ((found (or profile (current-profile)
                   (error 'profile-unreadable :reason "nothing has been recorded yet"))))
    (when (%profile-discarded found)
      (error 'profile-discarded :file (%profile-file found)))
    found))

(defun check-saved (result from to)
  "Signal an error if RESULT is one that %SEAL returned for FROM or TO."
  (when (and (failed-p result) (eql 0 (search "cannot write" (cdr result))))
    (error 'save-failed :file to :reason (reason-of result)))
  (check-result result from))

(defun save (file &optional profile)
  "Write PROFILE (the current one by default) to FILE, and return FILE's name. The file is in the
portable form: small, with all names, and readable on any machine. PROFILE may still be recorded,
but not into FILE. Signals PROFILE-UNREADABLE if it cannot be read, and SAVE-FAILED if FILE cannot
be written."
  (without-recording
    (check-file "a file" file)
    (check-profile profile)
    (let* ((profile (find-profile profile))
           (from (profile-file profile))
           (to (native-name file)))
      (when (and (profile-active-p profile) (equal (probe-file from) (probe-file to)))
        (error 'save-failed :file to :reason "it is being recorded into"))
      (check-saved (undisturbed (%seal from to nil nil 0)) from to)
      to)))

(defun load-profile (file)
  "Return the profile in FILE, which was written by SAVE, `mprof run' or a recording with :FILE.
Signals PROFILE-UNREADABLE if it is no data file or is damaged."
  (without-recording
    (check-file "a file" file)
    (let ((name (native-name file)))
      (make-profile :file name :sums (check-result (undisturbed (%totals name)) name)))))
