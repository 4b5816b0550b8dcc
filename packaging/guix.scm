;; SPDX-License-Identifier: MIT
;; guix.scm -- a package for Guix. UNTESTED: there was no Guix to try it with.
;;
;;     guix build -f packaging/guix.scm       in a clone, after make dist
(use-modules (guix packages) (guix gexp) (guix build-system gnu) ((guix licenses) #:prefix license:)
             (gnu packages check) (gnu packages compression) (gnu packages elf) (gnu packages gcc)
             (gnu packages gnunet) (gnu packages libunwind) (gnu packages lisp) (gnu packages ncurses)
             (gnu packages pkg-config) (gnu packages sqlite))

(define version "1.0.0")

(package
  (name "mprof")
  (version version)
  (source (local-file (string-append "../mprof-" version ".tar.xz")))
  (build-system gnu-build-system)
  (arguments
   (list #:test-target "check-quick"    ; the other tests need programs of some sixty packages
         #:configure-flags #~(list "--with-ecl-modules=no")))
  (native-inputs (list check pkg-config))
  (inputs (list ecl elfutils libiberty libmicrohttpd libunwind ncurses sqlite xz zlib (list zstd "lib")))
  (home-page "")
  (synopsis "Exact memory allocation profiler for C and Common Lisp")
  (description "mprof records each allocation of an unchanged program with its whole call chain, and shows what
allocates, what is never freed, and through which callers.")
  (license (list license:expat license:lgpl2.1+)))      ; of libiberty, which is linked in
