// The differences between the versions of libavif that Firn compiles against: 0.9.3 to 1.4.
//
// Since 0.10, an image can be a view of another one, and a result reports a lack of memory. Since 0.11, sides have a
// limit, and libyuv can be avoided. Since 1.0, the mirror's axis has its name, sequences have a repetition count, and
// functions that copy metadata report failures.
#ifndef FIRN_AVIF_VERSION_H
#define FIRN_AVIF_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !__has_include(<avif/avif.h>)
#error "avif/avif.h not found: install libavif-dev (Debian, Ubuntu) or libavif-devel (Fedora), or leave out trait AVIF"
#endif
#include <avif/avif.h>

/// The result of a call that ran out of memory. Versions before 0.10 end the process instead.
#if AVIF_VERSION >= 100000
#define FIRN_AVIF_NO_MEMORY AVIF_RESULT_OUT_OF_MEMORY
#else
#define FIRN_AVIF_NO_MEMORY ((avifResult)1000)
#endif

/// Lifts the limit on sides, since the number of pixels limits them. Versions before 0.11 have no other limit.
static inline void firn_avif_lift_side_limit(avifDecoder *decoder) {
#if AVIF_VERSION >= 110000
    decoder->imageDimensionLimit = 0;
#else
    (void)decoder;
#endif
}

/// Converts RGB without libyuv. Versions before 0.11 always do.
static inline void firn_avif_avoid_libyuv(avifRGBImage *image, bool is_avoided) {
#if AVIF_VERSION >= 110000
    image->avoidLibYUV = is_avoided;
#else
    (void)image;
    (void)is_avoided;
#endif
}

/// Makes the empty image `view` show a part of an image without a copy. The part must start at a chroma sample.
static inline avifResult firn_avif_set_view(avifImage *view, const avifImage *image, const avifCropRect *part) {
#if AVIF_VERSION >= 100000
    return avifImageSetViewRect(view, image, part);
#else
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    avifImageCopy(view, image, 0);
    view->width = part->width;
    view->height = part->height;
    size_t sample = image->depth > 8 ? 2 : 1;
    for (int i = 0; i < 3 && image->yuvPlanes[0]; i++) {
        size_t x = i > 0 ? part->x >> format.chromaShiftX : part->x;
        size_t y = i > 0 ? part->y >> format.chromaShiftY : part->y;
        if (!image->yuvRowBytes[i]) continue;
        view->yuvRowBytes[i] = image->yuvRowBytes[i];
        view->yuvPlanes[i] = image->yuvPlanes[i] + y * image->yuvRowBytes[i] + x * sample;
    }
    if (!image->alphaPlane) return AVIF_RESULT_OK;
    view->alphaRowBytes = image->alphaRowBytes;
    view->alphaPlane = image->alphaPlane + (size_t)part->y * image->alphaRowBytes + part->x * sample;
    return AVIF_RESULT_OK;
#endif
}

/// Returns the axis of `imir`: 0 exchanges top and bottom, 1 left and right (ISO/IEC 23008-12:2022 §6.5.12).
static inline unsigned firn_avif_mirror_axis(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

/// Returns the number of plays of a sequence: 0 for forever, -1 if the file or libavif does not state it.
static inline int64_t firn_avif_plays(const avifDecoder *decoder) {
#if AVIF_VERSION >= 1000000
    if (decoder->repetitionCount == AVIF_REPETITION_COUNT_INFINITE) return 0;
    return decoder->repetitionCount < 0 ? -1 : (int64_t)decoder->repetitionCount + 1;
#else
    (void)decoder;
    return -1;
#endif
}

/// Sets the number of plays, 0 for forever. No effect before libavif 1.0.
static inline void firn_avif_set_plays(avifEncoder *encoder, uint32_t plays) {
#if AVIF_VERSION >= 1000000
    encoder->repetitionCount =
        plays == 0 || plays > INT32_MAX ? AVIF_REPETITION_COUNT_INFINITE : (int)(plays - 1);
#else
    (void)encoder;
    (void)plays;
#endif
}

/// Converts the result of a call that is void before libavif 1.0: copies of metadata, codec options.
#if AVIF_VERSION >= 1000000
#define FIRN_AVIF_RESULT(call) (call)
#else
#define FIRN_AVIF_RESULT(call) ((call), AVIF_RESULT_OK)
#endif

#endif
