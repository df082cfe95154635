// Packets with descriptors over a SOCK_SEQPACKET socket. In C, because control messages of sockets use macros, which
// Swift cannot call.
#ifndef FIRN_PACKETS_H
#define FIRN_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRN_PACKET_DESCRIPTORS = 2 };

/// Sends one packet with up to FIRN_PACKET_DESCRIPTORS descriptors, which the caller keeps. Does not block.
///
/// - Returns: false if the peer has closed the socket or is not reading.
bool firn_packet_send(int socket, const void *bytes, size_t length, const int *descriptors, int count);

/// Receives one packet and up to two descriptors, which the caller then owns; missing descriptors are -1. If
/// `descriptors` is NULL, a packet with descriptors is refused, and they are closed.
///
/// - Returns: the length of the packet; 0 at the end; FIRN_PACKET_LATE if none arrived within the time of
///   `firn_packet_limit_wait`; -1 if the packet is longer than `length`, has more descriptors, or the call failed.
long firn_packet_receive(int socket, void *bytes, size_t length, int *descriptors);

/// The spinning state of a receiver. All 0 at first. Unsuccessful spins, as on busy cores, make later ones rarer.
typedef struct {
    /// The number of calls left that do not spin, and the number after the next unsuccessful spin.
    uint32_t skips, next_skips;
} firn_packet_spin;

/// Receives like `firn_packet_receive`, but spins for up to 60 µs before it sleeps, for packets that arrive faster than
/// a thread wakes. Does not spin if `spin` is NULL.
long firn_packet_receive_spinning(int socket, void *bytes, size_t length, int *descriptors, firn_packet_spin *spin);

enum { FIRN_PACKET_LATE = -2 };

/// Limits the wait in `firn_packet_receive`; without a limit it waits forever.
bool firn_packet_limit_wait(int socket, int milliseconds);

/// Kills the process of a descriptor (pidfd_open(2)). Returns false if that fails; succeeds for a process that has
/// ended.
bool firn_process_kill(int process);

/// Returns a new descriptor of `length` zeroed bytes of unnamed memory; -1 if memory is exhausted.
int firn_memory_make(size_t length);

/// Permanently seals the size of such memory, and with `content` also its bytes; then no mapping may be writable.
bool firn_memory_seal(int descriptor, bool content);

#endif
