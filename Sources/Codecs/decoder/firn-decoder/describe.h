// A worker's description of an image: its header, the header's blobs, and its frames.
#ifndef FIRN_DECODER_DESCRIBE_H
#define FIRN_DECODER_DESCRIBE_H

#include <stdint.h>

#include "worker.h"

/// Reads the header into the reply, and the first blobs into the strip.
int32_t read_header(worker *self, firn_worker_reply *reply);

/// Describes page `index`, in the form of `read_header`.
int32_t read_page(worker *self, uint64_t index, firn_worker_reply *reply);

/// Writes frames, starting at number `first`, to the strip, as many as fit.
int32_t describe_frames(worker *self, uint64_t first, firn_worker_reply *reply);

/// Copies blobs to the strip, starting at byte `first` of them all, and returns the number of bytes.
uint32_t copy_blobs(worker *self, uint64_t first);

#endif
