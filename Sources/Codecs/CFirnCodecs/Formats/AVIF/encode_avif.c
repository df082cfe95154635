// AVIF with libavif, frame by frame.
//
// libavif keeps the encoded frames, but pixels only of the current one. Before version 1.0 it writes no repetition
// count, so the viewer decides how often a sequence repeats.
//
// Source: AV1 Image File Format 1.1; ITU-T H.273 for the code points; avif/avif.h.
#ifdef FIRN_AVIF
#include "avif_version.h"
#include <stdlib.h>
#include <string.h>

#include "../../Library/encode.h"

typedef struct {
    firn_animation base;
    avifEncoder *encoder;
    firn_avif_options options;
} avif_animation;

static bool fail(firn_encoded *encoded, avifResult result) {
    if (result == FIRN_AVIF_NO_MEMORY) return firn_encoded_no_memory(encoded, NULL);
    return firn_encoded_fail(encoded, NULL, FIRN_ENCODE_LIBRARY, avifResultToString(result));
}

/// Describes the colors by the image's code points, by its profile, or as sRGB.
static avifResult describe(avifImage *image, const firn_image *source, const firn_avif_options *options) {
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients =
        options->lossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
    image->yuvRange = AVIF_RANGE_FULL;
    if (source->exif_length > 0) {
        avifResult result = FIRN_AVIF_RESULT(avifImageSetMetadataExif(image, source->exif, source->exif_length));
        if (result != AVIF_RESULT_OK) return result;
    }
    // The library would rotate the image by its EXIF orientation, but the image is already upright.
    image->transformFlags &= ~(avifTransformFlags)(AVIF_TRANSFORM_IROT | AVIF_TRANSFORM_IMIR);
    if (source->primaries) {
        image->colorPrimaries = source->primaries;
        image->transferCharacteristics = source->transfer;
        return AVIF_RESULT_OK;
    }
    if (source->icc_length == 0) return AVIF_RESULT_OK;
    // Code points would contradict the profile.
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_UNSPECIFIED;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED;
    return FIRN_AVIF_RESULT(avifImageSetProfileICC(image, source->icc, source->icc_length));
}

/// Returns the image as planes; NULL if memory is exhausted. `has_alpha` is the same for all frames.
static avifImage *planes(const firn_image *source, const firn_avif_options *options, bool has_alpha) {
    avifPixelFormat format =
        options->lossless || options->full_chroma ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420;
    avifImage *image = avifImageCreate(source->width, source->height, (uint32_t)options->depth, format);
    if (!image) return NULL;
    avifResult result = describe(image, source, options);
    if (result != AVIF_RESULT_OK) {
        avifImageDestroy(image);
        return NULL;
    }
    bool wide = source->layout == FIRN_SOURCE_RGBA16_STRAIGHT;
    size_t bytes = wide ? 8 : has_alpha ? 4 : 3;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = wide ? 16 : 8;
    rgb.format = wide || has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.ignoreAlpha = !has_alpha;
    rgb.rowBytes = (uint32_t)(source->width * bytes);
    // libyuv would be off by one level, but lossless encoding must be exact.
    firn_avif_avoid_libyuv(&rgb, options->lossless);
    rgb.pixels = malloc((size_t)rgb.rowBytes * source->height);
    result = FIRN_AVIF_NO_MEMORY;
    if (rgb.pixels) {
        firn_image rows = *source;
        rows.opaque = !has_alpha;
        for (uint32_t y = 0; y < source->height; y++) {
            uint8_t *row = rgb.pixels + (size_t)rgb.rowBytes * y;
            if (wide)
                memcpy(row, source->pixels + source->stride * y, rgb.rowBytes);
            else
                firn_source_row(&rows, y, row);
        }
        result = avifImageRGBToYUV(image, &rgb);
        free(rgb.pixels);
    }
    if (result == AVIF_RESULT_OK) return image;
    avifImageDestroy(image);
    return NULL;
}

static bool add_frame(
    firn_animation *animation, const firn_image *source, uint32_t milliseconds, firn_encoded *encoded
) {
    avif_animation *self = (avif_animation *)animation;
    bool has_alpha = animation->canvas.still ? !source->opaque : !animation->canvas.opaque;
    if (source->width > UINT32_MAX / 8) return firn_encoded_no_memory(encoded, NULL);
    avifImage *image = planes(source, &self->options, has_alpha);
    if (!image) return firn_encoded_no_memory(encoded, NULL);
    avifResult result = avifEncoderAddImage(
        self->encoder, image, milliseconds ? milliseconds : FIRN_UNTIMED,
        animation->canvas.still ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE);
    avifImageDestroy(image);
    return result == AVIF_RESULT_OK || fail(encoded, result);
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Zeroes the creation times in a sequence's headers, so that equal images give equal files.
static void blank_times(uint8_t *bytes, size_t length) {
    while (length >= 8) {
        size_t size = big_endian(bytes);
        if (size < 8 || size > length) return;
        if (memcmp(bytes + 4, "moov", 4) == 0 || memcmp(bytes + 4, "trak", 4) == 0
            || memcmp(bytes + 4, "mdia", 4) == 0) {
            blank_times(bytes + 8, size - 8);
        } else if (
            memcmp(bytes + 4, "mvhd", 4) == 0 || memcmp(bytes + 4, "tkhd", 4) == 0
            || memcmp(bytes + 4, "mdhd", 4) == 0) {
            // Two times of 8 bytes in version 1, or 4 bytes in version 0, after version and flags.
            size_t times = size > 12 && bytes[8] == 1 ? 16 : 8;
            if (size >= 12 + times) memset(bytes + 12, 0, times);
        }
        bytes += size;
        length -= size;
    }
}

static bool finish(firn_animation *animation, firn_encoded *encoded) {
    avif_animation *self = (avif_animation *)animation;
    firn_bytes output = {0};
    avifRWData whole = AVIF_DATA_EMPTY;
    avifResult result = avifEncoderFinish(self->encoder, &whole);
    bool done = result == AVIF_RESULT_OK && firn_bytes_append(&output, whole.data, whole.size);
    avifRWDataFree(&whole);
    if (result != AVIF_RESULT_OK) return fail(encoded, result);
    if (!done) return firn_encoded_no_memory(encoded, &output);
    blank_times(output.bytes, output.length);
    return firn_encoded_finish(encoded, &output);
}

static void release(firn_animation *animation) {
    avif_animation *self = (avif_animation *)animation;
    if (self->encoder) avifEncoderDestroy(self->encoder);
}

static const firn_animation_calls calls = {
    .state_bytes = sizeof(avif_animation), .add = add_frame, .finish = finish, .release = release};

/// Avoids sequence settings at which libaom aborts. From speed 7 on, libavif selects realtime encoding: with a constant
/// bit rate, for which libaom 3.6 asserts a range of quantizers that a fixed quantizer is outside of, and at speed 7
/// with a search that reads color planes, which alpha lacks. Returns false if memory is exhausted.
static bool avoid_aborts(avifEncoder *encoder, const char *codec) {
    if (strcmp(codec, "aom") != 0) return true;
    if (encoder->speed == 7) encoder->speed = 6;
    return !FIRN_AVIF_RESULT(avifEncoderSetCodecSpecificOption(encoder, "end-usage", "q"));
}

firn_animation *firn_animation_avif(
    const firn_canvas *canvas, const firn_avif_options *options, firn_encoded *encoded
) {
    const char *codec = avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE);
    if (!codec)
        return firn_animation_refuse(
            NULL, encoded, FIRN_ENCODE_UNSUPPORTED, "libavif was built without an encoder of AV1 on this machine");
    avif_animation *self = firn_animation_create(&calls, canvas, encoded);
    if (!self) return NULL;
    avifEncoder *encoder = self->encoder = avifEncoderCreate();
    if (!encoder) return firn_animation_no_memory(&self->base, encoded);
    // One thread: the pipeline's workers already run in parallel, and the bytes must depend only on the images.
    encoder->maxThreads = 1;
    encoder->speed = options->speed;
    if (!canvas->still && !avoid_aborts(encoder, codec)) return firn_animation_no_memory(&self->base, encoded);
    encoder->timescale = 1000;
    firn_avif_set_plays(encoder, canvas->plays);
    encoder->minQuantizer = encoder->maxQuantizer = options->lossless ? 0 : options->quantizer;
    // Frames that depend on others are not exact.
    if (options->lossless) encoder->keyframeInterval = 1;
    // Alpha is lossless, as in the other formats.
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 0;
    self->options = *options;
    return &self->base;
}

#endif
