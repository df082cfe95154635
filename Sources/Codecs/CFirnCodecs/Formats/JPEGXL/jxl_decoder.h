// The state of one JPEG XL decode, shared by the files that make it up.
//
// Invariant: `position` bytes of the input have been used. All of them are kept, so that a decode can begin again.
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
    uint8_t *icc, *exif, *xmp;
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
    /// Whether libjxl has got the file in more than one piece since it began.
    bool is_split;
    /// Whether libjxl failed at a file in pieces, and gets it again once all bytes have arrived.
    bool waits_for_all;
} jxl_decoder;

/// The calls of an animation, which has several frames; the header replaces those of a still by them.
extern const firn_codec_calls firn_jxl_animation_calls;

/// Reads the EXIF data and the XMP packet of a whole file. What is damaged is left out.
void firn_jxl_take_boxes(jxl_decoder *self, const uint8_t *bytes, size_t length);

/// Fails with FIRN_DATA: libjxl gives no reasons.
firn_status firn_jxl_fail(jxl_decoder *self);

/// Advances to libjxl's next event. The bytes are lent to libjxl for this one call.
///
/// If libjxl fails at a file that it got in pieces, it gets all bytes again, from the first one on, once they have
/// arrived; until then, this returns JXL_DEC_NEED_MORE_INPUT. libjxl 0.7 confuses the sections of a file that stores
/// them in another order than they are decoded in, as cjxl does since version 0.10 for several groups of 2048 pixels a
/// side, unless all of them are there.
JxlDecoderStatus firn_jxl_process(jxl_decoder *self);

/// Reads up to the first pixel of a still, or all frames of an animation.
firn_status firn_jxl_header(firn_decoder *base);

/// Describes one of the frames.
firn_status firn_jxl_describe(firn_decoder *base, uint32_t index, firn_frame *frame);

#endif
