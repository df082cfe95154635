/// Lets a thread sleep on descriptors, and on a bell that other threads ring.
#ifndef FIRN_POLL_H
#define FIRN_POLL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct firn_poll firn_poll;

/// An event of a descriptor.
typedef struct {
    /// Who watches it.
    uint32_t owner;
    int descriptor;
    /// Readable (bit 0), writable (bit 1), failed (bit 2).
    int events;
} firn_poll_event;

/// Returns NULL if there are no descriptors or no memory.
firn_poll *firn_poll_new(void);

/// Waits for a descriptor to be readable (bit 0) or writable (bit 1), or no longer (0).
void firn_poll_watch(firn_poll *poll, int descriptor, int events, uint32_t owner);

/// Handles that a descriptor was opened, or is about to be closed. One of which this is said costs fewer calls of the
/// system.
void firn_poll_reset(firn_poll *poll, int descriptor, bool is_open);

/// Ends a wait of the thread, or its next one. On any thread.
void firn_poll_ring(firn_poll *poll);

/// Sleeps until something happens, for at most so many milliseconds; without limit for -1.
///
/// Returns the number of events that were written into `events`.
int firn_poll_wait(firn_poll *poll, firn_poll_event *events, int capacity, int milliseconds);

#endif
