;;;; SPDX-License-Identifier: MIT
;;;; ffi.lisp -- the functions of lisp_module.h as Lisp functions. No other file contains C.
;;;;
;;;; The functions do not allocate in Lisp's heap unless their docstrings mention it.

(in-package #:mprof)

(ffi:clines "#include \"lisp/lisp_module.h\"" "#include \"reporter/api.h\"")

(defmacro c-constant (name)
  "The value of the C enumeration constant NAME."
  `(ffi:c-inline () () :int ,name :one-liner t))

(defun %folder (name)
  "Tell the module that mprof.fas is in the directory called NAME."
  (ffi:c-inline (name) (:object) :void "mp_module_folder(#0)" :one-liner t))

(defun %connect ()
  "Find the monitor. Return NIL, or a newly allocated string with the reason why there is none."
  (ffi:c-inline () () :object
   "{ const char *problem = mp_module_connect();
      @(return) = problem ? mp_module_string(problem) : ECL_NIL; }"))

(defun %connected-p ()
  "Return whether the monitor was found."
  (ffi:c-inline () () :bool "mp_module_monitor != NULL" :one-liner t))

(defun %start (file depth fold joined sample again)
  "Begin to record into FILE, a string, or restart the recording if AGAIN. Return 0 or an errno
value."
  (ffi:c-inline (file depth fold joined sample again)
                (:object :unsigned-int :bool :bool :uint32-t :bool) :int
   "{ const struct mprof_lisp_wish wish =
        { .depth = #1, .fold = #2, .joined = #3, .sample = #4, .again = #5 };
      @(return) = mp_module_start(#0, &wish); }"))

(defun %join ()
  "Record this thread's objects, too, until %PART has been called as often."
  (ffi:c-inline () () :void "mp_module_monitor->join()" :one-liner t))

(defun %part ()
  "Undo one call of %JOIN."
  (ffi:c-inline () () :void "mp_module_monitor->part()" :one-liner t))

(defun %widen ()
  "Record the objects of all threads from now on."
  (ffi:c-inline () () :void "mp_module_monitor->widen()" :one-liner t))

(defun %form ()
  "Make reports begin chains with the function that called this module."
  (ffi:c-inline () () :void "(void)MP_MODULE_UNPAUSED((mp_module_form(), 0))" :one-liner t))

(defun %hold (on)
  "If ON, suspend the recording of all threads. Else resume it for those recorded before."
  (ffi:c-inline (on) (:bool) :void
   "if (mp_module_monitor) mp_module_monitor->hold(#0);"))

(defun %stop ()
  "End the recording."
  (ffi:c-inline () () :void "mp_module_monitor->stop()" :one-liner t))

(defun %active-p ()
  "Return whether allocations are recorded."
  (ffi:c-inline () () :bool "mp_module_monitor && mp_module_monitor->active()" :one-liner t))

(defun %recording-into-p (file)
  "Return whether allocations are recorded into the file named FILE."
  (ffi:c-inline (file) (:object) :bool "mp_module_records(#0)" :one-liner t))

(defun %file ()
  "The data file of the current or last recording, a new string."
  (ffi:c-inline () () :object "mp_module_string(mp_module_monitor->file())" :one-liner t))

(defun %recorder ()
  "The id of this thread's recorder, or 0."
  (the fixnum
       (ffi:c-inline () () :fixnum
        "(intptr_t)MP_MODULE_UNPAUSED(mp_module_monitor->recorder())" :one-liner t)))

(defun %checkpoint (name)
  "Set a checkpoint called NAME, a string. Return false if nothing is recorded or there are too many
checkpoints."
  (ffi:c-inline (name) (:object) :bool "MP_MODULE_UNPAUSED(mp_module_checkpoint(#0))" :one-liner t))

(defun %sum (which one-thread)
  "A sum since the recording began. WHICH is 0 for the number of objects, 1 for their bytes, 2 for
the number of live objects, 3 for their bytes, 4 for the number of the session, which is 0 while
nothing is recorded, and 5 for the number of lost allocations (enum mp_module_sum). Two sums can be
compared if session and lost allocations are the same."
  (the fixnum
       (ffi:c-inline (which one-thread) (:int :bool) :fixnum
        "(intptr_t)MP_MODULE_UNPAUSED(mp_module_sum(#0, #1))" :one-liner t)))

(defun %pause ()
  "Record nothing that this thread does until %RESUME. Return the argument for %RESUME."
  (the fixnum
       (ffi:c-inline () () :fixnum
        "mp_module_monitor ? (intptr_t)mp_module_monitor->pause() : -1" :one-liner t)))

(defun %resume (saved)
  "Record again. SAVED is the value of %PAUSE."
  (declare (type fixnum saved))
  (ffi:c-inline (saved) (:fixnum) :void
   "if (#0 >= 0) mp_module_monitor->resume((uint32_t)#0);"))

(defun %interrupts (taken)
  "If TAKEN, let this thread handle interrupts from now on, else let them wait. Return whether it
handled them before."
  (ffi:c-inline (taken) (:bool) :bool "mp_module_interrupts(#0)" :one-liner t))

(defun %enter-module ()
  "Pause the recording of this thread, which has left this module by %LEAVE-MODULE."
  (ffi:c-inline () () :void "mp_module_enter();"))

(defun %leave-module ()
  "Resume the recording of this thread, which calls a function of the user."
  (ffi:c-inline () () :void "mp_module_leave();"))

(defun %finalize (on)
  "If ON, let collections call finalizers from now on, else let those wait. Return whether they were
called before."
  (ffi:c-inline (on) (:bool) :bool "mp_module_monitor->finalize(#0)" :one-liner t))

(defun %name-function (function)
  "Register the name of FUNCTION, a compiled function."
  (ffi:c-inline (function) (:object) :void "mp_module_monitor->name_function(#0)" :one-liner t))

(defun %name-method (method)
  "Register the name of METHOD."
  (ffi:c-inline (method) (:object) :void "mp_module_monitor->name_method(#0)" :one-liner t))

(defun %snapshots (on)
  "Start or stop noting the sums after each collection."
  (ffi:c-inline (on) (:bool) :void "mp_module_snapshots(#0)" :one-liner t))

(defun %snapshot (index)
  "The note with INDEX about a collection, (seconds objects bytes live-objects live-bytes), or NIL."
  (ffi:c-inline (index) (:uint32-t) :object "mp_module_snapshot(#0)" :one-liner t))

(defun %heap (name file collect in-place wait strings)
  "Make a snapshot of the heap, see HEAP-SNAPSHOT. Return its name, a new string, or an errno."
  (ffi:c-inline (name file collect in-place wait strings)
                (:object :object :bool :bool :bool :bool) :object
   "mp_module_heap(#0, #1, #2, #3, #4, #5)" :one-liner t))

(defun %heap-left ()
  "Withdraw the request of %HEAP or %HOLDER, because a throw has left it."
  (ffi:c-inline () () :void "mp_module_monitor->heap_left()" :one-liner t))

(defun %heap-problem (error)
  "The description of the errno value ERROR of a snapshot of the heap, a new string."
  (ffi:c-inline (error) (:int) :object "mp_module_heap_problem(#0)" :one-liner t))

;;; %HOLDER and ASKING-VARIABLES allocate.

(defun asking-variables ()
  "Variables through which a thread refers to objects that it asks about: those of a REPL, and those
with closures that may capture its local variables."
  (append '(* ** *** + ++ +++ / // /// -)
          (loop for name in '("*HANDLER-CLUSTERS*" "*RESTART-CLUSTERS*")
                for symbol = (find-symbol name '#:si)
                when symbol collect symbol)))

(defun %in-heap-p (object)
  "Return whether OBJECT is in the heap."
  (ffi:c-inline (object) (:object) :bool "mp_module_in_heap(#0)" :one-liner t))

(defun %holder (object symbols file most)
  "Find out what keeps OBJECT alive, see lisp_module.h. Return a list, an errno value, or
(code . text) on errors."
  (ffi:c-inline (object symbols file most) (:object :object :object :uint32-t) :object
   "mp_module_hold(#0, #1, #2, #3)" :one-liner t))

(defun %census (file types standard root package by-growth most width since symbols)
  "Find out what is in the heap, see lisp_module.h. Return a list, an errno value, or (code . text)
on errors."
  (ffi:c-inline (file types standard root package by-growth most width since symbols)
                (:object :object :object :object :object :bool :unsigned-int :unsigned-int :object
                 :object)
                :object
   "{ const struct mp_module_census census =
        { .types = #1, .standard = #2, .root = #3, .package = #4, .by_growth = #5, .most = #6,
          .width = #7, .since = #8, .symbols = #9 };
      @(return) = mp_module_census(#0, &census); }"))

(defun %forget-state (state)
  "Free STATE, foreign data of %CENSUS."
  (ffi:c-inline (state) (:pointer-void) :void "mp_module_forget_state(#0)" :one-liner t))

(defun %strerror (error)
  "The description of the errno value ERROR, a new string."
  (ffi:c-inline (error) (:int) :object "mp_module_strerror(#0)" :one-liner t))

;;; Files. All of these functions allocate.

(defun %temporary ()
  "Create a temporary data file. Return its name or an errno value."
  (ffi:c-inline () () :object "mp_module_temporary()" :one-liner t))

(defun %temporary-name ()
  "Return an unused name for a temporary file, or an errno value."
  (ffi:c-inline () () :object "mp_module_temporary_name()" :one-liner t))

(defun %forget (file)
  "Remove FILE if it is a temporary data file."
  (ffi:c-inline (file) (:object) :void "mp_module_forget(#0)" :one-liner t))

(defmacro with-wish ((tables frames sort most width min-percent chain focus full-names no-skip
                     from to recorder)
                     file call)
  "The value of the C expression CALL, in which #0 is FILE and `wish` is a struct mp_module_wish
made of the other arguments."
  `(ffi:c-inline (,file ,tables ,frames ,sort ,most ,width ,min-percent ,chain ,focus
                 ,full-names ,no-skip ,from ,to ,recorder)
    (:object :unsigned-int :int :int :unsigned-int :unsigned-int :double :unsigned-int :object :int
     :int :object :object :uint32-t)
    :object
    ,(format nil "{ struct mp_module_wish wish =
                      { #1, .frames = #2, .sort = #3, .most = #4, .width = #5, .min_percent = #6,
                        .chain = #7, .focus = #8, .full_names = #9, .no_skip = #a,
                        .from = #b, .to = #c, .recorder = #d };
                    @(return) = ~A; }" call)))

(defun %report (file tables frames sort most width min-percent chain focus full-names no-skip
                from to recorder)
  "The report of FILE, or of the part that FROM, TO and RECORDER specify: a string, or (code . text)
on errors."
  (with-wish (tables frames sort most width min-percent chain focus full-names no-skip
              from to recorder)
    file "mp_module_report(#0, &wish)"))

(defun %sites (file frames sort most focus)
  "Return a foreign pointer for %NEXT-SITE, or (code . text) on errors."
  (with-wish (0 frames sort most 0 0d0 0 focus 0 0 nil nil 0) file "mp_module_sites(#0, &wish)"))

(defun %next-site (sites)
  "Return the next of SITES as a list, or NIL at the end."
  (ffi:c-inline (sites) (:pointer-void) :object "mp_module_next_site(#0)" :one-liner t))

(defun %sites-tree (sites)
  "Return the tree of the chains of SITES as three vectors, see lisp_module.h."
  (let ((callers (make-array (ffi:c-inline (sites) (:pointer-void) :uint32-t
                              "mp_module_sites_steps(#0)" :one-liner t)
                             :element-type '(unsigned-byte 32)))
        (functions nil)
        (names (make-array (ffi:c-inline (sites) (:pointer-void) :uint32-t
                            "mp_module_sites_functions(#0)" :one-liner t)
                           :initial-element nil)))
    (setf functions (make-array (length callers) :element-type '(unsigned-byte 32)))
    (ffi:c-inline (sites callers functions names) (:pointer-void :object :object :object) :void
     "mp_module_sites_tree(#0, #1, #2, #3)" :one-liner t)
    (values callers functions names)))

(defun %close-sites (sites)
  "Free SITES."
  (ffi:c-inline (sites) (:pointer-void) :void "mp_module_close_sites(#0)" :one-liner t))

(defun %top (file most)
  "The functions that allocated most in FILE, a list of (name bytes objects), or (code . text) on
errors."
  (ffi:c-inline (file most) (:object :unsigned-int) :object "mp_module_top(#0, #1)" :one-liner t))

(defun %totals (file)
  "The sums (objects bytes live-objects live-bytes) of FILE, or (code . text) on errors."
  (ffi:c-inline (file) (:object) :object "mp_module_totals(#0)" :one-liner t))

(defun %seal (file path from to recorder)
  "Write FILE, or the part that FROM, TO and RECORDER specify, to PATH in the portable form. Return
NIL, or (code . text) on errors."
  (ffi:c-inline (file path from to recorder) (:object :object :object :object :uint32-t) :object
   "mp_module_seal(#0, #1, #2, #3, #4)" :one-liner t))

(defun %columns (stream)
  "The number of columns of STREAM, a file stream, or 0 if it is no terminal."
  (ffi:c-inline ((si:file-stream-fd stream)) (:int) :unsigned-int "mp_module_columns(#0)"
                :one-liner t))

(defun %error-text (code)
  "The description of the reporter's error CODE, a new string."
  (ffi:c-inline (code) (:int) :object "mp_module_string(mp_error_string((enum mp_error_code)#0))"
                :one-liner t))

(defun system-error-p (result)
  "Return whether RESULT, (code . text), is an error of the system."
  (string= (car result) (%error-text (c-constant "MP_ERR_SYSTEM"))))

(defun unknown-error-p (result)
  "Return whether RESULT, (code . text), is the error that something is not known."
  (string= (car result) (%error-text (c-constant "MP_ERR_UNKNOWN"))))

(defun function-error-p (result)
  "Return whether RESULT, (code . text), is the error that a function is on no chain."
  (string= (car result) (%error-text (c-constant "MP_ERR_FUNCTION"))))

;;; Choices

(defun sort-code (sort)
  "The C constant for SORT, an argument of REPORT."
  (ecase sort
    (:bytes (c-constant "MP_SORT_BYTES"))
    (:objects (c-constant "MP_SORT_OBJECTS"))
    (:kept (c-constant "MP_SORT_KEPT"))
    (:peak (c-constant "MP_SORT_PEAK"))
    (:with-callees (c-constant "MP_SORTS"))))

(defun frames-code (frames)
  "The C constant for FRAMES, an argument of REPORT."
  (ecase frames
    (:lisp (c-constant "MP_FRAMES_LISP"))
    (:c (c-constant "MP_FRAMES_C"))
    (:all (c-constant "MP_FRAMES_ALL"))))

(defun tables-code (type)
  "The C constants for TYPE, an argument of REPORT."
  (ecase type
    (:summary (c-constant "MP_TABLE_FINDINGS | MP_TABLE_FLAT | MP_TABLE_SITES"))
    (:findings (c-constant "MP_TABLE_FINDINGS"))
    (:flat (c-constant "MP_TABLE_FLAT"))
    (:function-types (c-constant "MP_TABLE_FUNCTION_TYPES"))
    (:direct (c-constant "MP_TABLE_DIRECT"))
    (:graph (c-constant "MP_TABLE_GRAPH"))
    (:types (c-constant "MP_TABLE_TYPES"))
    (:sites (c-constant "MP_TABLE_SITES"))
    (:gc (c-constant "MP_TABLE_GC"))
    (:all (c-constant "MP_TABLE_HEAD | MP_TABLE_LISP | MP_TABLE_GC"))))

(defun chain-code (chain)
  "The C value for CHAIN, an argument of REPORT."
  (case chain
    ((nil) 0)
    (:all (1- (ash 1 32)))
    (t chain)))

;;; The functions of this module are bytecode, and ECL allocates conses for variables of bytecode.
;;; So the recording of a thread pauses while it is in one of them (module_define.c), except while
;;; they call functions of the user.

(defvar *bodies* nil "The functions in bytecode, a vector.")

(defun make-bodies (n)
  "Create the vector for N functions, and return it."
  (setf *bodies* (make-array n)))

(defun call-body (body arguments)
  "Apply BODY. Called while recording is paused, which ends with this function."
  (unwind-protect (apply body arguments)
    (%leave-module)))

(defun call-recorded (function arguments)
  "Apply FUNCTION, which is the user's, and record what it does."
  (%leave-module)
  (unwind-protect (apply function arguments)
    (%enter-module)))
