/* findings_text.h -- the rules for people. */
#ifndef MP_FINDINGS_TEXT_H
#define MP_FINDINGS_TEXT_H

#include <stdio.h>

#include "reporter/findings/findings.h"

/* Each rule: its name and title, what it looks for, and the figures at which it speaks. */
void mp_findings_rules(FILE *out);

#endif
