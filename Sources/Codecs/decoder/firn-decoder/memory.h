// The worker's heap: memory that a library reads without writing is zero in every run.
#ifndef FIRN_DECODER_MEMORY_H
#define FIRN_DECODER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Sets whether freed memory is cleared, for a process that decodes further images.
void memory_set_clearing(bool clears);

/// Sets the function to call, once and on any thread, when the system is out of memory. It must not return or allocate.
void memory_set_refusal(void (*refused)(size_t bytes));

/// Returns the current address space of the process in bytes; 0 if unknown.
uint64_t memory_mapped(void);

#endif
