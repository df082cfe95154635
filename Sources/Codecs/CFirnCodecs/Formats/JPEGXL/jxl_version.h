// The differences between the versions of libjxl that Firn compiles against: 0.7 to 0.11.
//
// Since 0.9, the functions that read the color description take no pixel format. Between 0.8 and 0.11, the lossless
// encoder at effort 1 began to alter some noisy images: of 400 with 1 to 40 pixels a side, 0.11.2 altered 2 and 0.7.0
// none.
#ifndef FIRN_JXL_VERSION_H
#define FIRN_JXL_VERSION_H

#if !__has_include(<jxl/decode.h>)
#error "jxl/decode.h not found: install libjxl-dev (Debian, Ubuntu) or libjxl-devel (Fedora), or leave out trait JPEGXL"
#endif
#include <jxl/decode.h>

#if defined(JPEGXL_NUMERIC_VERSION) && JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define FIRN_JXL_FORMAT
#else
#define FIRN_JXL_FORMAT &(JxlPixelFormat){4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0},
#endif

/// Reads the color description of the decoded pixels; fails if only an ICC profile can express it.
static inline JxlDecoderStatus firn_jxl_encoded_profile(const JxlDecoder *decoder, JxlColorEncoding *encoding) {
    return JxlDecoderGetColorAsEncodedProfile(
        decoder, FIRN_JXL_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, encoding);
}

/// Reads the length of the ICC profile of the decoded pixels.
static inline JxlDecoderStatus firn_jxl_icc_size(const JxlDecoder *decoder, size_t *length) {
    return JxlDecoderGetICCProfileSize(decoder, FIRN_JXL_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, length);
}

/// Copies the ICC profile of the decoded pixels.
static inline JxlDecoderStatus firn_jxl_icc(const JxlDecoder *decoder, uint8_t *profile, size_t length) {
    return JxlDecoderGetColorAsICCProfile(
        decoder, FIRN_JXL_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, profile, length);
}

/// Returns the effort at which lossless encoding is exact.
static inline int firn_jxl_lossless_effort(int effort) {
#if defined(JPEGXL_NUMERIC_VERSION) && JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 8, 0)
    return effort < 2 ? 2 : effort;
#else
    return effort;
#endif
}

#undef FIRN_JXL_FORMAT
#endif
