;;;; libraries.lisp -- libraries of others at work.  The first start compiles them into a cache.

(require :asdf)
(asdf:initialize-output-translations
 `(:output-translations (t (,(pathname (ext:getenv "ECL_CACHE")) :implementation))
                        :ignore-inherited-configuration))
(asdf:initialize-source-registry
 '(:source-registry (:also-exclude "cl-asdf") (:tree #p"/usr/share/common-lisp/source/")
                    :ignore-inherited-configuration))
(let ((*standard-output* (make-broadcast-stream)))
  (dolist (system '("cl-ppcre" "cl-csv" "yason" "salza2" "chipz"))
    (asdf:load-system system)))

(defun text (n)
  (with-output-to-string (s)
    (dotimes (i n) (format s "line ~D: name~D@example~D.org, ~D.~2,'0D~%" i i (mod i 7) i (mod i 100)))))

(defun scan (text)
  (let ((n 0))
    (cl-ppcre:do-register-groups (user host) ("(\\w+)@([\\w.]+)" text n)
      (incf n (+ (length user) (length host))))))

(defun csv (n)
  (length (cl-csv:read-csv (with-output-to-string (s)
                             (dotimes (i n) (format s "~D,\"name ~D\",~D~%" i i (* i i)))))))

(defun json (n)
  (let ((text (with-output-to-string (s)
                (yason:encode (loop for i below n collect (list i (format nil "~D" i))) s))))
    (length (yason:parse text))))

(defun squeeze (n)
  (let* ((octets (make-array n :element-type '(unsigned-byte 8) :initial-element 65))
         (squeezed (salza2:compress-data octets 'salza2:zlib-compressor)))
    (length (chipz:decompress nil 'chipz:zlib squeezed))))

(format t "~D ~D ~D ~D~%" (scan (text 20000)) (csv 2000) (json 20000) (squeeze 300000))
