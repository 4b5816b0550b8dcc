/* A part of the body of mixed() in call_lines.c. */
kept = malloc(100);
/* SPDX-License-Identifier: MIT */
