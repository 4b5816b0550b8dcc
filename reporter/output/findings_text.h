/* findings_text.h -- findings for programs, and the rules for people. */
#ifndef MP_FINDINGS_TEXT_H
#define MP_FINDINGS_TEXT_H

#include <stdio.h>

#include "reporter/findings/findings.h"

/* An array of objects: rule, title, text, share, function, chain, whole, figures, command. */
void mp_findings_json(const struct mp_findings *findings, FILE *out);

/* Each rule: its name and title, what it looks for, and the figures at which it speaks. */
void mp_findings_rules(FILE *out);

#endif
