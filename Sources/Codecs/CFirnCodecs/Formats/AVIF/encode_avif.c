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
    /// The light of a still.
    firn_mastering mastering;
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
        if (source->primaries == 9 && !options->lossless)
            image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT2020_NCL;
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
    if (animation->canvas.still) self->mastering = source->mastering;
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

static void put_big_endian(uint8_t *bytes, uint64_t number, int count) {
    for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(number >> 8 * (count - 1 - i));
}

/// Returns the first box of a type from `start` to `end`, or NULL, with its length, which includes the header.
static uint8_t *box_in(uint8_t *start, uint8_t *end, const char *type, size_t *length) {
    while (end - start >= 8) {
        *length = big_endian(start);
        if (*length < 8 || *length > (size_t)(end - start)) return NULL;
        if (memcmp(start + 4, type, 4) == 0) return start;
        start += *length;
    }
    return NULL;
}

/// Writes the properties `mdcv` and `clli` of known numbers; returns their length and count.
static size_t light_boxes(const firn_mastering *light, uint8_t boxes[44], int *count) {
    size_t length = 0;
    *count = 0;
    if (light->peak && light->display[0]) {
        put_big_endian(boxes, 32, 4);
        memcpy(boxes + 4, "mdcv", 4);
        // Order: green, blue, red, white.
        static const int order[4] = {1, 2, 0, 3};
        for (int i = 0; i < 8; i++) put_big_endian(boxes + 8 + 2 * i, light->display[order[i / 2] * 2 + i % 2], 2);
        put_big_endian(boxes + 24, light->peak, 4);
        put_big_endian(boxes + 28, light->black, 4);
        length = 32;
        *count = 1;
    }
    if (!light->content && !light->average) return length;
    uint8_t *box = boxes + length;
    uint32_t most = light->content / 10000, average = light->average / 10000;
    put_big_endian(box, 12, 4);
    memcpy(box + 4, "clli", 4);
    put_big_endian(box + 8, most < 65535 ? most : 65535, 2);
    put_big_endian(box + 10, average < 65535 ? average : 65535, 2);
    *count += 1;
    return length + 12;
}

/// Returns the file with the properties of light, which no version of libavif writes all of, or an empty buffer if the
/// file has another structure than libavif's, or memory is exhausted.
///
/// Source: ISO/IEC 14496-12 §8.11.3 and §12.1.5; ISO/IEC 23008-12 §9.3.
static firn_bytes with_light(uint8_t *file, size_t size, const firn_mastering *light) {
    uint8_t boxes[44];
    int count;
    size_t added = light_boxes(light, boxes, &count);
    size_t meta_length, length, pitm_length, iloc_length, iprp_length, ipco_length;
    firn_bytes output = {0};
    uint8_t *end = file + size, *meta = box_in(file, end, "meta", &meta_length);
    if (!added || !meta || meta_length < 12) return output;
    uint8_t *meta_end = meta + meta_length, *pitm = box_in(meta + 12, meta_end, "pitm", &pitm_length);
    uint8_t *iloc = box_in(meta + 12, meta_end, "iloc", &iloc_length);
    uint8_t *iprp = box_in(meta + 12, meta_end, "iprp", &iprp_length);
    uint8_t *ipco = iprp ? box_in(iprp + 8, iprp + iprp_length, "ipco", &ipco_length) : NULL;
    uint8_t *ipma = iprp ? box_in(iprp + 8, iprp + iprp_length, "ipma", &length) : NULL;
    // Versions and flags of 0; offsets and lengths of 4 bytes.
    if (!pitm || pitm_length < 14 || !iloc || iloc_length < 16 || big_endian(iloc + 8) || !ipco || !ipma || length < 16
        || big_endian(ipma + 8) || big_endian(pitm + 8) || iloc[12] != 0x44 || iloc[13] || ipma < ipco)
        return output;
    int properties = 0;
    for (uint8_t *next = ipco + 8; next < ipco + ipco_length; properties++) {
        size_t own = big_endian(next);
        if (own < 8 || own > (size_t)(ipco + ipco_length - next)) return output;
        next += own;
    }
    uint8_t *entry = ipma + 16, *ipma_end = ipma + length;
    while (ipma_end - entry >= 3 && memcmp(entry, pitm + 12, 2) != 0) entry += 3 + entry[2];
    if (ipma_end - entry < 3 || ipma_end - entry < 3 + entry[2] || entry[2] > 250 || properties + count > 127)
        return output;
    uint8_t *place = entry + 3 + entry[2];
    uint64_t total = added + (size_t)count;
    // The positions of all data move by `total`. Order: nothing is changed before everything is checked.
    uint8_t *iloc_end = iloc + iloc_length;
    for (int pass = 0; pass < 2; pass++) {
        uint8_t *item = iloc + 16;
        for (unsigned items = (unsigned)iloc[14] << 8 | iloc[15]; items > 0; items--) {
            if (iloc_end - item < 6) return output;
            unsigned extents = (unsigned)item[4] << 8 | item[5];
            if ((size_t)(iloc_end - item - 6) < (size_t)extents * 8) return output;
            for (item += 6; extents > 0; extents--, item += 8)
                if (pass) put_big_endian(item, big_endian(item) + total, 4);
        }
        if (!pass && !firn_bytes_reserve(&output, size + total)) return output;
    }
    put_big_endian(meta, meta_length + total, 4);
    put_big_endian(iprp, iprp_length + total, 4);
    put_big_endian(ipma, length + (size_t)count, 4);
    put_big_endian(ipco, ipco_length + added, 4);
    entry[2] = (uint8_t)(entry[2] + count);
    uint8_t indices[2] = {(uint8_t)(properties + 1), (uint8_t)(properties + 2)}, *ipco_end = ipco + ipco_length;
    firn_bytes_append(&output, file, (size_t)(ipco_end - file));
    firn_bytes_append(&output, boxes, added);
    firn_bytes_append(&output, ipco_end, (size_t)(place - ipco_end));
    firn_bytes_append(&output, indices, (size_t)count);
    firn_bytes_append(&output, place, (size_t)(end - place));
    return output;
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
    firn_bytes described = with_light(output.bytes, output.length, &self->mastering);
    if (described.bytes) {
        free(output.bytes);
        output = described;
    }
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
