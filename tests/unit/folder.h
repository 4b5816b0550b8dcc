/* folder.h -- a temporary directory for the files of a test, and files of the source tree. */
#ifndef MP_TEST_FOLDER_H
#define MP_TEST_FOLDER_H

#include <stddef.h>

/* Returns the path of the test's directory. The first call makes it. It is removed with its content when the test
 * ends. */
const char *folder(void);

/* Returns the path of NAME in the test's directory. The text is freed when the test ends. */
const char *in_folder(const char *name);

/* Write a file, which everybody may read and run, to the directory. Return its path. */
const char *make_file(const char *name, const void *bytes, size_t size);
const char *make_text(const char *name, const char *text);

/* Returns the path of NAME in the source tree. The text is freed when the test ends. */
const char *source_path(const char *name);

#endif
/* SPDX-License-Identifier: MIT */
