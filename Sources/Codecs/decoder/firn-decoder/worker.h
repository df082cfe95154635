// The state of a worker between two requests.
#ifndef FIRN_DECODER_WORKER_H
#define FIRN_DECODER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "firn_worker.h"
#include "shared_area.h"
#include "units.h"

/// A file being encoded.
typedef struct {
    firn_animation *animation;
    shared_area profile;
    firn_encoded file;
} encoding;

/// A color transform; `transform` is NULL if there is none.
typedef struct {
    firn_transform *transform;
    firn_layout from, to;
} colors;

typedef struct {
    firn_worker_group group;
    bool is_kept;
    /// Set by the first OPEN.
    shared_area arena;
    /// The memory of an image decoded as a whole, the memory of a preview, and the input.
    shared_area surface, preview, input;
    /// True if the input is in the inbox.
    bool input_is_lent;
    /// The input with random access; its descriptor is -1 if there is none.
    shared_file file;
    firn_decoder *decoder;
    /// The track of a sequence, which needs no decoder.
    unit_stream units;
    encoding encoding;
    colors colors;
    /// A decompressed text.
    uint8_t *text;
    size_t text_length;
    firn_codec codec;
    firn_header header;
    firn_output output;
    firn_layout layout;
    /// The number of bytes of the strip that contained parts of the image.
    size_t strip_used;
    /// A failure after rows that were sent without it; FIRN_OK if there is none.
    firn_status late_failure;
} worker;

/// The part of the arena that the worker writes and the program reads.
static inline uint8_t *strip(const worker *self) { return self->arena.base + FIRN_ARENA_INBOX; }

/// Records that the first bytes of the strip contain parts of the image, which are cleared at its end.
static inline void note_strip(worker *self, size_t bytes) {
    if (bytes > self->strip_used) self->strip_used = bytes;
}

/// Returns the number of bytes of a pixel.
static inline size_t bytes_per_pixel(firn_layout layout) {
    switch (layout) {
    case FIRN_LAYOUT_RGB: return 3;
    case FIRN_LAYOUT_RGBA16:
    case FIRN_LAYOUT_RGBA_HALF: return 8;
    default: return 4;
    }
}

/// Writes the message of a failure and returns its status.
static inline int32_t fail(firn_worker_reply *reply, firn_status status, const char *message) {
    strncpy(reply->message, message, sizeof reply->message - 1);
    return status;
}

#endif
