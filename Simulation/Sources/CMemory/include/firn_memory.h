#ifndef FIRN_MEMORY_H
#define FIRN_MEMORY_H

#include <stddef.h>

/// Bytes that the C allocator has handed out and not got back, mapped ones included.
size_t firn_bytes_in_use(void);

/// Gives what is free back to the system, so that what is resident tells what is in use.
void firn_trim_memory(void);

#endif
