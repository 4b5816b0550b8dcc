# libmprof with system calls that fail on request: see runtime/system/fault.h. It is never installed.
check_LTLIBRARIES += tests/faults/libmprof-faults.la
tests_faults_libmprof_faults_la_SOURCES = $(libmonitor_la_SOURCES) $(libmprof_la_SOURCES)
tests_faults_libmprof_faults_la_CFLAGS = $(MONITOR_CFLAGS) -DMP_FAULTS
tests_faults_libmprof_faults_la_LDFLAGS = $(libmprof_la_LDFLAGS) -rpath /nowhere
# SPDX-License-Identifier: MIT
