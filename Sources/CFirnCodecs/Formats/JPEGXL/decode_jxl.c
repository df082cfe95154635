// JPEG XL with libjxl, fed as the bytes arrive.
//
// A still drops its bytes as libjxl uses them. An animation is read to its end for the list of its frames, so its bytes
// are kept. A frame is reached by rewinding and skipping, or by continuing if it is the next one.
//
// Invariant: `position` bytes of the input have been used. Once the file is known to be a still, they are dropped.
//
// Source: ISO/IEC 18181-1 and 18181-2; jxl/decode.h.
#ifdef FIRN_JXL
#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>

#include "jxl_version.h"
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
} jxl_decoder;

static firn_status fail_jxl(jxl_decoder *self) { return firn_fail(&self->base, FIRN_DATA, "damaged codestream"); }

/// Advances to libjxl's next event. The bytes are lent to libjxl for this one call.
static JxlDecoderStatus process(jxl_decoder *self) {
    firn_input *input = &self->base.input;
    size_t length = input->length - self->position;
    if (length == 0 && !input->last) return JXL_DEC_NEED_MORE_INPUT;
    if (JxlDecoderSetInput(self->decoder, input->bytes + self->position, length)) return JXL_DEC_ERROR;
    // Order: the input is never closed, because libjxl accepts no bytes after that, not even those that it gave back.
    JxlDecoderStatus event = JxlDecoderProcessInput(self->decoder);
    size_t used = length - JxlDecoderReleaseInput(self->decoder);
    if (used) self->has_news = true;
    self->position += used;
    if (self->info.xsize && !self->info.have_animation) {
        firn_input_skip(input, self->position);
        self->position = 0;
    }
    return event;
}

// MARK: Header

static firn_status open_jxl(jxl_decoder *self) {
    if (self->decoder) return FIRN_OK;
    self->decoder = JxlDecoderCreate(NULL);
    if (!self->decoder) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    // libjxl applies the orientation. Colors are requested straight.
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE;
    if (JxlDecoderSubscribeEvents(self->decoder, events) || JxlDecoderSetUnpremultiplyAlpha(self->decoder, JXL_TRUE))
        return fail_jxl(self);
    return FIRN_OK;
}

static firn_status take_info(jxl_decoder *self) {
    firn_header *header = &self->base.header;
    JxlBasicInfo info;
    if (JxlDecoderGetBasicInfo(self->decoder, &info)) return fail_jxl(self);
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
    // libjxl works in floats and holds every channel of the whole image if filters or passes need it.
    uint64_t channels = 3 + info.num_extra_channels;
    header->working_bytes = (4 << 20) + (uint64_t)info.xsize * info.ysize * channels * 6;
    if (header->working_bytes / 2 > self->base.limits.bytes)
        return firn_fail(
            &self->base, FIRN_LIMIT, "decoding needs %llu bytes, more than the limit",
            (unsigned long long)header->working_bytes);
    return FIRN_OK;
}

/// Describes the colors by code points (ITU-T H.273) if possible; returns whether it is.
static bool take_code_points(jxl_decoder *self) {
    JxlColorEncoding encoding;
    if (firn_jxl_encoded_profile(self->decoder, &encoding))
        return false;
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
        // P3 with the white point D65 has a code point of its own.
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
    if (firn_jxl_icc(self->decoder, self->icc, length))
        return FIRN_OK;
    header->icc = self->icc;
    header->icc_length = length;
    return FIRN_OK;
}

static firn_status take_frame(jxl_decoder *self) {
    JxlFrameHeader frame;
    if (JxlDecoderGetFrameHeader(self->decoder, &frame)) return fail_jxl(self);
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

/// Ends the list once all frames of an animation have been read, or all that have arrived.
static firn_status end_list(jxl_decoder *self) {
    firn_header *header = &self->base.header;
    if (self->durations.count == 0) return firn_fail(&self->base, FIRN_DATA, "holds no frame");
    header->frames = self->durations.count;
    header->durations = self->durations.values;
    // Larger than any frame: the first start rewinds.
    self->next_frame = UINT32_MAX;
    return FIRN_OK;
}

static const firn_codec_calls animation_calls;

static firn_status header(firn_decoder *base) {
    jxl_decoder *self = (jxl_decoder *)base;
    firn_status status = open_jxl(self);
    while (!status) {
        switch (process(self)) {
        case JXL_DEC_NEED_MORE_INPUT:
            if (base->input.last && self->durations.count) return end_list(self);
            return FIRN_NEED_DATA;
        case JXL_DEC_BASIC_INFO: status = take_info(self); break;
        case JXL_DEC_COLOR_ENCODING:
            status = take_color(self);
            if (status || !self->info.have_animation) return status;
            base->calls = &animation_calls;
            break;
        case JXL_DEC_FRAME: status = take_frame(self); break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (JxlDecoderSkipCurrentFrame(self->decoder)) return fail_jxl(self);
            break;
        case JXL_DEC_SUCCESS: return end_list(self);
        case JXL_DEC_FULL_IMAGE: break;
        default:
            // Frames before the damage are valid.
            if (self->durations.count > 1) {
                self->durations.count--;
                return end_list(self);
            }
            return fail_jxl(self);
        }
    }
    return status;
}

static firn_status describe_frame(firn_decoder *base, uint32_t index, firn_frame *frame) {
    const firn_header *header = &base->header;
    uint32_t duration = header->durations ? header->durations[index] : 0;
    *frame = (firn_frame){header->width, header->height, duration, header->alpha};
    return FIRN_OK;
}

// MARK: Pixels

/// Stores some pixels of one row.
static void take_pixels(void *context, size_t x, size_t y, size_t count, const void *source) {
    jxl_decoder *self = context;
    const firn_output *output = &self->base.output;
    if (!self->pixels || y >= output->height || x >= output->width || count > output->width - x) return;
    uint8_t *target = self->pixels + y * self->stride;
    switch (self->layout) {
    case FIRN_LAYOUT_RGB: memcpy(target + x * 3, source, count * 3); break;
    case FIRN_LAYOUT_RGBA16:
    case FIRN_LAYOUT_RGBA_HALF: memcpy(target + x * 8, source, count * 8); break;
    case FIRN_LAYOUT_BGRA: {
        const uint8_t *from = source;
        target += x * 4;
        for (size_t i = 0; i < count; i++, from += 4, target += 4) {
            target[0] = from[2];
            target[1] = from[1];
            target[2] = from[0];
            target[3] = from[3];
        }
        break;
    }
    default: memcpy(target + x * 4, source, count * 4);
    }
}

static bool set_target(jxl_decoder *self) {
    JxlPixelFormat format = {self->layout == FIRN_LAYOUT_RGB ? 3u : 4u, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    if (self->layout == FIRN_LAYOUT_RGBA16) format.data_type = JXL_TYPE_UINT16;
    if (self->layout == FIRN_LAYOUT_RGBA_HALF) format.data_type = JXL_TYPE_FLOAT16;
    self->has_target = true;
    if (self->base.header.animated)
        return JxlDecoderSetImageOutCallback(self->decoder, &format, take_pixels, self) == JXL_DEC_SUCCESS;
    // Safety: libjxl keeps the address. A still's decoder is started once, and the caller keeps the memory in place
    // until the image is complete or the decoder closed. Rows are a third faster this way.
    format.align = self->stride;
    size_t size = 0;
    if (JxlDecoderImageOutBufferSize(self->decoder, &format, &size)) return false;
    return size <= self->stride * self->base.output.height
        && JxlDecoderSetImageOutBuffer(self->decoder, &format, self->pixels, size) == JXL_DEC_SUCCESS;
}

/// Converts RGBA to BGRA if BGRA is requested and libjxl wrote RGBA.
static void order_colors(const jxl_decoder *self, uint8_t *pixels, size_t stride) {
    if (self->base.header.animated || self->layout != FIRN_LAYOUT_BGRA) return;
    for (uint32_t y = 0; y < self->base.output.height; y++, pixels += stride)
        for (size_t i = 0; i < (size_t)self->base.output.width * 4; i += 4) {
            uint8_t red = pixels[i];
            pixels[i] = pixels[i + 2];
            pixels[i + 2] = red;
        }
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    jxl_decoder *self = (jxl_decoder *)base;
    if (options->frame >= base->header.frames) return firn_fail(base, FIRN_DATA, "has no such frame");
    if (options->layout == FIRN_LAYOUT_CMYK
        || (options->layout == FIRN_LAYOUT_RGBA_HALF && self->info.exponent_bits_per_sample == 0)
        || (options->layout == FIRN_LAYOUT_RGBA16 && base->header.bit_depth <= 8))
        return firn_fail(base, FIRN_UNSUPPORTED, "is not stored in the samples asked for");
    self->layout = options->layout;
    self->frame = options->frame;
    self->pixels = NULL;
    self->has_target = false;
    if (base->header.animated && self->frame != self->next_frame) {
        // Order: rewinding in libjxl 0.7 drops the subscribed events, contrary to its documentation.
        JxlDecoderRewind(self->decoder);
        if (JxlDecoderSubscribeEvents(self->decoder, JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE)) return fail_jxl(self);
        self->position = 0;
        self->next_frame = self->frame;
        if (self->frame) JxlDecoderSkipFrames(self->decoder, self->frame);
    }
    base->output = (firn_output){base->header.width, base->header.height, .whole = true, .previews = true};
    return FIRN_OK;
}

static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    jxl_decoder *self = (jxl_decoder *)base;
    if (self->has_target && !base->header.animated && self->pixels != pixels)
        return firn_fail(base, FIRN_UNSUPPORTED, "the memory of the image was moved");
    self->pixels = pixels;
    self->stride = stride;
    switch (process(self)) {
    case JXL_DEC_NEED_MORE_INPUT: return FIRN_NEED_DATA;
    case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        return set_target(self) ? FIRN_OK : firn_fail(base, FIRN_UNSUPPORTED, "cannot be given in these samples");
    case JXL_DEC_FULL_IMAGE:
        self->next_frame = self->frame + 1;
        order_colors(self, pixels, stride);
        *done = base->output.height;
        return FIRN_END;
    case JXL_DEC_BASIC_INFO:
    case JXL_DEC_COLOR_ENCODING:
    case JXL_DEC_FRAME: return FIRN_OK;
    case JXL_DEC_SUCCESS: return firn_fail(base, FIRN_DATA, "ends before the frame");
    default:
        self->next_frame = UINT32_MAX;
        return fail_jxl(self);
    }
}

/// Makes libjxl write its current state into the image's memory, which later passes overwrite, and copies that.
static firn_status preview(firn_decoder *base, uint8_t *pixels, size_t stride) {
    jxl_decoder *self = (jxl_decoder *)base;
    if (!self->has_target || !self->pixels || !self->has_news) return FIRN_NEED_DATA;
    self->has_news = false;
    if (JxlDecoderFlushImage(self->decoder)) return FIRN_NEED_DATA;
    size_t row = (size_t)base->output.width
        * (self->layout == FIRN_LAYOUT_RGB                                                  ? 3
               : self->layout == FIRN_LAYOUT_RGBA16 || self->layout == FIRN_LAYOUT_RGBA_HALF ? 8
                                                                                             : 4);
    for (uint32_t y = 0; y < base->output.height; y++)
        memcpy(pixels + y * stride, self->pixels + y * self->stride, row);
    order_colors(self, pixels, stride);
    return FIRN_OK;
}

static void close_decoder(firn_decoder *base) {
    jxl_decoder *self = (jxl_decoder *)base;
    if (self->decoder) JxlDecoderDestroy(self->decoder);
    free(self->durations.values);
    free(self->icc);
    free(self);
}

static const firn_codec_calls still_calls = {
    .close = close_decoder,
    .header = header,
    .start = start,
    .read = read_rows,
    .preview = preview,
};

static const firn_codec_calls animation_calls = {
    .close = close_decoder,
    .header = header,
    .start = start,
    .read = read_rows,
    .frame = describe_frame,
    .preview = preview,
    .restarts = true,
};

firn_decoder *firn_jxl_open(void) {
    jxl_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &still_calls;
    return &self->base;
}

#endif
