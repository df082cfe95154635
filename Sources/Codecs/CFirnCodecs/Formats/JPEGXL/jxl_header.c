// The header of a JPEG XL file: size, colors, and the list of an animation's frames.
//
// Source: ISO/IEC 18181-1 and 18181-2; jxl/decode.h.
#ifdef FIRN_JXL
#include "jxl_decoder.h"

#include <stdlib.h>
#include <string.h>


firn_status firn_jxl_fail(jxl_decoder *self) { return firn_fail(&self->base, FIRN_DATA, "damaged codestream"); }

/// Configures a new or reset libjxl decoder; returns false if it fails.
static bool configure(jxl_decoder *self) {
    // libjxl applies the orientation. Alpha is requested straight, not premultiplied.
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE;
    return !JxlDecoderSubscribeEvents(self->decoder, events)
        && !JxlDecoderSetUnpremultiplyAlpha(self->decoder, JXL_TRUE);
}

/// Returns to the first byte of the file: to the state before the header while that is being read, otherwise to the
/// start of the current frame.
static bool begin_again(jxl_decoder *self) {
    JxlDecoderReset(self->decoder);
    self->position = 0;
    self->is_split = false;
    // Order: libjxl must not write previews to memory that it has forgotten.
    self->has_target = false;
    if (self->base.phase == FIRN_READING_HEADER) {
        self->durations.count = 0;
        free(self->icc);
        self->base.header.icc = self->icc = NULL;
        self->base.header.icc_length = 0;
    }
    if (!configure(self)) return false;
    if (self->base.phase != FIRN_READING_HEADER && self->frame) JxlDecoderSkipFrames(self->decoder, self->frame);
    return true;
}

JxlDecoderStatus firn_jxl_process(jxl_decoder *self) {
    firn_input *input = &self->base.input;
    while (true) {
        size_t length = input->length - self->position;
        if (!input->last && (length == 0 || self->waits_for_all)) return JXL_DEC_NEED_MORE_INPUT;
        if (JxlDecoderSetInput(self->decoder, input->bytes + self->position, length)) return JXL_DEC_ERROR;
        // Order: the input is never closed, because libjxl then accepts no bytes, not even those that it returned.
        JxlDecoderStatus event = JxlDecoderProcessInput(self->decoder);
        size_t used = length - JxlDecoderReleaseInput(self->decoder);
        if (used) self->has_news = true;
        self->position += used;
        if (event == JXL_DEC_NEED_MORE_INPUT && !input->last) self->is_split = true;
        if (event != JXL_DEC_ERROR || !self->is_split) return event;
        self->waits_for_all = true;
        if (!begin_again(self)) return JXL_DEC_ERROR;
    }
}

static firn_status open_jxl(jxl_decoder *self) {
    if (self->decoder) return FIRN_OK;
    self->decoder = JxlDecoderCreate(NULL);
    if (!self->decoder) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    return configure(self) ? FIRN_OK : firn_jxl_fail(self);
}

static firn_status take_info(jxl_decoder *self) {
    firn_header *header = &self->base.header;
    JxlBasicInfo info;
    if (JxlDecoderGetBasicInfo(self->decoder, &info)) return firn_jxl_fail(self);
    firn_status status = firn_check_size(&self->base, info.xsize, info.ysize);
    if (status) return status;
    self->info = info;
    header->width = info.xsize;
    header->height = info.ysize;
    header->bit_depth = info.bits_per_sample;
    header->alpha = info.alpha_bits > 0;
    header->space = info.num_color_channels == 1 ? FIRN_SPACE_GRAY : FIRN_SPACE_RGB;
    if (info.have_animation) {
        header->animated = true;
        header->loops = info.animation.num_loops;
    }
    // libjxl works in floats and holds every channel of the whole image if filters or passes need it. Upper bounds of
    // the memory that version 0.7 took (Tests/EndToEnd/EstimateTests.swift).
    uint64_t channels = 3 + info.num_extra_channels, bytes = info.bits_per_sample > 8 || channels > 3 ? 10 : 6;
    header->working_bytes = (4 << 20) + (uint64_t)info.xsize * info.ysize * channels * bytes;
    return FIRN_OK;
}

/// Describes the colors by code points (ITU-T H.273); returns false if that is impossible.
static bool take_code_points(jxl_decoder *self) {
    JxlColorEncoding encoding;
    if (firn_jxl_encoded_profile(self->decoder, &encoding)) return false;
    firn_color *color = &self->base.header.color;
    switch (encoding.transfer_function) {
    case JXL_TRANSFER_FUNCTION_709:
    case JXL_TRANSFER_FUNCTION_LINEAR:
    case JXL_TRANSFER_FUNCTION_SRGB:
    case JXL_TRANSFER_FUNCTION_PQ:
    case JXL_TRANSFER_FUNCTION_HLG: color->transfer = (uint16_t)encoding.transfer_function; break;
    default: return false;
    }
    if (encoding.white_point != JXL_WHITE_POINT_D65) return false;
    if (encoding.color_space == JXL_COLOR_SPACE_GRAY)
        color->primaries = 1;
    else if (encoding.color_space != JXL_COLOR_SPACE_RGB || encoding.primaries == JXL_PRIMARIES_CUSTOM)
        return false;
    else
        // P3 with the white point D65 has its own code point.
        color->primaries = encoding.primaries == JXL_PRIMARIES_P3 ? 12 : (uint16_t)encoding.primaries;
    return true;
}

static firn_status take_color(jxl_decoder *self) {
    firn_header *header = &self->base.header;
    self->has_color = true;
    if (take_code_points(self)) return FIRN_OK;
    header->color = (firn_color){0};
    size_t length = 0;
    if (firn_jxl_icc_size(self->decoder, &length) || length == 0
        || length > self->base.limits.profile_bytes)
        return FIRN_OK;
    self->icc = malloc(length);
    if (!self->icc) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the profile");
    if (firn_jxl_icc(self->decoder, self->icc, length)) return FIRN_OK;
    header->icc = self->icc;
    header->icc_length = length;
    return FIRN_OK;
}

static firn_status take_frame(jxl_decoder *self) {
    JxlFrameHeader frame;
    if (JxlDecoderGetFrameHeader(self->decoder, &frame)) return firn_jxl_fail(self);
    if (self->durations.count >= self->base.limits.frames)
        return firn_fail(&self->base, FIRN_LIMIT, "has more than %u frames, the limit", self->base.limits.frames);
    const JxlAnimationHeader *animation = &self->info.animation;
    double ticks = frame.duration, milliseconds = 0;
    if (animation->tps_numerator) milliseconds = ticks * 1000 * animation->tps_denominator / animation->tps_numerator;
    uint32_t stored = milliseconds < UINT32_MAX ? (uint32_t)(milliseconds + 0.5) : UINT32_MAX;
    if (!firn_durations_add(&self->durations, stored))
        return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of frames");
    return FIRN_OK;
}

/// Ends the list once all frames of an animation, or all that have arrived, were read.
static firn_status end_list(jxl_decoder *self) {
    firn_header *header = &self->base.header;
    if (self->durations.count == 0) return firn_fail(&self->base, FIRN_DATA, "holds no frame");
    header->frames = self->durations.count;
    header->durations = self->durations.values;
    // Larger than any frame, so the first start rewinds.
    self->next_frame = UINT32_MAX;
    return FIRN_OK;
}

/// Skips all frames. Returns libjxl's last event; sets `*left` to the number of bytes after the frames.
static JxlDecoderStatus skip_frames(const uint8_t *bytes, size_t length, uint32_t most_frames, size_t *left) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return JXL_DEC_ERROR;
    JxlDecoderStatus event = JXL_DEC_ERROR;
    if (!JxlDecoderSubscribeEvents(decoder, JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE)
        && !JxlDecoderSetInput(decoder, bytes, length)) {
        // Each frame has at most three events.
        for (uint64_t steps = (uint64_t)most_frames * 3 + 8; steps > 0; steps--) {
            event = JxlDecoderProcessInput(decoder);
            if (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER && JxlDecoderSkipCurrentFrame(decoder)) event = JXL_DEC_ERROR;
            if (event != JXL_DEC_FRAME && event != JXL_DEC_NEED_IMAGE_OUT_BUFFER && event != JXL_DEC_FULL_IMAGE) break;
        }
    }
    *left = JxlDecoderReleaseInput(decoder);
    JxlDecoderDestroy(decoder);
    return event;
}

/// Returns whether a file contains all its frames.
///
/// libjxl 0.7 skips a truncated last frame by its size without an error. Therefore it receives more bytes than the file
/// has: a complete file leaves them unused.
static firn_extent extent_of(const uint8_t *bytes, size_t length, uint32_t most_frames) {
    enum { MORE = 64 };
    uint8_t *longer = length < SIZE_MAX - MORE ? malloc(length + MORE) : NULL;
    if (!longer) return FIRN_EXTENT_UNKNOWN;
    memcpy(longer, bytes, length);
    memset(longer + length, 0, MORE);
    size_t left = 0;
    JxlDecoderStatus event = skip_frames(longer, length + MORE, most_frames, &left);
    free(longer);
    if (event == JXL_DEC_SUCCESS) return left < MORE ? FIRN_EXTENT_CUT : FIRN_EXTENT_WHOLE;
    if (event == JXL_DEC_NEED_MORE_INPUT) return FIRN_EXTENT_CUT;
    // The extra bytes may be the cause of the damage.
    event = skip_frames(bytes, length, most_frames, &left);
    return event == JXL_DEC_SUCCESS || event == JXL_DEC_NEED_MORE_INPUT ? FIRN_EXTENT_CUT : FIRN_EXTENT_WHOLE;
}

firn_status firn_jxl_header(firn_decoder *base) {
    jxl_decoder *self = (jxl_decoder *)base;
    // Order: before any byte is used.
    bool is_whole = base->input.last && !self->position && !self->info.xsize && !self->extent;
    if (is_whole) {
        self->extent = extent_of(base->input.bytes, base->input.length, base->limits.frames);
        firn_jxl_take_boxes(self, base->input.bytes, base->input.length);
    }
    firn_status status = open_jxl(self);
    while (!status) {
        switch (firn_jxl_process(self)) {
        case JXL_DEC_NEED_MORE_INPUT:
            if (base->input.last && self->durations.count) {
                self->extent = FIRN_EXTENT_CUT;
                return end_list(self);
            }
            return FIRN_NEED_DATA;
        case JXL_DEC_BASIC_INFO: status = take_info(self); break;
        case JXL_DEC_COLOR_ENCODING:
            status = take_color(self);
            if (status || !self->info.have_animation) return status;
            base->calls = &firn_jxl_animation_calls;
            break;
        case JXL_DEC_FRAME: status = take_frame(self); break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (JxlDecoderSkipCurrentFrame(self->decoder)) return firn_jxl_fail(self);
            break;
        case JXL_DEC_SUCCESS: return end_list(self);
        case JXL_DEC_FULL_IMAGE: break;
        default:
            // Frames before the damage are valid.
            if (self->durations.count > 1) {
                self->durations.count--;
                self->extent = FIRN_EXTENT_WHOLE;
                return end_list(self);
            }
            return firn_jxl_fail(self);
        }
    }
    return status;
}

firn_status firn_jxl_describe(firn_decoder *base, uint32_t index, firn_frame *frame) {
    const jxl_decoder *self = (jxl_decoder *)base;
    const firn_header *header = &base->header;
    uint32_t duration = header->durations ? header->durations[index] : 0;
    // The list ends with a truncated frame; the frames before it were skipped by size.
    firn_extent extent = index + 1 == header->frames ? self->extent : FIRN_EXTENT_WHOLE;
    *frame = (firn_frame){header->width, header->height, duration, header->alpha, extent, 0};
    return FIRN_OK;
}

#endif
