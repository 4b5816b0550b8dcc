/* SPDX-License-Identifier: MIT */
/* installed.h -- finds the files that belong to this mprof. */
#ifndef MP_INSTALLED_H
#define MP_INSTALLED_H

/* Finds the file NAME. Searches the folder BUILD beside this program ("." is the program's own folder), for a program
 * that was not installed. Then searches FOLDER, where NAME was installed, even if the whole prefix was moved since.
 * Returns the path, which the caller frees, or NULL if NAME is in neither folder. */
char *mp_installed_find(const char *build, const char *folder, const char *name);

/* Returns the relative path from folder FROM to folder TO, which are absolute. For example, ("/usr/bin",
 * "/usr/lib/x") gives "../lib/x". The caller frees it. */
char *mp_installed_way(const char *from, const char *to);

#endif
