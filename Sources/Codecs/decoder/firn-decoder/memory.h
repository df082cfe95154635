// The worker's heap: what a library reads without having written it is zero, in every run.
#ifndef FIRN_DECODER_MEMORY_H
#define FIRN_DECODER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether freed memory is cleared: for a process that goes on to another image.
void memory_set_clearing(bool clears);

/// Sets what is called, once and on any thread, when the system refuses memory. It must not return or allocate.
void memory_set_refusal(void (*refused)(size_t bytes));

/// The bytes of address space that the process has now; 0 if that is not known.
uint64_t memory_mapped(void);

#endif
