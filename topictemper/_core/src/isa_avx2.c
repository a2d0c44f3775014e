#define ISA avx2
#define VBYTES 32
#define X86_FEATURES "avx2,fma"
#include "isa.h"
