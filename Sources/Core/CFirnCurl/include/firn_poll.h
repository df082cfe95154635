/// Lets a thread sleep on descriptors, and on a bell that other threads ring.
#ifndef FIRN_POLL_H
#define FIRN_POLL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct firn_poll firn_poll;

/// An event of a descriptor.
typedef struct {
    /// The owner that watches it.
    uint32_t owner;
    int descriptor;
    /// Readable (bit 0), writable (bit 1), failed (bit 2).
    int events;
} firn_poll_event;

/// Returns NULL if descriptors or memory are exhausted.
firn_poll *firn_poll_new(void);

/// Waits for a descriptor to become readable (bit 0) or writable (bit 1), or stops waiting (0).
void firn_poll_watch(firn_poll *poll, int descriptor, int events, uint32_t owner);

/// Reports that a descriptor was opened, or is about to be closed. Reported descriptors cost fewer system calls.
void firn_poll_reset(firn_poll *poll, int descriptor, bool is_open);

/// Ends the thread's current or next wait. May be called on any thread.
void firn_poll_ring(firn_poll *poll);

/// Sleeps until an event occurs, for at most the given milliseconds; -1 for no limit.
///
/// Returns the number of events written to `events`.
int firn_poll_wait(firn_poll *poll, firn_poll_event *events, int capacity, int milliseconds);

#endif
