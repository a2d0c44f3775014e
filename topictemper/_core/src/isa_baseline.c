/* Every processor of the architecture. */
#define ISA baseline
#define VBYTES 16
#include "isa.h"
