#include "gate_page.h"

static struct mp_gate no_gate;
struct mp_gate *mp_gate = &no_gate;
