// The state of one JPEG XL decode, shared by the files that make it up.
//
// Invariant: `position` bytes of the input have been used. Once the file is known to be a still, they are dropped.
#ifndef FIRN_JXL_DECODER_H
#define FIRN_JXL_DECODER_H

#include <jxl/decode.h>

#include "../../Library/decoder.h"

typedef struct {
    firn_decoder base;
    JxlDecoder *decoder;
    JxlBasicInfo info;
    size_t position;
    bool has_color;
    firn_durations durations;
    uint8_t *icc;
    firn_layout layout;
    /// The frame that libjxl reaches next, and the requested one.
    uint32_t next_frame, frame;
    /// Where the callback writes.
    uint8_t *pixels;
    size_t stride;
    bool has_target;
    /// Whether bytes have arrived since the last preview.
    bool has_news;
    /// Whether the file holds all of the last frame.
    firn_extent extent;
} jxl_decoder;

/// The calls of an animation, which has several frames; the header replaces those of a still by them.
extern const firn_codec_calls firn_jxl_animation_calls;

/// Fails with FIRN_DATA: libjxl gives no reasons.
firn_status firn_jxl_fail(jxl_decoder *self);

/// Advances to libjxl's next event. The bytes are lent to libjxl for this one call.
JxlDecoderStatus firn_jxl_process(jxl_decoder *self);

/// Reads up to the first pixel of a still, or all frames of an animation.
firn_status firn_jxl_header(firn_decoder *base);

/// Describes one of the frames.
firn_status firn_jxl_describe(firn_decoder *base, uint32_t index, firn_frame *frame);

#endif
