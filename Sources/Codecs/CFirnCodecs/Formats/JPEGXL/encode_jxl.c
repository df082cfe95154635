// JPEG XL with libjxl, frame by frame.
//
// Invariant: libjxl holds at most one unencoded frame, the last one, because it must know whether a frame is the last
// before encoding it. Encoded bytes are taken from libjxl at once.
//
// Source: ISO/IEC 18181-1; jxl/encode.h.
#ifdef FIRN_JXL
#include <jxl/encode.h>

#include "jxl_version.h"
#include <stdlib.h>
#include <string.h>

#include "../../Library/encode.h"

typedef struct {
    firn_animation base;
    JxlEncoder *encoder;
    firn_jxl_options options;
    firn_bytes output;
    bool has_alpha;
} jxl_animation;

static bool fail(jxl_animation *self, firn_encoded *encoded) {
    switch (JxlEncoderGetError(self->encoder)) {
    case JXL_ENC_ERR_OOM: return firn_encoded_no_memory(encoded, &self->output);
    case JXL_ENC_ERR_NOT_SUPPORTED:
        return firn_encoded_fail(
            encoded, &self->output, FIRN_ENCODE_IMAGE, "libjxl cannot store this kind of image");
    case JXL_ENC_ERR_BAD_INPUT:
        return firn_encoded_fail(encoded, &self->output, FIRN_ENCODE_IMAGE, "libjxl takes no such image");
    default: return firn_encoded_fail(encoded, &self->output, FIRN_ENCODE_LIBRARY, "libjxl failed");
    }
}

/// Encodes the waiting frame and collects the bytes.
static bool drain(jxl_animation *self, firn_encoded *encoded) {
    JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
    while (status == JXL_ENC_NEED_MORE_OUTPUT) {
        if (!firn_bytes_reserve(&self->output, 65536)) return firn_encoded_no_memory(encoded, &self->output);
        uint8_t *next = self->output.bytes + self->output.length;
        size_t room = self->output.capacity - self->output.length;
        status = JxlEncoderProcessOutput(self->encoder, &next, &room);
        self->output.length = self->output.capacity - room;
    }
    return status == JXL_ENC_SUCCESS || fail(self, encoded);
}

/// Converts code points to libjxl's description; returns false if it cannot express them.
static bool describe_points(const firn_image *image, JxlColorEncoding *colors) {
    JxlColorEncodingSetToSRGB(colors, JXL_FALSE);
    switch (image->primaries) {
    case 1: colors->primaries = JXL_PRIMARIES_SRGB; break;
    case 9: colors->primaries = JXL_PRIMARIES_2100; break;
    case 12: colors->primaries = JXL_PRIMARIES_P3; break;
    default: return false;
    }
    switch (image->transfer) {
    case 1: colors->transfer_function = JXL_TRANSFER_FUNCTION_709; return true;
    case 8: colors->transfer_function = JXL_TRANSFER_FUNCTION_LINEAR; return true;
    case 13: colors->transfer_function = JXL_TRANSFER_FUNCTION_SRGB; return true;
    case 16: colors->transfer_function = JXL_TRANSFER_FUNCTION_PQ; return true;
    case 18: colors->transfer_function = JXL_TRANSFER_FUNCTION_HLG; return true;
    default: return false;
    }
}

/// Writes the file's properties, based on its first frame.
static bool begin(jxl_animation *self, const firn_image *image) {
    const firn_canvas *canvas = &self->base.canvas;
    bool half = image->layout == FIRN_SOURCE_RGBA_HALF;
    bool wide = image->layout == FIRN_SOURCE_RGBA16_STRAIGHT;
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = canvas->width;
    info.ysize = canvas->height;
    info.bits_per_sample = half || wide ? 16 : 8;
    info.exponent_bits_per_sample = half ? 5 : 0;
    info.uses_original_profile = self->options.lossless;
    if (self->has_alpha) {
        info.num_extra_channels = 1;
        info.alpha_bits = info.bits_per_sample;
        info.alpha_exponent_bits = info.exponent_bits_per_sample;
        info.alpha_premultiplied = half;
    }
    // A linear value of 1 is diffuse white, 203 cd/m2.
    if (half) info.intensity_target = 203;
    // The luminance of the highest value, in cd/m2.
    JxlColorEncoding colors;
    bool has_points = !half && describe_points(image, &colors);
    if (has_points && image->transfer == 16) info.intensity_target = 10000;
    if (has_points && image->transfer == 18) info.intensity_target = 1000;
    if (!canvas->still) {
        info.have_animation = JXL_TRUE;
        info.animation.tps_numerator = 1000;
        info.animation.tps_denominator = 1;
        info.animation.num_loops = canvas->plays;
    }
    // 16 bits exceed the level that every decoder must support.
    if (info.bits_per_sample > 8) JxlEncoderSetCodestreamLevel(self->encoder, 10);
    if (JxlEncoderSetBasicInfo(self->encoder, &info)) return false;
    if (has_points) return !JxlEncoderSetColorEncoding(self->encoder, &colors);
    if (image->icc_length > 0 && !half)
        return !JxlEncoderSetICCProfile(self->encoder, image->icc, image->icc_length);
    if (half)
        JxlColorEncodingSetToLinearSRGB(&colors, JXL_FALSE);
    else
        JxlColorEncodingSetToSRGB(&colors, JXL_FALSE);
    return !JxlEncoderSetColorEncoding(self->encoder, &colors);
}

/// Adds EXIF data as a box, after the offset of their TIFF header, which is 0.
static bool add_exif(jxl_animation *self, const firn_image *image) {
    if (image->exif_length == 0) return true;
    size_t length = image->exif_length + 4;
    uint8_t *content = calloc(1, length);
    if (!content) return false;
    memcpy(content + 4, image->exif, image->exif_length);
    bool done = !JxlEncoderUseBoxes(self->encoder)
        && !JxlEncoderAddBox(self->encoder, "Exif", content, length, JXL_FALSE);
    JxlEncoderCloseBoxes(self->encoder);
    free(content);
    return done;
}

/// Returns the pixels without padding, as libjxl requires; NULL if memory is exhausted.
static uint8_t *packed(const firn_image *image, bool has_alpha, size_t pixel) {
    size_t bytes = pixel * image->width;
    uint8_t *pixels = malloc(bytes * image->height);
    if (!pixels) return NULL;
    firn_image source = *image;
    source.opaque = !has_alpha;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *from = image->pixels + image->stride * y;
        uint8_t *row = pixels + bytes * y;
        if (image->layout != FIRN_SOURCE_RGBA16_STRAIGHT && image->layout != FIRN_SOURCE_RGBA_HALF)
            firn_source_row(&source, y, row);
        else
            for (size_t x = 0; x < image->width; x++) memcpy(row + pixel * x, from + 8 * x, pixel);
    }
    return pixels;
}

static bool add_frame(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded
) {
    jxl_animation *self = (jxl_animation *)animation;
    bool half = image->layout == FIRN_SOURCE_RGBA_HALF;
    bool wide = half || image->layout == FIRN_SOURCE_RGBA16_STRAIGHT;
    if (animation->count == 0) {
        self->has_alpha = animation->canvas.still ? !image->opaque : !animation->canvas.opaque;
        if (!begin(self, image) || !add_exif(self, image)) return fail(self, encoded);
    } else if (!drain(self, encoded)) {
        // Order: writes the previous frame first, which is now known not to be the last.
        return false;
    }
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(self->encoder, NULL);
    if (!settings) return firn_encoded_no_memory(encoded, &self->output);
    int effort = self->options.lossless ? firn_jxl_lossless_effort(self->options.effort) : self->options.effort;
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort);
    JxlEncoderStatus status = self->options.lossless ? JxlEncoderSetFrameLossless(settings, JXL_TRUE)
                                                     : JxlEncoderSetFrameDistance(settings, self->options.distance);
    if (self->options.lossless)
        // Lossless keeps all pixels, even invisible ones.
        JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1);
    if (status == JXL_ENC_SUCCESS && !animation->canvas.still) {
        JxlFrameHeader header;
        JxlEncoderInitFrameHeader(&header);
        // A frame of duration 0 does not count as a frame: it is drawn together with the next one.
        header.duration = milliseconds ? milliseconds : FIRN_UNTIMED;
        status = JxlEncoderSetFrameHeader(settings, &header);
    }
    if (status != JXL_ENC_SUCCESS) return fail(self, encoded);
    uint32_t channels = self->has_alpha ? 4 : 3;
    size_t pixel = channels * (wide ? 2 : 1);
    uint8_t *pixels = packed(image, self->has_alpha, pixel);
    if (!pixels) return firn_encoded_no_memory(encoded, &self->output);
    JxlPixelFormat format = {
        channels, half ? JXL_TYPE_FLOAT16 : wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    status = JxlEncoderAddImageFrame(settings, &format, pixels, pixel * image->width * image->height);
    free(pixels);
    return status == JXL_ENC_SUCCESS || fail(self, encoded);
}

static bool finish(firn_animation *animation, firn_encoded *encoded) {
    jxl_animation *self = (jxl_animation *)animation;
    JxlEncoderCloseInput(self->encoder);
    return drain(self, encoded) && firn_encoded_finish(encoded, &self->output);
}

static void release(firn_animation *animation) {
    jxl_animation *self = (jxl_animation *)animation;
    if (self->encoder) JxlEncoderDestroy(self->encoder);
    free(self->output.bytes);
}

static const firn_animation_calls calls = {
    .state_bytes = sizeof(jxl_animation), .add = add_frame, .finish = finish, .release = release};

firn_animation *firn_animation_jxl(
    const firn_canvas *canvas, const firn_jxl_options *options, firn_encoded *encoded
) {
    jxl_animation *self = firn_animation_create(&calls, canvas, encoded);
    if (!self) return NULL;
    self->encoder = JxlEncoderCreate(NULL);
    if (!self->encoder) return firn_animation_no_memory(&self->base, encoded);
    self->options = *options;
    return &self->base;
}

#endif
