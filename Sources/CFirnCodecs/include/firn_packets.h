// Packets with descriptors over a SOCK_SEQPACKET socket; the control messages of sockets are macros, which Swift cannot
// call.
#ifndef FIRN_PACKETS_H
#define FIRN_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRN_PACKET_DESCRIPTORS = 2 };

/// Sends one packet with up to FIRN_PACKET_DESCRIPTORS descriptors, which stay the caller's. Does not block.
///
/// - Returns: false if the other side is gone or does not read.
bool firn_packet_send(int socket, const void *bytes, size_t length, const int *descriptors, int count);

/// Receives one packet, and up to two descriptors, which the caller owns then; those missing are -1. With NULL a packet
/// with descriptors is refused, and they are closed.
///
/// - Returns: the packet's length; 0 at the end; -1 if the packet is longer than `length`, has more descriptors, or the
///   call failed.
long firn_packet_receive(int socket, void *bytes, size_t length, int *descriptors);

/// Returns a new descriptor of `length` zero bytes in memory, without a name; -1 if there is none.
int firn_memory_make(size_t length);

/// Fixes the size of such memory for good, or its content, too, for which no mapping may be writable.
bool firn_memory_seal(int descriptor, bool content);

#endif
