/* xml.h -- texts in XML. */
#ifndef MP_XML_H
#define MP_XML_H

#include <stdio.h>

/* Prints TEXT, clean UTF-8 (see text.h), escaped for use between tags and in attributes. Characters that XML
 * does not allow are replaced by U+FFFD. */
void mp_xml_put(FILE *out, const char *text);

#endif
