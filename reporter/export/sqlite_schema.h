/* sqlite_schema.h -- what a database of ours is known by, and what is in it. */
#ifndef MP_EXPORT_SQLITE_SCHEMA_H
#define MP_EXPORT_SQLITE_SCHEMA_H

#define MP_SQLITE_APPLICATION 0x6d70726f        /* "mpro": pragma application_id */
#define MP_SQLITE_VERSION 3                     /* pragma user_version; changes with the tables */

/* Statements that make an empty database ours; NULL behind the last. */
extern const char *const mp_sqlite_schema[];

#endif
