// What a worker says of an image: its header, the blobs of the header, and its frames.
#ifndef FIRN_DECODER_DESCRIBE_H
#define FIRN_DECODER_DESCRIBE_H

#include <stdint.h>

#include "worker.h"

/// Reads the header to the reply, and the first blobs to the strip.
int32_t read_header(worker *self, firn_worker_reply *reply);

/// Describes page `index`, as `read_header` does the file.
int32_t read_page(worker *self, uint64_t index, firn_worker_reply *reply);

/// Writes frames from number `first` to the strip, as many as fit.
int32_t describe_frames(worker *self, uint64_t first, firn_worker_reply *reply);

/// Copies blobs from byte `first` of all of them to the strip and returns the number of bytes.
uint32_t copy_blobs(worker *self, uint64_t first);

#endif
