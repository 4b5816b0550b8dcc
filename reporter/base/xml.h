/* xml.h -- texts within XML. */
#ifndef MP_XML_H
#define MP_XML_H

#include <stdio.h>

/* Print TEXT, clean UTF-8 (see text.h), so that it stands for itself between tags and in attributes.
 * Characters that XML has not are U+FFFD. */
void mp_xml_put(FILE *out, const char *text);

#endif
