// One line for each format. Nothing else in this target names a format.
//
// The optional formats are targets of their own, so that a program links the libraries of those that it decodes. A
// format that is not linked has no address here.
#include "formats.h"

extern const firn_codec_calls firn_jpeg_calls, firn_png_calls, firn_webp_calls;
extern const firn_codec_calls firn_avif_calls __attribute__((weak));
extern const firn_codec_calls firn_heic_calls __attribute__((weak));
extern const firn_codec_calls firn_jxl_calls __attribute__((weak));
extern const firn_codec_calls firn_tiff_calls __attribute__((weak));
extern const firn_codec_calls firn_svg_calls __attribute__((weak));

const firn_codec_calls *firn_codec_calls_of(firn_codec codec) {
    switch (codec) {
    case FIRN_CODEC_JPEG: return &firn_jpeg_calls;
    case FIRN_CODEC_PNG: return &firn_png_calls;
    case FIRN_CODEC_WEBP: return &firn_webp_calls;
    case FIRN_CODEC_AVIF: return &firn_avif_calls;
    case FIRN_CODEC_HEIC: return &firn_heic_calls;
    case FIRN_CODEC_JXL: return &firn_jxl_calls;
    case FIRN_CODEC_TIFF: return &firn_tiff_calls;
    case FIRN_CODEC_SVG: return &firn_svg_calls;
    default: return NULL;
    }
}

bool firn_codec_is_built_in(firn_codec codec) { return firn_codec_calls_of(codec) != NULL; }
