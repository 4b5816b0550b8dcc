/* static_prog.c -- linked -static: nothing can be preloaded into it. */
#include "program.h"

int
main(void)
{
    void *volatile block = malloc(123);

    free(block);
    say("static\n");
    return 0;
}
