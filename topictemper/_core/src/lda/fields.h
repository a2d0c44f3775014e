/* The arrays of `documents`, for a caller that fills the struct by name. */
#ifndef TOPICTEMPER_FIELDS_H
#define TOPICTEMPER_FIELDS_H

#include "lda.h"

#include <stddef.h>

typedef struct {
    const char *name;
    char kind; /* as in a Python buffer; 'r': float or double, as the caller has it */
    int writable;
    size_t offset;
} field;

#define KIND_real 'r'
#define KIND_double 'd'
#define KIND_int32_t 'i'
#define KIND_int64_t 'q'
#define IN(type, name) {#name, KIND_##type, 0, offsetof(documents, name)},
#define OUT(type, name) {#name, KIND_##type, 1, offsetof(documents, name)},
static const field minibatch_fields[] = {MINIBATCH_FIELDS(IN, OUT){NULL, 0, 0, 0}};
static const field local_fields[] = {LOCAL_FIELDS(IN, OUT){NULL, 0, 0, 0}};
#undef IN
#undef OUT

#endif
