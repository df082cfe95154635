// The worker's side of the protocol.
#ifndef FIRN_DECODER_SERVE_H
#define FIRN_DECODER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "firn_worker.h"

/// Serves requests from `socket` until its end, then ends the process.
///
/// - mapped: bytes of address space before the first request; limits of requests are added to it.
_Noreturn void serve(int socket, firn_worker_group group, bool is_kept, uint64_t mapped);

/// Returns whether a group decodes a codec.
bool group_decodes(firn_worker_group group, firn_codec codec);

#endif
