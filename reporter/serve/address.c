/* SPDX-License-Identifier: MIT */
/*
 * address.c -- parses the address where a server listens.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

static bool
set_port(const char *text, in_port_t *port)
{
    size_t length = strlen(text);
    unsigned long number;

    if (length == 0 || length > 5 || strspn(text, "0123456789") != length)
        return false;
    number = strtoul(text, NULL, 10);
    *port = htons((in_port_t)number);
    return number <= 65535;
}

bool
mp_server_address(const char *text, struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
    size_t length = colon ? (size_t)(colon - text) : 0;

    memset(address, 0, sizeof *address);
    if (length >= sizeof host || (colon && length == 0))
        return false;
    if (colon) {
        memcpy(host, text, length);
        host[length] = '\0';
    }
    if (host[0] == '[') {
        if (host[length - 1] != ']')
            return false;
        host[length - 1] = '\0';
        six->sin6_family = AF_INET6;
        return inet_pton(AF_INET6, host + 1, &six->sin6_addr) == 1 && set_port(colon + 1, &six->sin6_port);
    }
    four->sin_family = AF_INET;
    if (strcmp(host, "localhost") == 0)
        snprintf(host, sizeof host, "127.0.0.1");
    return inet_pton(AF_INET, host, &four->sin_addr) == 1 && set_port(colon ? colon + 1 : text, &four->sin_port);
}
