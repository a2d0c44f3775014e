#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ISA baseline
#define VBYTES 16
#include "isa.h"
