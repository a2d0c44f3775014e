#define ISA avx512
#define VBYTES 64
#define X86_FEATURES "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"
#include "isa.h"
