// JPEG XL with libjxl, fed as bytes arrive.
//
// An animation is read to its end to list its frames. A frame is reached by rewinding and skipping, or by continuing if
// it comes next. jxl_header.c reads the header, and starts again where libjxl fails on split input.
//
// Source: ISO/IEC 18181-1 and 18181-2; jxl/decode.h.
#ifdef FIRN_JXL
#include "jxl_decoder.h"

#include <stdlib.h>
#include <string.h>

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
    // Safety: libjxl keeps the address. A still's decoder starts once, and the caller keeps the memory in place until
    // the image is complete or the decoder closed. Rows are a third faster this way.
    format.align = self->stride;
    size_t size = 0;
    if (JxlDecoderImageOutBufferSize(self->decoder, &format, &size)) return false;
    return size <= self->stride * self->base.output.height
        && JxlDecoderSetImageOutBuffer(self->decoder, &format, self->pixels, size) == JXL_DEC_SUCCESS;
}

/// Converts RGBA to BGRA if BGRA is requested but libjxl wrote RGBA.
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
        if (JxlDecoderSubscribeEvents(self->decoder, JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE)) return firn_jxl_fail(self);
        self->position = 0;
        self->is_split = false;
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
    switch (firn_jxl_process(self)) {
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
        return firn_jxl_fail(self);
    }
}

/// Makes libjxl write its current state to the image's memory, which later passes overwrite, and copies it.
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

static void release(firn_decoder *base) {
    jxl_decoder *self = (jxl_decoder *)base;
    if (self->decoder) JxlDecoderDestroy(self->decoder);
    free(self->durations.values);
    free(self->icc);
    free(self->exif);
    free(self->xmp);
}

static void library(char *text, size_t capacity) {
    uint32_t version = JxlDecoderVersion();
    snprintf(text, capacity, "libjxl %u.%u.%u", version / 1000000, version / 1000 % 1000, version % 1000);
}

const firn_codec_calls firn_jxl_calls = {
    .library = library,
    .state_bytes = sizeof(jxl_decoder), .release = release, .header = firn_jxl_header, .start = start,
    .read = read_rows, .frame = firn_jxl_describe, .preview = preview};

const firn_codec_calls firn_jxl_animation_calls = {
    .library = library,
    .state_bytes = sizeof(jxl_decoder), .release = release, .header = firn_jxl_header, .start = start,
    .read = read_rows, .frame = firn_jxl_describe, .preview = preview, .restarts = true};

#endif
