// Permanently gives up rights that a decoder does not need.
#ifndef FIRN_DECODER_CONFINE_H
#define FIRN_DECODER_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "firn_worker.h"

/// Confines the calling process, which has one thread: limits, Landlock without any path, only the system calls of
/// `group`.
///
/// Ends with the process `parent`. Kernels without Landlock skip it; the system calls that it would check are refused
/// anyway.
///
/// - memory: bytes of address space in addition to the current mappings; seconds: CPU time.
/// - Returns: NULL, or the step that failed; the process must then read no untrusted data.
const char *confine(firn_worker_group group, pid_t parent, uint64_t memory, uint64_t seconds);

/// Sets the total address space of the next steps in bytes, within the limit of `confine`; 0: unchanged.
bool confine_step(uint64_t address_space);

/// Returns whether the kernel supports Landlock.
bool confine_has_landlock(void);

#endif
