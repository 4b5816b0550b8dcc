;;;; recording.lisp -- when recording begins and ends.
;;;;
;;;; There is one recording at a time.  Whoever wants to record while one is going on joins it.

(in-package #:mprof)

(defun note-end (profile)
  "PROFILE is not recorded any more.  Lock held."
  (when (%profile-snapshots profile)
    (%snapshots nil)
    (setf (%profile-snapshots profile) (snapshots-now)))
  (setf *recording* nil
        (%profile-sums profile) (loop for which below 4 collect (%sum which nil)))
  profile)

(defun end (profile)
  "End the recording of PROFILE, and return it.  Lock held."
  (%stop)
  (note-end profile))

(defun abandoned-p (profile)
  "Whether an interrupt threw out of ENTER or LEAVE, so that nobody will end PROFILE's recording."
  (and (eq (%profile-origin profile) :with)
       (zerop (%profile-users profile))))

(defun current-recording ()
  "The profile that is being recorded, NIL: none.  Lock held."
  (let ((profile *recording*))
    (when profile
      (cond ((not (%recording-into-p (profile-file profile))) (note-end profile))
            ((abandoned-p profile) (end profile)))))
  (or *recording*
      (when (%active-p)
        (setf *profile* (make-profile :file (%file) :origin :outside)
              *recording* *profile*))))

;;; Begin, with the lock held

(defun connect ()
  "The monitor is there from now on.  To be called first: nothing can be kept out of the recording
before."
  (unless (%connected-p)
    (let ((problem (mp:without-interrupts (%connect))))
      (when problem
        (error 'monitor-missing :reason problem)))))

(defun record-into-file (profile &optional again)
  "Begin to record into PROFILE's file, or AGAIN."
  (let ((result (%start (profile-file profile) (%profile-depth profile) (%profile-fold profile)
                        (%profile-joined-only profile) (%profile-sample profile) again)))
    (unless (zerop result)
      (error 'recording-failed :file (profile-file profile) :reason (%strerror result)))))

(defun sample-bytes (sample)
  "The argument :SAMPLE as a number, 0: every block is recorded."
  (cond ((null sample) 0)
        ((eq sample t) (* 512 1024))
        (t sample)))

(defun new-profile (origin file threads max-depth fold-recursion sample)
  "A profile that is not yet recorded."
  (let ((profile (make-profile :file (if file (native-name file) (temporary-file))
                               :origin origin
                               :temporary (null file)
                               :depth (or max-depth 0)
                               :fold fold-recursion
                               :sample (sample-bytes sample)
                               :joined-only (eq threads :current))))
    (unless file
      (ext:set-finalizer profile #'forget-file))
    profile))

(defun begin (origin &key file threads max-depth fold-recursion sample snapshot-on-gc)
  "Begin a recording, and return its profile."
  (name-everything)
  (let ((profile (new-profile origin file threads max-depth fold-recursion sample)))
    (handler-bind ((recording-failed (lambda (condition)
                                       (declare (ignore condition))
                                       (%forget (profile-file profile)))))
      (record-into-file profile))
    (setf *profile* profile
          *recording* profile)
    (when snapshot-on-gc
      (setf (%profile-snapshots profile) t)
      (%snapshots t))
    profile))

(defun begin-again (profile)
  "Forget what PROFILE has recorded; NIL if it is not ours to forget."
  (unless (eq (%profile-origin profile) :outside)
    (record-into-file profile t)
    (when (%profile-snapshots profile)
      (%snapshots t))
    t))

;;; What WITH-PROFILING expands to
;;;
;;; ECL runs an interrupt also where interrupts are deferred, if it comes while memory is allocated.
;;; So an interrupt that throws may leave any of these functions there; what must not be divided
;;; allocates nothing.

(defvar *entered* nil
  "The profile that the innermost form RECORDING uses in this thread.  Always bound by that.")

(defvar *forms* 0
  "How many forms RECORDING this thread is in.")

(defvar *inside* nil
  "Whether the innermost form RECORDING joined a recording that others had begun.  Always bound by
that.")

(defvar *joined* nil
  "Whether the innermost form RECORDING has joined this thread to the recording.  Always bound by
that.")

(defvar *in-debugger* nil
  "Whether this thread is in a debugger that was entered inside of a form RECORDING.")

(defun check-outside-debugger ()
  "What this thread allocates can be recorded."
  (when *in-debugger*
    (error 'recording-failed
           :reason "this thread is in the debugger of a form that is recorded: leave it first")))

(defun update-hold (profile)
  "Record nothing at all while each form that uses PROFILE's recording waits in the debugger, whose
threads may be many.  Lock held."
  (when (eq (%profile-origin profile) :with)
    (%hold (<= 1 (%profile-users profile) (%profile-held profile)))))

(defun join (profile threads)
  "The objects that THREADS says are recorded in PROFILE from now on.  Lock held."
  (cond ((eq threads :current)
         (%join))
        ((%profile-joined-only profile)
         (setf (%profile-joined-only profile) nil)
         (%widen))))

(defun enter (&key file threads max-depth fold-recursion sample snapshot-on-gc reset)
  "Begin a recording as the arguments say, or join the one that is going on.  Whether it is that of
such forms alone, so that nothing outside of them matters."
  (check-recording file threads max-depth sample)
  (check-outside-debugger)
  (connect)
  (exclusively
    (let ((profile (current-recording)))
      (cond ((null profile)
             (setf profile (begin :with :file file :threads threads :max-depth max-depth
                                        :fold-recursion fold-recursion :sample sample
                                        :snapshot-on-gc snapshot-on-gc)))
            ((and reset (begin-again profile)))
            (t
             (setf *inside* t)))
      (join profile threads)
      (setf *joined* (eq threads :current)
            *entered* profile)
      (incf (%profile-users profile))
      (update-hold profile)
      (eq (%profile-origin profile) :with))))

(defun leave ()
  "The profile that was entered is in use by one less.  Its recording ends if it was begun by those
that use it."
  (let ((profile *entered*))
    (when profile
      (exclusively
        (setf *entered* nil)
        (decf (%profile-users profile))
        (when *joined*
          (%part))
        (when (and (eq *recording* profile)
                   (%recording-into-p (profile-file profile)))
          (if (abandoned-p profile)
              (end profile)
              (update-hold profile)))))))

;;; An error that nobody handles ends in the debugger, which conses, and so does what is typed
;;; there: that is none of the program's work.

(defvar *debugger-outside* nil
  "What EXT:*INVOKE-DEBUGGER-HOOK* was outside of the outermost form RECORDING in this thread.")

(defun hold (profile forms)
  "FORMS forms that use PROFILE's recording wait in the debugger from now on; or less, if negative."
  (exclusively
    (when (eq *recording* profile)
      (incf (%profile-held profile) forms)
      (update-hold profile))))

(defun pause-in-debugger (condition hook)
  "In place of EXT:*INVOKE-DEBUGGER-HOOK*: nothing that this thread does is recorded before a
restart leaves the debugger, and nothing that others do unless they are in forms of their own.
Hooks from outside, like those of SLIME, are called as ever."
  (declare (ignore hook))
  (let ((profile *entered*) (forms *forms*))
    (without-recording
      (unwind-protect
           (let ((ext:*invoke-debugger-hook* *debugger-outside*)
                 (*in-debugger* t))
             (hold profile forms)
             (invoke-debugger condition))
        (hold profile (- forms))))))

(defun debugger-outside ()
  (if (eq ext:*invoke-debugger-hook* 'pause-in-debugger)
      *debugger-outside*
      ext:*invoke-debugger-hook*))

(defmacro recording ((&rest options) &body body)
  "The values of BODY, which is recorded.  OPTIONS are keyword arguments of ENTER.  Reports begin
the chains of the outermost such form with the function in which it stands."
  `(let ((*entered* nil)
         (*joined* nil)
         (*inside* nil)
         (*forms* (1+ *forms*))
         (*debugger-outside* (debugger-outside))
         (ext:*invoke-debugger-hook* 'pause-in-debugger))
     (mp:without-interrupts
       (unwind-protect
            (progn (when (and (enter ,@options) (= *forms* 1))
                     (%form))
                   (mp:with-restored-interrupts ,@body))
         (leave)))))

(defun file-wish (file)
  "FILE, an argument of WITH-PROFILING: NIL, or the name of a file for C."
  (and file
       (without-recording (native-name (check-file :file file)))))

(defun report-wish (report)
  "REPORT, an argument of WITH-PROFILING: NIL, or (T . ARGUMENTS), which are fit for REPORT."
  (and report
       (without-recording (cons t (report-arguments report)))))

(defun report-as-wished (profile part wish)
  "Print the report that REPORT-WISH made WISH of, of the PART of PROFILE."
  (when wish
    (without-recording
      (let ((*part* part))
        (apply #'report :profile profile (rest wish))))))

;;; What a form within a recording of others did lies between two checkpoints of that.

(defvar *numbers* 0 "How many checkpoints were named for forms.  Lock held.")

(defun set-checkpoint ()
  "A checkpoint for a form: its name, or NIL, as there was no room for it."
  (let ((name (exclusively (format nil "WITH-PROFILING ~D" (incf *numbers*)))))
    (and (mp:without-interrupts (%checkpoint name))
         name)))

(defun give-warning (control &rest arguments)
  (without-recording
    (warn 'mprof-warning :reason (apply #'format nil control arguments))))

(defun warn-of-options (profile max-depth fold-recursion sample)
  "Warn of options of a form that joined PROFILE's recording if that was begun with others."
  (let ((ignored (append (and max-depth (/= max-depth (%profile-depth profile)) '(:max-depth))
                         (and fold-recursion (not (%profile-fold profile)) '(:fold-recursion))
                         (and sample (/= (sample-bytes sample) (%profile-sample profile))
                              '(:sample)))))
    (when ignored
      (give-warning "~{~S~^ and ~} cannot change the recording that is going on" ignored))))

(defun note-snapshots (profile)
  "Take snapshots from now on, if PROFILE has none yet."
  (exclusively
    (when (and (eq *recording* profile) (null (%profile-snapshots profile)))
      (setf (%profile-snapshots profile) t)
      (%snapshots t))))

(defun begin-part (wish file threads max-depth fold-recursion sample snapshot-on-gc)
  "The part of *ENTERED* that a form is, which was just entered, as far as that is to be shown; NIL:
all of it."
  (when (and *inside* (or max-depth fold-recursion sample))
    (warn-of-options *entered* max-depth fold-recursion sample))
  (when (and *inside* snapshot-on-gc)
    (note-snapshots *entered*))
  (when (and (or wish file) (or *inside* (eq threads :current)))
    (let ((recorder (if (eq threads :current) (%recorder) 0))
          (from (and *inside* (set-checkpoint))))
      (without-recording (make-part from nil recorder)))))

(defun end-part (part)
  "Now PART ends."
  (when (and part (%part-from part))
    (setf (%part-to part) (set-checkpoint))))

(defun is-known (part inside)
  "Whether PART, of a form that joined a recording if INSIDE, can be told from the rest."
  (or (not inside)
      (and (part-from part) (part-to part))))

(defun write-part (profile part file)
  (check-saved (undisturbed (%seal (profile-file profile) file (part-from part) (part-to part)
                                   (part-recorder part)))
               (profile-file profile) file))

(defun show-part (profile part inside wish file)
  "Report the PART of PROFILE that a form was, and write it into FILE, if that is another file than
PROFILE's.  INSIDE: others began the recording."
  (when (and file (string= file (profile-file profile)))
    (setf file nil))
  (cond ((not (or wish file)))
        ((not (is-known part inside))
         (give-warning "There is no report or file of a form within the recording into ~A: ~
                        it has no room for another checkpoint"
                       (profile-file profile)))
        (t
         (without-recording
           (handler-case
               (progn (when file
                        (write-part profile part file))
                      (report-as-wished profile part wish))
             ((or profile-unreadable save-failed) (condition)
               (if inside
                   (give-warning "There is no report or file of a form within a recording: ~A"
                                 (mprof-error-reason condition))
                   (error condition))))))))

(defun check-options (options)
  "OPTIONS, those of a form WITH-PROFILING, have no unknown keyword."
  (loop for (option) on options by #'cddr
        do (check-argument "an option of WITH-PROFILING" option
                           (member :report :file :threads :max-depth :fold-recursion :sample
                                   :snapshot-on-gc :reset)
                           "one that mprof-lisp(7) has; it has no modes and samples as sb-sprof")))

(defmacro with-profiling ((&rest options
                           &key report file threads max-depth fold-recursion sample snapshot-on-gc
                             reset &allow-other-keys)
                          &body body)
  "Evaluate BODY, record what it allocates, and return its values.

REPORT   when BODY has returned, print a report to *STANDARD-OUTPUT*: T, a type of report as for
         REPORT, or a list of arguments for REPORT.
FILE     record into this file, which stays; else into a temporary one, see PROFILE-FILE.
THREADS  :ALL (the default), or :CURRENT: only what this thread allocates.
MAX-DEPTH  keep at most so many frames of each chain of callers; NIL: all.
FOLD-RECURSION  of recursion, keep what a chain has not had before, see mprof-lisp(7).
SAMPLE   of blocks of C, which are recorded where the program was started by `mprof run', record one
         for each so many bytes, from 1 to 67108864, at random, as `mprof run --sample' does; T:
         524288; NIL: every one.  Objects of Lisp are recorded all the same, every one.
SNAPSHOT-ON-GC  note the sums after each garbage collection, see PROFILE-SNAPSHOTS.
RESET    inside of a recording, begin it anew.

If a recording is going on already (a form WITH-PROFILING outside of this one or in another thread,
START-PROFILING, or the program was started by `mprof run'), it is joined, and goes on afterwards;
the profile is (CURRENT-PROFILE).  The report is of this form alone, and so is FILE, in the form
that SAVE writes; both lie between two checkpoints, of which a recording can have 1,023.  If the
recording was of those threads only that asked for it, it is of this one as well; or of all threads
from then on, if THREADS is not :CURRENT.  Options that would change the recording are left out, and
a warning MPROF-WARNING says so, as it does where no report can be made of the form alone.

The report is printed however BODY is left.

While BODY is in the debugger, nothing that its thread does is recorded.

Signals INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED, before BODY."
  (let ((profile (gensym "PROFILE")) (part (gensym "PART")) (inside (gensym "INSIDE"))
        (wish (gensym "WISH")) (name (gensym "FILE")) (which (gensym "THREADS"))
        (depth (gensym "DEPTH")) (fold (gensym "FOLD")) (bytes (gensym "SAMPLE"))
        (snapshots (gensym "SNAPSHOTS")))
    (check-options options)
    `(let ((,wish (report-wish ,report)) (,name (file-wish ,file)) (,which ,threads)
           (,depth ,max-depth) (,fold ,fold-recursion) (,bytes ,sample)
           (,snapshots ,snapshot-on-gc) (,profile nil) (,part nil) (,inside nil))
       (unwind-protect
            (recording (:file ,name :threads ,which :max-depth ,depth :fold-recursion ,fold
                        :sample ,bytes :snapshot-on-gc ,snapshots :reset ,reset)
              (setf ,part (begin-part ,wish ,name ,which ,depth ,fold ,bytes ,snapshots)
                    ,inside *inside*
                    ,profile *entered*)
              (unwind-protect (progn ,@body)
                (end-part ,part)))
         (when ,profile
           (show-part ,profile ,part ,inside ,wish ,name))))))

;;; By hand

(defun start-profiling (&key file threads max-depth fold-recursion sample snapshot-on-gc)
  "Begin to record, until STOP-PROFILING, and return the profile.  The arguments are those of
WITH-PROFILING.  If a recording is going on already, it is joined, as it is; a warning MPROF-WARNING
says which arguments have no effect.

Signals INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED."
  (check-recording file threads max-depth sample)
  (check-outside-debugger)
  (connect)
  (multiple-value-bind (profile joined)
      (start-or-join file threads max-depth fold-recursion sample snapshot-on-gc)
    (when joined
      (when (and file (string/= (without-recording (native-name file)) (profile-file profile)))
        (give-warning "The recording that is going on is into ~A, not into ~A"
                      (profile-file profile) file))
      (when (or max-depth fold-recursion sample)
        (warn-of-options profile max-depth fold-recursion sample))
      (when snapshot-on-gc
        (note-snapshots profile)))
    profile))

(defun start-or-join (file threads max-depth fold-recursion sample snapshot-on-gc)
  "For START-PROFILING: the profile, and whether it was being recorded."
  (exclusively
    (let* ((profile (current-recording)) (joined profile))
      (cond ((null profile)
             (setf profile (begin :start :file file :threads threads :max-depth max-depth
                                         :fold-recursion fold-recursion :sample sample
                                         :snapshot-on-gc snapshot-on-gc)))
            ((eq (%profile-origin profile) :with)
             (%hold nil)
             (setf (%profile-origin profile) :start)))
      (join profile threads)
      (values profile joined))))

(defun stop-profiling ()
  "End the recording, and return the last profile, NIL: there was none.  What `mprof run' records
goes on."
  (exclusively
    (let ((profile (current-recording)))
      (when (and profile (not (eq (%profile-origin profile) :outside)))
        (end profile))
      *profile*)))

(defun reset ()
  "Forget what has been recorded so far; the recording goes on.  T; or NIL if nothing is being
recorded, or `mprof run' records, whose recording stays whole."
  (exclusively
    (let ((profile (current-recording)))
      (and profile (begin-again profile)))))

(defun checkpoint (name)
  "Keep what every part of the program has allocated by now, as a moment called NAME, a string or
symbol, that reports can be asked for: `mprof report --at=NAME', --from and --to.  T; or NIL if
nothing is being recorded.  The first 1,023 of a recording are kept.

Signals INVALID-ARGUMENT."
  (check-name name)
  (mp:without-interrupts (%checkpoint (string name))))

(defun profiling-p ()
  "Whether allocations are recorded."
  (exclusively (and (current-recording) t)))
