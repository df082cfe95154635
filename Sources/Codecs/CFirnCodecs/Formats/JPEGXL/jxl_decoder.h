// The state of a JPEG XL decode, shared by its files.
//
// Invariant: `position` bytes of the input have been used. All are kept, so that a decode can start again.
#ifndef FIRN_JXL_DECODER_H
#define FIRN_JXL_DECODER_H

#include "jxl_version.h"

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
    /// The frame that libjxl reaches next, and the requested frame.
    uint32_t next_frame, frame;
    /// The destination of the callback.
    uint8_t *pixels;
    size_t stride;
    bool has_target;
    /// True if bytes have arrived since the last preview.
    bool has_news;
    /// The extent of the last frame in the file.
    firn_extent extent;
    /// True if libjxl has received the file in more than one piece since it started.
    bool is_split;
    /// True if libjxl failed on split input and will receive it again once all bytes have arrived.
    bool waits_for_all;
} jxl_decoder;

/// The calls for an animation with several frames; the header replaces those for a still with them.
extern const firn_codec_calls firn_jxl_animation_calls;

/// Reads the EXIF data and the XMP packet of a complete file. Omits damaged ones.
void firn_jxl_take_boxes(jxl_decoder *self, const uint8_t *bytes, size_t length);

/// Fails with FIRN_DATA: libjxl gives no reasons.
firn_status firn_jxl_fail(jxl_decoder *self);

/// Advances to libjxl's next event. The bytes are lent to libjxl for this one call.
///
/// If libjxl fails on split input, it receives all bytes again once they have arrived; until then, this returns
/// JXL_DEC_NEED_MORE_INPUT. Unless all sections are present, libjxl 0.7 confuses those of a file that stores them in
/// another order than they are decoded in, as cjxl does since version 0.10 for several groups of 2048 pixels a side.
JxlDecoderStatus firn_jxl_process(jxl_decoder *self);

/// Reads up to the first pixel of a still, or all frames of an animation.
firn_status firn_jxl_header(firn_decoder *base);

/// Describes one of the frames.
firn_status firn_jxl_describe(firn_decoder *base, uint32_t index, firn_frame *frame);

#endif
