// WebP by libwebp's incremental decoder.
//
// A walker of our own goes over the RIFF chunks: properties, orientation, profile and the frames of an animation, of
// which the first is put on its canvas.
//
// Source: RFC 9649 §2 (container); webp/decode.h "Incremental decoding" and "Advanced decoding API".
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

#include "decoder.h"
#include "include/firn_pixels.h"

/// Bytes given to libwebp between two pauses.
enum { SLICE = 128 << 10, HEADER = 12, CHUNK = 8, FRAME = 16 };

enum { HAS_ANIMATION = 0x02, HAS_EXIF = 0x08, HAS_ALPHA = 0x10, HAS_PROFILE = 0x20 };

typedef struct {
    firn_decoder base;
    firn_durations durations;
    bool is_extended;
    /// The bytes that libwebp decodes: the whole file, or the chunks of the first frame.
    size_t picture_offset;
    size_t picture_length;
    uint32_t left, top, frame_width, frame_height;
    WebPIDecoder *decoder;
    WebPDecoderConfig config;
    size_t given;
    firn_layout layout;
    /// Whether libwebp leaves noise in the alpha of opaque pixels: lossless files may store alpha and declare it unused.
    bool has_idle_alpha;
    bool is_cut_short;
} webp_decoder;

static uint32_t little_endian(const uint8_t *bytes, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static bool is_type(const uint8_t *chunk, const char *type) { return !memcmp(chunk, type, 4); }

// MARK: Header

static firn_status take_animation_frame(webp_decoder *self, size_t offset, size_t length) {
    const uint8_t *bytes = self->base.input.bytes + offset;
    if (length < FRAME) return FIRN_OK;
    if (self->durations.count >= self->base.limits.frames)
        return firn_fail(&self->base, FIRN_LIMIT, "has more than %u frames, the limit", self->base.limits.frames);
    if (self->durations.count == 0) {
        self->left = little_endian(bytes, 3) * 2;
        self->top = little_endian(bytes + 3, 3) * 2;
        self->frame_width = little_endian(bytes + 6, 3) + 1;
        self->frame_height = little_endian(bytes + 9, 3) + 1;
        self->picture_offset = offset + FRAME;
        self->picture_length = length - FRAME;
    }
    if (!firn_durations_add(&self->durations, little_endian(bytes + 12, 3)))
        return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of frames");
    return FIRN_OK;
}

/// Goes over the chunks of an extended file.
static firn_status walk(webp_decoder *self) {
    const uint8_t *bytes = self->base.input.bytes;
    firn_header *header = &self->base.header;
    size_t end = (size_t)little_endian(bytes + 4, 4) + 8;
    if (end > self->base.input.length) end = self->base.input.length;
    self->is_cut_short = false;
    self->durations.count = 0;
    for (size_t offset = HEADER; offset + CHUNK <= end;) {
        const uint8_t *chunk = bytes + offset;
        size_t length = little_endian(chunk + 4, 4), left = end - offset - CHUNK;
        if (length > left) {
            self->is_cut_short = true;
            break;
        }
        const uint8_t *payload = chunk + CHUNK;
        if (is_type(chunk, "EXIF"))
            header->orientation = firn_exif_orientation(payload, length);
        else if (is_type(chunk, "ICCP") && length <= self->base.limits.profile_bytes && !header->icc) {
            header->icc = payload;
            header->icc_length = length;
        } else if (is_type(chunk, "ANIM") && length >= 6)
            header->loops = little_endian(payload + 4, 2);
        else if (is_type(chunk, "ANMF")) {
            firn_status status = take_animation_frame(self, offset + CHUNK, length);
            if (status) return status;
        }
        offset += CHUNK + length + (length & 1);
    }
    return FIRN_OK;
}

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
    firn_input *input = &decoder->input;
    firn_header *header = &decoder->header;
    if (input->length < HEADER + CHUNK + 10) return FIRN_NEED_DATA;
    if (!is_type(input->bytes, "RIFF") || !is_type(input->bytes + 8, "WEBP"))
        return firn_fail(decoder, FIRN_DATA, "no WebP signature");
    uint8_t flags = 0;
    if (is_type(input->bytes + HEADER, "VP8X")) {
        flags = input->bytes[HEADER + CHUNK];
        self->is_extended = true;
        uint64_t width = little_endian(input->bytes + HEADER + CHUNK + 4, 3) + 1;
        uint64_t height = little_endian(input->bytes + HEADER + CHUNK + 7, 3) + 1;
        firn_status status = firn_check_size(decoder, width, height);
        if (status) return status;
        // EXIF data and later frames stand behind the pixels.
        if (flags & (HAS_ANIMATION | HAS_EXIF | HAS_PROFILE) && !input->last) return FIRN_NEED_DATA;
        status = walk(self);
        if (status) return status;
        header->width = (uint32_t)width;
        header->height = (uint32_t)height;
    }
    if (flags & HAS_ANIMATION) {
        if (self->durations.count == 0) return firn_fail(decoder, FIRN_DATA, "holds no whole frame");
        header->animated = true;
        header->frames = self->durations.count;
        header->durations = self->durations.values;
    } else {
        header->loops = -1;
        if (!self->is_extended && input->last) {
            size_t declared = (size_t)little_endian(input->bytes + HEADER + 4, 4) + HEADER + CHUNK;
            self->is_cut_short = declared > input->length;
        }
        if (self->is_cut_short && input->last)
            return firn_fail(decoder, FIRN_DATA, "cut short: %zu bytes are less than it declares", input->length);
        self->picture_offset = 0;
        self->picture_length = input->length;
    }

    WebPBitstreamFeatures features;
    VP8StatusCode code =
        WebPGetFeatures(input->bytes + self->picture_offset, self->picture_length, &features);
    if (code == VP8_STATUS_NOT_ENOUGH_DATA && !input->last) return FIRN_NEED_DATA;
    if (code) return fail_webp(self, code);
    uint32_t width = (uint32_t)features.width, height = (uint32_t)features.height;
    if (header->animated) {
        if (width != self->frame_width || height != self->frame_height || self->left + width > header->width
            || self->top + height > header->height)
            return firn_fail(decoder, FIRN_DATA, "its first frame is not inside its canvas");
        header->alpha = features.has_alpha || flags & HAS_ALPHA || width < header->width || height < header->height;
    } else {
        firn_status status = firn_check_size(decoder, width, height);
        if (status) return status;
        header->width = width;
        header->height = height;
        header->alpha = features.has_alpha;
    }
    bool is_lossless = features.format == 2;
    self->has_idle_alpha = is_lossless && !features.has_alpha;
    header->space = is_lossless ? FIRN_SPACE_RGB : FIRN_SPACE_YCBCR;
    uint64_t pixels = (uint64_t)width * height;
    // Lossless keeps all pixels and its transforms; lossy some rows, and the alpha plane.
    header->working_bytes = (256 << 10) + (uint64_t)width * 64
        + (is_lossless ? pixels * 4 : features.has_alpha ? pixels * 5 : 0);
    return FIRN_OK;
}

// MARK: Pixels

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    webp_decoder *self = (webp_decoder *)decoder;
    firn_header *header = &decoder->header;
    if (options->layout == FIRN_LAYOUT_CMYK)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a picture without inks cannot be read as CMYK");
    if (!WebPInitDecoderConfig(&self->config)) return firn_fail(decoder, FIRN_UNSUPPORTED, "another version of libwebp");
    self->layout = options->layout;
    WebPDecoderConfig *config = &self->config;
    config->output.colorspace = options->layout == FIRN_LAYOUT_BGRA ? MODE_BGRA
        : options->layout == FIRN_LAYOUT_RGBA                       ? MODE_RGBA
                                                                    : MODE_RGB;
    config->output.is_external_memory = 1;
    decoder->output.width = header->width;
    decoder->output.height = header->height;
    decoder->output.whole = true;
    bool is_smaller = options->width && options->height
        && (options->width < header->width || options->height < header->height)
        && options->width <= header->width && options->height <= header->height;
    if (is_smaller && !header->animated) {
        config->options.use_scaling = 1;
        config->options.scaled_width = (int)options->width;
        config->options.scaled_height = (int)options->height;
        decoder->output.width = options->width;
        decoder->output.height = options->height;
    }
    return FIRN_OK;
}

/// Tells libwebp where the pixels go; once, since it keeps the address.
static firn_status open_decoder(webp_decoder *self, uint8_t *pixels, size_t stride) {
    unsigned bytes = self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    WebPRGBABuffer *buffer = &self->config.output.u.RGBA;
    if (stride > INT32_MAX) return firn_fail(&self->base, FIRN_LIMIT, "rows are too long for libwebp");
    bool is_animated = self->base.header.animated;
    uint32_t rows = is_animated ? self->frame_height : self->base.output.height;
    uint32_t columns = is_animated ? self->frame_width : self->base.output.width;
    buffer->rgba = pixels + self->top * stride + (size_t)self->left * bytes;
    buffer->stride = (int)stride;
    buffer->size = (size_t)(rows - 1) * stride + (size_t)columns * bytes;
    self->decoder = WebPIDecode(NULL, 0, &self->config);
    return self->decoder ? FIRN_OK : firn_fail(&self->base, FIRN_MEMORY, "no memory");
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    webp_decoder *self = (webp_decoder *)decoder;
    firn_input *input = &decoder->input;
    if (!decoder->header.animated) self->picture_length = input->length;
    if (!self->decoder) {
        firn_status status = open_decoder(self, pixels, stride);
        if (status) return status;
    }
    size_t left = self->picture_length - self->given;
    self->given += left < SLICE ? left : SLICE;
    VP8StatusCode code = WebPIUpdate(self->decoder, input->bytes + self->picture_offset, self->given);
    if (code == VP8_STATUS_OK) {
        if (self->has_idle_alpha && self->layout != FIRN_LAYOUT_RGB) {
            uint32_t columns = decoder->header.animated ? self->frame_width : decoder->output.width;
            uint32_t lines = decoder->header.animated ? self->frame_height : decoder->output.height;
            firn_pixels_make_opaque(self->config.output.u.RGBA.rgba, stride, columns, lines);
        }
        *done = decoder->output.height;
        return FIRN_END;
    }
    if (code != VP8_STATUS_SUSPENDED && code != VP8_STATUS_NOT_ENOUGH_DATA) return fail_webp(self, code);
    int row = 0;
    WebPIDecGetRGB(self->decoder, &row, NULL, NULL, NULL);
    *done = row > 0 && !decoder->header.animated && !self->has_idle_alpha ? (uint32_t)row : 0;
    if (self->given < self->picture_length) return FIRN_OK;
    if (!input->last && !decoder->header.animated) return FIRN_NEED_DATA;
    return firn_fail(decoder, FIRN_DATA, "cut short after row %d of %u", row, decoder->output.height);
}

static void close_decoder(firn_decoder *decoder) {
    webp_decoder *self = (webp_decoder *)decoder;
    if (self->decoder) WebPIDelete(self->decoder);
    free(self->durations.values);
    free(self);
}

static const firn_codec_calls calls = {
    .close = close_decoder, .header = header, .start = start, .read = read_rows};

firn_decoder *firn_webp_open(void) {
    webp_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    return &self->base;
}
