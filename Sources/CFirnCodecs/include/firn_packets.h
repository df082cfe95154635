// Packets with descriptors over a SOCK_SEQPACKET socket. They are written in C because the control messages of sockets
// are macros, which Swift cannot call.
#ifndef FIRN_PACKETS_H
#define FIRN_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRN_PACKET_DESCRIPTORS = 2 };

/// Sends one packet with up to FIRN_PACKET_DESCRIPTORS descriptors, which the caller keeps. Does not block.
///
/// - Returns: false if the peer has closed the socket or does not read.
bool firn_packet_send(int socket, const void *bytes, size_t length, const int *descriptors, int count);

/// Receives one packet and up to two descriptors, which the caller then owns; missing descriptors are -1. If
/// `descriptors` is NULL, a packet with descriptors is refused, and they are closed.
///
/// - Returns: the packet's length; 0 at the end; -1 if the packet is longer than `length`, has more descriptors, or the
///   call failed.
long firn_packet_receive(int socket, void *bytes, size_t length, int *descriptors);

/// Waits some tens of microseconds for a packet or the end, without sleeping. A peer that replies at once is heard
/// sooner than by a sleep, whose end takes as long; another thread that wants the processor gets it.
void firn_packet_expect(int socket);

/// Returns a new descriptor of `length` zero bytes of unnamed memory; -1 if the system has none.
int firn_memory_make(size_t length);

/// Seals the size of such memory permanently, and with `content` its bytes, too; no mapping may be writable then.
bool firn_memory_seal(int descriptor, bool content);

#endif
