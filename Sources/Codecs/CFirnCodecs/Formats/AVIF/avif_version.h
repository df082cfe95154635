// The differences between the versions of libavif that Firn compiles against: 0.11 to 1.3.
//
// Since 1.0 the mirror's axis has its name, sequences have a repetition count, and the functions that copy metadata
// report failures.
#ifndef FIRN_AVIF_VERSION_H
#define FIRN_AVIF_VERSION_H

#include <stdint.h>

#include <avif/avif.h>

/// Returns the axis of `imir`: 0 exchanges top and bottom, 1 left and right (ISO/IEC 23008-12:2022 §6.5.12).
static inline unsigned firn_avif_mirror_axis(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

/// Returns how many times a sequence is played: 0 for forever, -1 if the file or libavif does not say.
static inline int64_t firn_avif_plays(const avifDecoder *decoder) {
#if AVIF_VERSION >= 1000000
    if (decoder->repetitionCount == AVIF_REPETITION_COUNT_INFINITE) return 0;
    return decoder->repetitionCount < 0 ? -1 : (int64_t)decoder->repetitionCount + 1;
#else
    (void)decoder;
    return -1;
#endif
}

/// Sets how many times the sequence is played, 0 for forever. Without effect before libavif 1.0.
static inline void firn_avif_set_plays(avifEncoder *encoder, uint32_t plays) {
#if AVIF_VERSION >= 1000000
    encoder->repetitionCount =
        plays == 0 || plays > INT32_MAX ? AVIF_REPETITION_COUNT_INFINITE : (int)(plays - 1);
#else
    (void)encoder;
    (void)plays;
#endif
}

/// Converts the result of a call that returns nothing before libavif 1.0: copies of metadata, options of a codec.
#if AVIF_VERSION >= 1000000
#define FIRN_AVIF_RESULT(call) (call)
#else
#define FIRN_AVIF_RESULT(call) ((call), AVIF_RESULT_OK)
#endif

#endif
