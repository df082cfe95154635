#ifndef FIRN_MEMORY_H
#define FIRN_MEMORY_H

#include <stddef.h>

/// Returns the bytes that the C allocator has handed out and that were not freed, including mapped ones.
size_t firn_bytes_in_use(void);

/// Returns free memory to the system, so that resident memory equals memory in use.
void firn_trim_memory(void);

#endif
