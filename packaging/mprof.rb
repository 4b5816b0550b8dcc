# SPDX-License-Identifier: MIT
# mprof.rb -- a formula for Homebrew on Linux. UNTESTED: there was no Homebrew to try it with. It needs glibc 2.35 or later
# and a system with libiberty/demangle.h (libiberty-dev of Debian and Ubuntu), which Homebrew does not have.
#
#     HOMEBREW_MPROF_TARBALL=$PWD/mprof-1.0.0.tar.xz brew install --formula ./packaging/mprof.rb
class Mprof < Formula
  desc "Exact memory allocation profiler for C and Common Lisp"
  url "file://#{ENV.fetch("HOMEBREW_MPROF_TARBALL")}"
  version "1.0.0"
  license all_of: ["MIT", "LGPL-2.1-or-later"]

  depends_on "pkgconf" => :build
  depends_on "elfutils"
  depends_on "libmicrohttpd"
  depends_on "libunwind"
  depends_on :linux
  depends_on "ncurses"
  depends_on "sqlite"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "./configure", "--without-ecl", *std_configure_args
    system "make", "install"
  end

  test do
    system bin/"mprof", "run", "-o", "ls.data", "ls"
    assert_match "allocs", shell_output("#{bin}/mprof totals ls.data")
  end
end
