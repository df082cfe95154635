// Encoders whose library can end the process, as libaom's assertions do.
#ifndef FIRN_DECODER_ENCODE_H
#define FIRN_DECODER_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/// Returns whether a call belongs to an encoder.
bool is_encoding(uint32_t call);

/// Handles an encoder call.
int32_t encode(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply);

/// Frees the encoder and its file.
void encoding_close(encoding *self);

#endif
