// One WebP image with libwebp's incremental decoder.
//
// The input is the image's own chunks, "VP8 " or "VP8L", the former optionally after "ALPH", as in a still or in a
// frame of an animation.
//
// Source: RFC 9649 §2.5 and §2.6; webp/decode.h "Incremental decoding" and "Advanced decoding API".
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

#include "../../Library/decoder.h"
#include "firn_pixels.h"

/// The number of bytes passed to libwebp between two pauses.
enum { SLICE = 128 << 10 };

typedef struct {
    firn_decoder base;
    WebPIDecoder *decoder;
    WebPDecoderConfig config;
    firn_layout layout;
    bool is_lossless;
    /// The memory from the first call of `read`; libwebp keeps the address.
    uint8_t *pixels;
    /// True if libwebp leaves noise in the alpha of opaque pixels: lossless files may store alpha but declare it
    /// unused.
    bool has_idle_alpha;
    bool is_complete;
    uint32_t rows;
} webp_decoder;

static firn_status fail_webp(webp_decoder *self, VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY: return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE: return firn_fail(&self->base, FIRN_UNSUPPORTED, "uses an unknown feature");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return firn_fail(&self->base, FIRN_DATA, "the data is cut short");
    default: return firn_fail(&self->base, FIRN_DATA, "damaged bitstream");
    }
}

static firn_status header(firn_decoder *decoder) {
    webp_decoder *self = (webp_decoder *)decoder;
    firn_header *header = &decoder->header;
    if (!decoder->input.length) return FIRN_NEED_DATA;
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(decoder->input.bytes, decoder->input.length, &features);
    if (code == VP8_STATUS_NOT_ENOUGH_DATA) return FIRN_NEED_DATA;
    if (code) return fail_webp(self, code);
    if (features.width < 0 || features.height < 0) return fail_webp(self, VP8_STATUS_BITSTREAM_ERROR);
    header->width = (uint32_t)features.width;
    header->height = (uint32_t)features.height;
    firn_status status = firn_check_size(decoder, header->width, header->height);
    if (status) return status;
    bool is_lossless = self->is_lossless = features.format == 2;
    header->alpha = features.has_alpha;
    header->space = is_lossless ? FIRN_SPACE_RGB : FIRN_SPACE_YCBCR;
    self->has_idle_alpha = is_lossless && !features.has_alpha;
    return FIRN_OK;
}

/// Extends a range to even pixels and by at least one chroma sample.
static void widen(uint32_t *start, uint32_t *length, uint32_t side) {
    uint32_t end = *start + *length;
    *start = *start > 2 ? (*start - 2) & ~1u : 0;
    end = side - end > 2 ? end + 2 : side;
    *length = end - *start;
}

/// Limits the decode to a part. libwebp interpolates chroma at a part's border as at the image's; unless the part is
/// scaled, it is decoded with a margin that keeps those pixels outside.
static void crop(webp_decoder *self, const firn_area *part, bool is_scaled) {
    const firn_header *header = &self->base.header;
    firn_area all = *part;
    if (!is_scaled) {
        widen(&all.x, &all.width, header->width);
        widen(&all.y, &all.height, header->height);
        self->base.output.area = (firn_area){part->x - all.x, part->y - all.y, part->width, part->height};
    }
    self->config.options.use_cropping = 1;
    self->config.options.crop_left = (int)all.x;
    self->config.options.crop_top = (int)all.y;
    self->config.options.crop_width = (int)all.width;
    self->config.options.crop_height = (int)all.height;
    self->base.output.width = all.width;
    self->base.output.height = all.height;
}

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    webp_decoder *self = (webp_decoder *)decoder;
    firn_header *header = &decoder->header;
    WebPDecoderConfig *config = &self->config;
    if (!WebPInitDecoderConfig(config)) return firn_fail(decoder, FIRN_UNSUPPORTED, "another version of libwebp");
    self->layout = options->layout;
    self->has_idle_alpha = self->has_idle_alpha || (self->is_lossless && options->opaque);
    switch (options->layout) {
    case FIRN_LAYOUT_BGRA: config->output.colorspace = MODE_BGRA; break;
    case FIRN_LAYOUT_RGBA: config->output.colorspace = MODE_RGBA; break;
    case FIRN_LAYOUT_RGB: config->output.colorspace = MODE_RGB; break;
    default: return firn_fail(decoder, FIRN_UNSUPPORTED, "a WebP holds samples of 8 bits and no inks");
    }
    config->output.is_external_memory = 1;
    decoder->output.width = header->width;
    decoder->output.height = header->height;
    decoder->output.whole = true;
    decoder->output.in_order = true;
    firn_area part = options->area;
    bool is_part = part.width > 0;
    if (!is_part) part = (firn_area){0, 0, header->width, header->height};
    bool is_smaller = options->width && options->height
        && (options->width < part.width || options->height < part.height) && options->width <= part.width
        && options->height <= part.height
        // libwebp moves a part of a lossy image to even pixels.
        && part.x % 2 == 0 && part.y % 2 == 0;
    if (is_part) crop(self, &part, is_smaller);
    if (is_smaller) {
        config->options.use_scaling = 1;
        config->options.scaled_width = (int)options->width;
        config->options.scaled_height = (int)options->height;
        decoder->output.width = options->width;
        decoder->output.height = options->height;
    }
    return FIRN_OK;
}

/// Sets the memory that libwebp writes to.
static firn_status open_decoder(webp_decoder *self, uint8_t *pixels, size_t stride) {
    unsigned bytes = self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    WebPRGBABuffer *buffer = &self->config.output.u.RGBA;
    if (stride > INT32_MAX) return firn_fail(&self->base, FIRN_LIMIT, "rows are too long for libwebp");
    buffer->rgba = self->pixels = pixels;
    buffer->stride = (int)stride;
    buffer->size = (size_t)(self->base.output.height - 1) * stride + (size_t)self->base.output.width * bytes;
    self->decoder = WebPIDecode(NULL, 0, &self->config);
    return self->decoder ? FIRN_OK : firn_fail(&self->base, FIRN_MEMORY, "no memory");
}

/// Finishes complete rows, each once.
static void take_rows(webp_decoder *self, uint32_t rows) {
    if (rows <= self->rows) return;
    if (self->has_idle_alpha && self->layout != FIRN_LAYOUT_RGB) {
        size_t stride = (size_t)self->config.output.u.RGBA.stride;
        firn_pixels_make_opaque(
            self->pixels + self->rows * stride, stride, self->base.output.width, rows - self->rows);
    }
    self->rows = rows;
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    webp_decoder *self = (webp_decoder *)decoder;
    firn_input *input = &decoder->input;
    if (!self->decoder) {
        firn_status status = open_decoder(self, pixels, stride);
        if (status) return status;
    }
    if (pixels != self->pixels) return firn_fail(decoder, FIRN_UNSUPPORTED, "an image's memory has moved");
    if (!self->is_complete && input->length) {
        size_t slice = input->length < SLICE ? input->length : SLICE;
        VP8StatusCode code = WebPIAppend(self->decoder, input->bytes, slice);
        firn_input_skip(input, slice);
        if (code == VP8_STATUS_OK) {
            self->is_complete = true;
            take_rows(self, decoder->output.height);
        } else if (code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA) {
            int row = 0;
            if (WebPIDecGetRGB(self->decoder, &row, NULL, NULL, NULL) && row > 0) take_rows(self, (uint32_t)row);
        } else {
            return fail_webp(self, code);
        }
    }
    // The bytes after the last row belong to the image: without them the file is truncated.
    if (self->is_complete) firn_input_skip(input, input->length);
    *done = self->rows;
    if (input->length) return FIRN_OK;
    if (!input->last) return FIRN_NEED_DATA;
    if (self->is_complete) return FIRN_END;
    return firn_fail(decoder, FIRN_DATA, "cut short after row %u of %u", self->rows, decoder->output.height);
}

static void release(firn_decoder *decoder) {
    webp_decoder *self = (webp_decoder *)decoder;
    if (self->decoder) WebPIDelete(self->decoder);
}

static void library(char *text, size_t capacity) {
    int version = WebPGetDecoderVersion();
    snprintf(text, capacity, "libwebp %d.%d.%d", version >> 16 & 255, version >> 8 & 255, version & 255);
}

const firn_codec_calls firn_webp_calls = {
    .library = library,
    .state_bytes = sizeof(webp_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .areas = true};
