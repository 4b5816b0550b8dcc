/* page.h -- the files of page/, which pack.sh puts into the program. */
#ifndef MP_PAGE_H
#define MP_PAGE_H

#include <stddef.h>

/* page.html, in which @NAMES@ stand for what mp_html_write() puts there. */
extern const unsigned char mp_page_html[];
extern const size_t mp_page_html_size;

extern const unsigned char mp_page_style[], mp_page_early[], mp_page_script[];
extern const size_t mp_page_style_size, mp_page_early_size, mp_page_script_size;

/* "sha256-...", for the page's policy. */
extern const char mp_page_style_hash[], mp_page_early_hash[], mp_page_script_hash[];

#endif
