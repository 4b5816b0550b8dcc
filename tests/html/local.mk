# Tests of the pages of mprof html in headless Chromium, by real clicks and keys. Skipped if Chromium is not installed.
HTML_TESTS = \
	tests/html/clicks.sh \
	tests/html/export_dhat.sh \
	tests/html/findings.sh \
	tests/html/flame.sh \
	tests/html/functions.sh \
	tests/html/imported.sh \
	tests/html/heap.sh \
	tests/html/layout.sh \
	tests/html/lifetimes.sh \
	tests/html/lines.sh \
	tests/html/source.sh \
	tests/html/threads.sh \
	tests/html/time.sh \
	tests/html/types.sh \
	tests/html/window.sh
dist_check_SCRIPTS += $(HTML_TESTS)
TESTS += $(HTML_TESTS)
EXTRA_DIST += tests/html/html_lib.sh tests/html/chrome.py tests/html/reader.py tests/html/layout.js \
	tests/html/view_clicks.py tests/html/view_dhat.py tests/html/view_diff.py tests/html/view_findings.py tests/html/view_flame.py tests/html/view_functions.py \
	tests/html/view_heap.py tests/html/view_layout.py tests/html/view_lifetimes.py tests/html/view_lines.py tests/html/view_many.py \
	tests/html/view_source.py tests/html/view_threads.py tests/html/view_time.py tests/html/view_types.py \
	tests/html/view_window.py
# SPDX-License-Identifier: MIT
