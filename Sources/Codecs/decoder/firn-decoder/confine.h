// Gives up, for good, what a decoder does not need.
#ifndef FIRN_DECODER_CONFINE_H
#define FIRN_DECODER_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "firn_worker.h"

/// Confines the calling process, which has one thread: limits, Landlock without a path, system calls of `group` only.
///
/// Ends with the process `parent`. Landlock is left out where the kernel has none; the system calls that it would check
/// are refused all the same.
///
/// - memory: bytes of address space beyond those mapped now; seconds: of CPU time.
/// - Returns: NULL, or what could not be set up, and then the process must not read what is not trusted.
const char *confine(firn_worker_group group, pid_t parent, uint64_t memory, uint64_t seconds);

/// Sets the bytes of address space that the next steps may use in all, within the limit of `confine`; 0: unchanged.
bool confine_step(uint64_t address_space);

/// Whether the kernel confines file access by Landlock.
bool confine_has_landlock(void);

#endif
