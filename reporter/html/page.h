/* SPDX-License-Identifier: MIT */
/* page.h -- the files of page/ as arrays. pack.sh generates the definitions. */
#ifndef MP_PAGE_H
#define MP_PAGE_H

#include <stddef.h>

/* page.html; mp_html_page_write() replaces its placeholders, such as @TITLE@. */
extern const unsigned char mp_page_html[];
extern const size_t mp_page_html_size;

extern const unsigned char mp_page_style[], mp_page_early[], mp_page_script[];
extern const size_t mp_page_style_size, mp_page_early_size, mp_page_script_size;

/* The hashes, "sha256-...", by which the page's policy allows the style, the early script and the script. */
extern const char mp_page_style_hash[], mp_page_early_hash[], mp_page_script_hash[];

#endif
