// Encoders whose library can end the process, as libaom does by assertions.
#ifndef FIRN_DECODER_ENCODE_H
#define FIRN_DECODER_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/// Whether a call is one of an encoder.
bool is_encoding(uint32_t call);

/// Serves a call of an encoder.
int32_t encode(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply);

/// Frees the encoder and its file.
void encoding_close(encoding *self);

#endif
