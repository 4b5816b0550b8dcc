/* sqlite_schema.h -- the tables of a database, and how mprof recognises its databases. */
#ifndef MP_EXPORT_SQLITE_SCHEMA_H
#define MP_EXPORT_SQLITE_SCHEMA_H

#define MP_SQLITE_APPLICATION 0x6d70726f        /* pragma application_id, "mpro" */
#define MP_SQLITE_VERSION 3                     /* pragma user_version; changes with the tables */

/* Statements that create the tables in an empty database, terminated by NULL. */
extern const char *const mp_sqlite_schema[];

#endif
