/* installed.h -- where the files are that belong to this mprof. */
#ifndef MP_INSTALLED_H
#define MP_INSTALLED_H

/* The path of the file NAME: in the folder BUILD beside this program, if that was not installed ("." is the
 * program's own folder); in FOLDER, where it was installed, even if the whole prefix moved since.  The caller
 * frees it; NULL: it is in neither. */
char *mp_installed_find(const char *build, const char *folder, const char *name);

/* The way from folder FROM to folder TO, both absolute: ("/usr/bin", "/usr/lib/x") is
 * "../lib/x".  The caller frees it. */
char *mp_installed_way(const char *from, const char *to);

#endif
