;;;; Allocates until the file "end" exists. Meanwhile the test requests snapshots.
(defvar *kept* (loop for i below 1000 collect (vector i)))
(defun work ()
  (loop until (probe-file "end")
        do (make-list 1000)
           (sleep 0.01)))
(with-open-file (stream "ready" :direction :output) (write-line "ready" stream))
(work)
(si::gc t)
(format t "done ~D~%" (length *kept*))
(ext:quit 3)
;;;; SPDX-License-Identifier: MIT
