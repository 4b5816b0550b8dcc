/* SPDX-License-Identifier: MIT */
/* xml.h -- texts in XML. */
#ifndef MP_XML_H
#define MP_XML_H

#include <stdio.h>

/* Prints TEXT, cleaned as in text.h and escaped for use between tags and in attributes. U+FFFE and U+FFFF, which XML
 * does not allow, are replaced by U+FFFD. */
void mp_xml_put(FILE *out, const char *text);

#endif
