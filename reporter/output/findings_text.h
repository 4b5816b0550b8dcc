/* findings_text.h -- describes the rules of findings as text. */
#ifndef MP_FINDINGS_TEXT_H
#define MP_FINDINGS_TEXT_H

#include <stdio.h>

#include "reporter/findings/findings.h"

/* Prints each rule's name, title, purpose, and the limits from which on it reports something. */
void mp_findings_rules(FILE *out);

#endif
