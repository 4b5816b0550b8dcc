;;;; profile.lisp -- profiles: what is recorded, or was, and its data file.

(in-package #:mprof)

(deftype limit ()
  "How many at most, of rows or frames; NIL: all."
  '(or null (integer 1 #.(1- (ash 1 32)))))

(defmacro without-recording (&body body)
  "The values of BODY, of which nothing is recorded in this thread."
  (let ((saved (gensym "SAVED")))
    `(let ((,saved (%pause)))
       (declare (type fixnum ,saved))
       (unwind-protect (progn ,@body)
         (%resume ,saved)))))

(defmacro undisturbed (&body body)
  "The values of BODY, with interrupts deferred and nothing recorded: for calls of C."
  `(without-recording (mp:without-interrupts ,@body)))

(defvar *lock* (mp:make-lock :name "MPROF" :recursive t)
  "Held while a recording begins or ends, and for the two variables below.")

(defvar *recording* nil "The profile that is being recorded, or NIL.")

(defvar *profile* nil "The profile that is being recorded, or was last; or NIL.")

(defmacro exclusively (&body body)
  "The values of BODY, UNDISTURBED and with the lock held."
  `(undisturbed (mp:with-lock (*lock*) ,@body)))

(defstruct (profile (:conc-name %profile-) (:constructor make-profile) (:copier nil)
                    (:predicate profilep))
  "What was recorded in one data file."
  (file "" :type string)
  (temporary nil)                       ; the file is removed when nobody needs it
  (origin :file)                        ; who began it: :START, :WITH, :OUTSIDE (mprof run), :FILE
  (users 0 :type fixnum)                ; forms WITH-PROFILING that it is in use by
  (held 0 :type fixnum)                 ; those of them whose thread is in the debugger
  (depth 0 :type fixnum)
  (sample 0 :type fixnum)
  (fold nil)                            ; recursion is folded
  (joined-only nil)                     ; not all threads are recorded, but those that joined it
  (sums nil)                            ; when it ended: objects, bytes, live objects and bytes
  (discarded nil)                       ; its data file was removed
  (snapshots nil))                      ; T while they are taken; then a list

(defun profile-file (profile)
  "The name of PROFILE's data file, a string; the mprof command reads it.  A temporary one is gone
when PROFILE is garbage, and when the process exits."
  (%profile-file (check-some-profile profile)))

(defun profile-active-p (profile)
  "Whether PROFILE is being recorded."
  (check-some-profile profile)
  (and (eq profile *recording*)
       (%recording-into-p (profile-file profile))))

(defun snapshots-now ()
  (loop for index from 0
        for snapshot = (%snapshot index)
        while snapshot collect snapshot))

(defun profile-snapshots (profile)
  "The sums after each garbage collection, the first one first, if PROFILE was recorded with
:SNAPSHOT-ON-GC: lists (SECONDS OBJECTS BYTES LIVE-OBJECTS LIVE-BYTES), from the beginning of the
recording on.  After 1024 collections every second one is left out, and so on."
  (check-some-profile profile)
  (if (eq (%profile-snapshots profile) t)
      (undisturbed (snapshots-now))
      (%profile-snapshots profile)))

(defun current-profile ()
  "The profile that is being recorded, or the one that was recorded last; NIL: there was none."
  (exclusively (or (current-recording) *profile*)))

(defmethod print-object ((profile profile) stream)
  (print-unreadable-object (profile stream :type t :identity t)
    (format stream "~A~:[~; (recording)~]" (profile-file profile) (profile-active-p profile))))

;;; Parts

(defstruct (part (:conc-name %part-) (:constructor make-part (from to recorder)) (:copier nil)
                 (:predicate nil))
  "What happened in a form that joined a recording, or what its thread alone did."
  (from nil) (to nil)                   ; names of checkpoints, or NIL: the start and the end
  (recorder 0))                         ; of the thread, 0: all threads count

(defvar *part* nil
  "The part of the profile that REPORT is to show, NIL: all of it.")

(defun part-from (part) (and part (%part-from part)))
(defun part-to (part) (and part (%part-to part)))
(defun part-recorder (part) (if part (%part-recorder part) 0))

;;; Files

(defun native-name (file)
  "The name of FILE, a pathname designator, for C: absolute, a new string."
  (namestring (merge-pathnames (translate-logical-pathname file)
                               *default-pathname-defaults*)))

(defun temporary-file ()
  "The name of a new temporary data file."
  (let ((name (%temporary)))
    (if (stringp name)
        name
        (error 'recording-failed :reason (%strerror name)))))

(defun forget-file (profile)
  "Remove PROFILE's temporary data file.  Also PROFILE's finalizer."
  (undisturbed (%forget (%profile-file profile))))

(defun discard (profile)
  "Remove PROFILE's data file if it is a temporary one, and return NIL.  PROFILE is of no use then.
What is still being recorded is left alone."
  (unless (profile-active-p profile)
    (setf (%profile-discarded profile) (%profile-temporary profile))
    (forget-file profile))
  nil)

(defun failed-p (result)
  "Whether RESULT is (CODE . TEXT), an error of C."
  (and (consp result) (stringp (car result))))

(defun reason-of (result)
  (cond ((string= (cdr result) "") (car result))
        ((system-error-p result) (cdr result))
        (t (format nil "~A (~A)" (cdr result) (car result)))))

(defun check-result (result file)
  "RESULT, unless it is an error that %REPORT and the like had with FILE."
  (cond ((not (failed-p result))
         result)
        ((function-error-p result)
         (error 'no-such-function :file file :reason (cdr result)))
        (t
         (error 'profile-unreadable :file file :reason (reason-of result)))))

(defun find-profile (profile)
  "PROFILE, or the current one if it is NIL."
  (let ((found (or profile (current-profile)
                   (error 'profile-unreadable :reason "nothing has been recorded yet"))))
    (when (%profile-discarded found)
      (error 'profile-discarded :file (%profile-file found)))
    found))

(defun check-saved (result from to)
  "An error, if RESULT is one that %SEAL had with FROM or TO."
  (when (and (failed-p result) (eql 0 (search "cannot write" (cdr result))))
    (error 'save-failed :file to :reason (reason-of result)))
  (check-result result from))

(defun save (file &optional profile)
  "Write PROFILE (the current one by default) to FILE, and return FILE's name.

The file is in the portable form: small, with all names in it, and the same on any machine.  PROFILE
may go on being recorded, but not into FILE.  Signals PROFILE-UNREADABLE if it cannot be read, and
SAVE-FAILED if FILE cannot be written."
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
  "The profile in FILE, which SAVE, `mprof run' or a recording into :FILE left there.

Signals PROFILE-UNREADABLE if it is no data file, or is damaged."
  (without-recording
    (check-file "a file" file)
    (let ((name (native-name file)))
      (make-profile :file name :sums (check-result (undisturbed (%totals name)) name)))))
