;;;; SPDX-License-Identifier: MIT
;;;; recording.lisp -- begins and ends recordings.
;;;;
;;;; There is at most one recording at a time. Code that wants to record while another recording is
;;;; in progress joins it.

(in-package #:mprof)

(defun note-end (profile)
  "Note that PROFILE is not recorded any more. Lock held."
  (when (%profile-snapshots profile)
    (%snapshots nil)
    (setf (%profile-snapshots profile) (snapshots-now)))
  (setf *recording* nil
        (%profile-sums profile) (loop for which below 4 collect (%sum which nil)))
  profile)

(defun end (profile)
  "End the recording of PROFILE, and return it. Lock held."
  (%stop)
  (note-end profile))

(defun abandoned-p (profile)
  "Return whether an interrupt threw out of ENTER or LEAVE, so that no form will end PROFILE's
recording."
  (and (eq (%profile-origin profile) :with)
       (zerop (%profile-users profile))))

(defun current-recording ()
  "The profile that is being recorded, or NIL. Lock held."
  (let ((profile *recording*))
    (when profile
      (cond ((not (%recording-into-p (profile-file profile))) (note-end profile))
            ((abandoned-p profile) (end profile)))))
  (or *recording*
      (when (%active-p)
        (setf *profile* (make-profile :file (%file) :origin :outside)
              *recording* *profile*))))

;;; Functions that begin a recording. Lock held.

(defun connect ()
  "Ensure that the monitor is connected. Must be called first, because nothing can be excluded from
a recording before."
  (unless (%connected-p)
    (let ((problem (mp:without-interrupts (%connect))))
      (when problem
        (error 'monitor-missing :reason problem)))))

(defun record-into-file (profile &optional again)
  "Begin to record into PROFILE's file, or restart the recording if AGAIN."
  (let ((result (%start (profile-file profile) (%profile-depth profile) (%profile-fold profile)
                        (%profile-joined-only profile) (%profile-sample profile) again)))
    (unless (zerop result)
      (error 'recording-failed :file (profile-file profile) :reason (%strerror result)))))

(defun sample-bytes (sample)
  "The argument :SAMPLE as a number of bytes, or 0 to record every block and object."
  (cond ((null sample) 0)
        ((eq sample t) (* 512 1024))
        (t sample)))

(defun new-profile (origin file threads max-depth fold-recursion sample)
  "Create a profile that is not recorded yet."
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
  "Restart the recording of PROFILE without its data so far. Return NIL if it was begun outside of
Lisp."
  (unless (eq (%profile-origin profile) :outside)
    (record-into-file profile t)
    (when (%profile-snapshots profile)
      (%snapshots t))
    t))

;;; The parts of the expansion of WITH-PROFILING
;;;
;;; ECL may run an interrupt while memory is allocated, even if interrupts are deferred. So an
;;; interrupt that throws may leave these functions at any allocation. Steps that must not be
;;; separated allocate nothing.

(defvar *entered* nil
  "The profile that the innermost form RECORDING uses in this thread. The form binds it.")

(defvar *forms* 0
  "The number of forms RECORDING that enclose the current code in this thread.")

(defvar *inside* nil
  "Whether the innermost form RECORDING joined an existing recording. The form binds it.")

(defvar *joined* nil
  "Whether the innermost form RECORDING called %JOIN for this thread. The form binds it.")

(defvar *in-debugger* nil
  "Whether this thread is in a debugger that was entered within a form RECORDING.")

(defun check-outside-debugger ()
  "Signal an error if this thread is in the debugger of a form RECORDING, so that its allocations
cannot be recorded."
  (when *in-debugger*
    (error 'recording-failed
           :reason "this thread is in the debugger of a form that is recorded: leave it first")))

(defun update-hold (profile)
  "Suspend recording while every form that uses PROFILE's recording waits in the debugger. The forms
may be in several threads. Lock held."
  (when (eq (%profile-origin profile) :with)
    (%hold (<= 1 (%profile-users profile) (%profile-held profile)))))

(defun join (profile threads)
  "Record the objects that THREADS selects in PROFILE from now on. Lock held."
  (cond ((eq threads :current)
         (%join))
        ((%profile-joined-only profile)
         (setf (%profile-joined-only profile) nil)
         (%widen))))

(defun enter (&key file threads max-depth fold-recursion sample snapshot-on-gc reset)
  "Begin a recording with these arguments, or join the current one. Return whether the recording is
used only by forms RECORDING, so that code outside of them does not matter."
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
  "Leave the profile that was entered. If forms began its recording, the last one ends it."
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

;;; An unhandled error enters the debugger. The debugger, and expressions that the user types there,
;;; allocate objects that are not part of the program's work.

(defvar *debugger-outside* nil
  "The value of EXT:*INVOKE-DEBUGGER-HOOK* outside of the outermost form RECORDING in this thread.")

(defun hold (profile forms)
  "Add FORMS, which may be negative, to the number of forms in the debugger that use PROFILE's
recording."
  (exclusively
    (when (eq *recording* profile)
      (incf (%profile-held profile) forms)
      (update-hold profile))))

(defun pause-in-debugger (condition hook)
  "The value of EXT:*INVOKE-DEBUGGER-HOOK* within a form RECORDING. Nothing that this thread does is
recorded until a restart leaves the debugger. Other threads are recorded only if they are in forms
of their own. Calls the hooks from outside, such as those of SLIME."
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
  "Record BODY and return its values. OPTIONS are keyword arguments of ENTER. Reports begin chains
with the function that contains the outermost such form."
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
  "Return NIL, or the name for C of FILE, an argument of WITH-PROFILING."
  (and file
       (without-recording (native-name (check-file :file file)))))

(defun report-wish (report)
  "Return NIL, or (T . ARGUMENTS) with checked arguments for REPORT, made from REPORT, an argument
of WITH-PROFILING."
  (and report
       (without-recording (cons t (report-arguments report)))))

(defun report-as-wished (profile part wish)
  "Print the report on PART of PROFILE. WISH is the value of REPORT-WISH."
  (when wish
    (without-recording
      (let ((*part* part))
        (apply #'report :profile profile (rest wish))))))

;;; The part of a form that joined a recording lies between two checkpoints.

(defvar *numbers* 0 "Number of checkpoints named for forms. Guarded by the lock.")

(defun set-checkpoint ()
  "Set a checkpoint for a form. Return its name, or NIL if there are too many checkpoints."
  (let ((name (exclusively (format nil "WITH-PROFILING ~D" (incf *numbers*)))))
    (and (mp:without-interrupts (%checkpoint name))
         name)))

(defun give-warning (control &rest arguments)
  (without-recording
    (warn 'mprof-warning :reason (apply #'format nil control arguments))))

(defun warn-of-options (profile max-depth fold-recursion sample)
  "Warn about options of a form that joined PROFILE's recording if they differ from those."
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
  "Return the part of *ENTERED* that belongs to the form just entered, if it will be reported or
written. Return NIL for the whole recording."
  (when (and *inside* (or max-depth fold-recursion sample))
    (warn-of-options *entered* max-depth fold-recursion sample))
  (when (and *inside* snapshot-on-gc)
    (note-snapshots *entered*))
  (when (and (or wish file) (or *inside* (eq threads :current)))
    (let ((recorder (if (eq threads :current) (%recorder) 0))
          (from (and *inside* (set-checkpoint))))
      (without-recording (make-part from nil recorder)))))

(defun end-part (part)
  "End PART."
  (when (and part (%part-from part))
    (setf (%part-to part) (set-checkpoint))))

(defun is-known (part inside)
  "Return whether PART, of a form that joined a recording if INSIDE, has both checkpoints."
  (or (not inside)
      (and (part-from part) (part-to part))))

(defun write-part (profile part file)
  (check-saved (undisturbed (%seal (profile-file profile) file (part-from part) (part-to part)
                                   (part-recorder part)))
               (profile-file profile) file))

(defun show-part (profile part inside wish file)
  "Report the PART of PROFILE that belongs to a form, and write it to FILE unless that is PROFILE's
own file. INSIDE: the form joined the recording."
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
  "Check that OPTIONS of a form WITH-PROFILING contain no unknown keyword."
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

REPORT   print a report to *STANDARD-OUTPUT* after BODY: T, a type of report as for REPORT, or a
         list of arguments for REPORT.
FILE     record into this file, which is kept. By default the file is temporary, see PROFILE-FILE.
THREADS  :ALL (the default), or :CURRENT for what this thread allocates.
MAX-DEPTH  maximum number of frames of each chain of callers; NIL: all.
FOLD-RECURSION  keep only the first round of recursion in each chain, see mprof-lisp(7).
SAMPLE   record only a random sample of C blocks, one for each so many bytes, from 1 to 67108864,
         like `mprof run --sample'. T: 524288; NIL: every block. C blocks are recorded if the
         program was started by `mprof run'. Lisp objects are always all recorded.
SNAPSHOT-ON-GC  note the sums after each garbage collection, see PROFILE-SNAPSHOTS.
RESET    if a recording is in progress, restart it.

If a recording is already in progress, the form joins it, and it continues afterwards. It may have
been begun by a form WITH-PROFILING outside of this one or in another thread, by START-PROFILING,
or by `mprof run'. The profile is (CURRENT-PROFILE). The report and FILE, which is in SAVE's form,
are about this form alone. They are limited by two checkpoints. A recording has at most 65,535.
If the recording was limited to threads that asked for it, it now includes this thread, or, unless
THREADS is :CURRENT, all threads. Options that would change the recording are ignored, with the
warning MPROF-WARNING. The same warning is signalled if no report can be made of the form alone.
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

;;; Functions that begin and end a recording explicitly

(defun start-profiling (&key file threads max-depth fold-recursion sample snapshot-on-gc)
  "Begin to record until STOP-PROFILING, and return the profile. The arguments are those of
WITH-PROFILING. If a recording is already in progress, it is joined unchanged. A warning
MPROF-WARNING lists arguments without effect. Signals INVALID-ARGUMENT, MONITOR-MISSING or
RECORDING-FAILED."
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
  "The part of START-PROFILING with the lock held. Return the profile, and whether it was being
recorded."
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
  "End the recording, and return the last profile, or NIL. A recording of `mprof run' continues."
  (exclusively
    (let ((profile (current-recording)))
      (when (and profile (not (eq (%profile-origin profile) :outside)))
        (end profile))
      *profile*)))

(defun reset ()
  "Delete what has been recorded so far, and continue recording. Return T, or NIL if nothing is
being recorded or `mprof run' records, whose recording stays complete."
  (exclusively
    (let ((profile (current-recording)))
      (and profile (begin-again profile)))))

(defun checkpoint (name)
  "Set a checkpoint called NAME, a string or symbol. It preserves what every part of the program has
allocated so far, for reports: `mprof report --at=NAME', --from and --to. Return T, or NIL if
nothing is being recorded. Only the first 65,535 checkpoints of a recording are kept. Signals
INVALID-ARGUMENT."
  (check-name name)
  (mp:without-interrupts (%checkpoint (string name))))

(defun profiling-p ()
  "Return whether allocations are recorded."
  (exclusively (and (current-recording) t)))
