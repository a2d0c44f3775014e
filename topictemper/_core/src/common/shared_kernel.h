/* What all kernels are, whose work threads share. */
#ifndef TOPICTEMPER_SHARED_KERNEL_H
#define TOPICTEMPER_SHARED_KERNEL_H

#include <stdint.h>

/* Work on a problem in blocks. All threads with the same ticket take blocks from it, each block
   once. Returns 0, or -1 without memory. */
typedef int shared_kernel(const void *problem, int64_t *ticket);

#endif
