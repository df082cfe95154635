// Packets with descriptors over a SOCK_SEQPACKET socket.
#ifndef FIRN_DECODER_PACKETS_H
#define FIRN_DECODER_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MOST_PACKET_DESCRIPTORS = 2 };

/// Sends one packet; `descriptor` goes with it unless it is negative. Returns false if the other side is gone.
bool packet_send(int socket, const void *bytes, size_t length, int descriptor);

/// Receives one packet, and up to two descriptors; those missing are -1.
///
/// Returns the packet's length; 0 at the end or if the packet is longer than `length` or has other contents; the caller
/// owns the descriptors.
ssize_t packet_receive(int socket, void *bytes, size_t length, int descriptors[MOST_PACKET_DESCRIPTORS]);

#endif
