// One WebP image with libwebp's incremental decoder.
//
// The input is the image's own chunks, "VP8 " or "VP8L", with "ALPH" before the former, as in a still or in a frame of
// an animation.
//
// Source: RFC 9649 §2.5 and §2.6; webp/decode.h "Incremental decoding" and "Advanced decoding API".
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

#include "../../Library/decoder.h"
#include "firn_pixels.h"
#include "webp_planes.h"

/// The bytes passed to libwebp between two pauses.
enum { SLICE = 128 << 10 };

typedef struct {
    firn_decoder base;
    WebPIDecoder *decoder;
    WebPDecoderConfig config;
    firn_layout layout;
    bool is_lossless;
    /// The memory of the first call of `read`; libwebp keeps the address.
    uint8_t *pixels;
    /// Whether libwebp leaves noise in the alpha of opaque pixels: lossless files may store alpha and declare it
    /// unused.
    bool has_idle_alpha;
    bool is_complete;
    uint32_t rows;
    /// The planes of a lossy image that is averaged here; otherwise NULL, and libwebp makes the pixels.
    firn_webp_planes *planes;
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

/// Moves a range outwards to even pixels, at least one sample of chroma away.
static void widen(uint32_t *start, uint32_t *length, uint32_t side) {
    uint32_t end = *start + *length;
    *start = *start > 2 ? (*start - 2) & ~1u : 0;
    end = side - end > 2 ? end + 2 : side;
    *length = end - *start;
}

/// Limits the decode to a part. libwebp interpolates chroma at a part's border as at the image's; unless the part is
/// scaled, it is decoded with a margin that keeps those pixels out of it.
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

/// The size from which on the loop filter is left out: an eighth of both sides, and less.
///
/// The filter smooths the edges of blocks. At an eighth, its absence leaves a structural similarity of at least 0.99
/// with the filtered image, also in strongly compressed photographs; at a quarter it can be 0.970, at half 0.944.
enum { UNFILTERED = 8 };

/// Starts an opaque lossy image that is averaged to at most half its size.
static firn_status start_planes(webp_decoder *self, uint32_t width, uint32_t height) {
    firn_output *output = &self->base.output;
    self->planes = firn_webp_planes_make(output->width, output->height, width, height);
    if (!self->planes) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    self->config.options.bypass_filtering =
        width <= output->width / UNFILTERED && height <= output->height / UNFILTERED;
    self->config.options.no_fancy_upsampling = 1;
    self->config.output.colorspace = MODE_YUV;
    firn_webp_planes_lend(self->planes, &self->config.output.u.YUVA);
    output->width = width;
    output->height = height;
    output->whole = false;
    return FIRN_OK;
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
    if (is_smaller && !is_part && !self->is_lossless && !header->alpha
        && firn_webp_planes_suit(header->width, header->height, options->width, options->height))
        return start_planes(self, options->width, options->height);
    if (is_smaller) {
        config->options.use_scaling = 1;
        config->options.scaled_width = (int)options->width;
        config->options.scaled_height = (int)options->height;
        decoder->output.width = options->width;
        decoder->output.height = options->height;
    }
    return FIRN_OK;
}

/// Sets the memory that libwebp writes pixels to.
static firn_status lend_pixels(webp_decoder *self, uint8_t *pixels, size_t stride) {
    unsigned bytes = self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    WebPRGBABuffer *buffer = &self->config.output.u.RGBA;
    if (stride > INT32_MAX) return firn_fail(&self->base, FIRN_LIMIT, "rows are too long for libwebp");
    buffer->rgba = self->pixels = pixels;
    buffer->stride = (int)stride;
    buffer->size = (size_t)(self->base.output.height - 1) * stride + (size_t)self->base.output.width * bytes;
    return FIRN_OK;
}

/// Starts libwebp, which writes to its caller's pixels, or to the planes.
static firn_status open_decoder(webp_decoder *self, uint8_t *pixels, size_t stride) {
    if (!self->planes) {
        firn_status status = lend_pixels(self, pixels, stride);
        if (status) return status;
    }
    self->decoder = WebPIDecode(NULL, 0, &self->config);
    return self->decoder ? FIRN_OK : firn_fail(&self->base, FIRN_MEMORY, "no memory");
}

/// Finishes rows that are complete, each of them once.
static void take_rows(webp_decoder *self, uint32_t rows) {
    if (rows <= self->rows) return;
    if (self->has_idle_alpha && self->layout != FIRN_LAYOUT_RGB) {
        size_t stride = (size_t)self->config.output.u.RGBA.stride;
        firn_pixels_make_opaque(
            self->pixels + self->rows * stride, stride, self->base.output.width, rows - self->rows);
    }
    self->rows = rows;
}

/// Decodes the next bytes of the input. Returns FIRN_OK unless they are damaged.
static firn_status decode_slice(webp_decoder *self) {
    firn_input *input = &self->base.input;
    size_t slice = input->length < SLICE ? input->length : SLICE;
    VP8StatusCode code = WebPIAppend(self->decoder, input->bytes, slice);
    firn_input_skip(input, slice);
    if (code == VP8_STATUS_OK) {
        self->is_complete = true;
        return FIRN_OK;
    }
    return code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA ? FIRN_OK : fail_webp(self, code);
}

/// Returns the rows that libwebp has written.
static uint32_t rows_written(const webp_decoder *self) {
    int row = 0;
    const uint8_t *pixels =
        self->planes ? WebPIDecGetYUVA(self->decoder, &row, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                     : WebPIDecGetRGB(self->decoder, &row, NULL, NULL, NULL);
    return pixels && row > 0 ? (uint32_t)row : 0;
}

/// Returns the status after `decoder->output` rows were returned as far as the bytes allow.
static firn_status status_of(webp_decoder *self) {
    const firn_input *input = &self->base.input;
    if (input->length) return FIRN_OK;
    if (!input->last) return FIRN_NEED_DATA;
    if (self->is_complete) return FIRN_END;
    return firn_fail(
        &self->base, FIRN_DATA, "cut short after row %u of %u", self->rows, self->base.output.height);
}

/// Returns the next averaged rows.
static firn_status read_planes(
    webp_decoder *self, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    firn_input *input = &self->base.input;
    uint32_t written = firn_webp_planes_read(
        self->planes, rows_written(self), self->layout, pixels, stride, rows);
    if (!written && !self->is_complete && input->length) {
        firn_status status = decode_slice(self);
        if (status) return status;
        written =
            firn_webp_planes_read(self->planes, rows_written(self), self->layout, pixels, stride, rows);
    }
    self->rows += written;
    *done = written;
    // More rows may be complete.
    if (written == rows && self->rows < self->base.output.height) return FIRN_OK;
    if (self->is_complete) firn_input_skip(input, input->length);
    return status_of(self);
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    webp_decoder *self = (webp_decoder *)decoder;
    firn_input *input = &decoder->input;
    if (!self->decoder) {
        firn_status status = open_decoder(self, pixels, stride);
        if (status) return status;
    }
    if (self->planes) return read_planes(self, pixels, stride, rows, done);
    if (pixels != self->pixels) return firn_fail(decoder, FIRN_UNSUPPORTED, "an image's memory has moved");
    if (!self->is_complete && input->length) {
        firn_status status = decode_slice(self);
        if (status) return status;
        take_rows(self, self->is_complete ? decoder->output.height : rows_written(self));
    }
    // The bytes after the last row belong to the image: without them the file is truncated.
    if (self->is_complete) firn_input_skip(input, input->length);
    *done = self->rows;
    return status_of(self);
}

static void release(firn_decoder *decoder) {
    webp_decoder *self = (webp_decoder *)decoder;
    if (self->decoder) WebPIDelete(self->decoder);
    firn_webp_planes_free(self->planes);
}

const firn_codec_calls firn_webp_calls = {
    .state_bytes = sizeof(webp_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .areas = true};
