// The differences between the versions of libjxl that Firn compiles against: 0.7 to 0.11.
//
// Since 0.9 the functions that read the color description take no pixel format.
#ifndef FIRN_JXL_VERSION_H
#define FIRN_JXL_VERSION_H

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

#undef FIRN_JXL_FORMAT
#endif
