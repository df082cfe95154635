// Parts of a file besides its pixels, which the main program must not parse with a library: color profiles and
// compressed texts.
#ifndef FIRN_DECODER_METADATA_H
#define FIRN_DECODER_METADATA_H

#include <stdint.h>

#include "worker.h"

/// Creates the transform for a color profile, the input.
int32_t colors_open(worker *self, const firn_worker_colors *wanted, firn_worker_reply *reply);

/// Converts pixels in the strip.
int32_t colors_convert(worker *self, uint32_t pixels, firn_worker_reply *reply);

/// Decompresses the input and copies the first bytes to the strip.
int32_t text_unpack(worker *self, uint64_t most, firn_worker_reply *reply);

/// Copies further bytes of the text to the strip.
int32_t text_take(worker *self, uint64_t first, firn_worker_reply *reply);

/// Frees the transform and the text.
void metadata_close(worker *self);

#endif
