// One line for each format. Nothing else in this target names a format.
#include "formats.h"

extern const firn_codec_calls firn_jpeg_calls, firn_png_calls, firn_webp_calls, firn_avif_calls, firn_heic_calls,
    firn_jxl_calls, firn_tiff_calls, firn_svg_calls;

const firn_codec_calls *firn_codec_calls_of(firn_codec codec) {
    switch (codec) {
    case FIRN_CODEC_JPEG: return &firn_jpeg_calls;
    case FIRN_CODEC_PNG: return &firn_png_calls;
    case FIRN_CODEC_WEBP: return &firn_webp_calls;
#ifdef FIRN_AVIF
    case FIRN_CODEC_AVIF: return &firn_avif_calls;
#endif
#ifdef FIRN_HEIC
    case FIRN_CODEC_HEIC: return &firn_heic_calls;
#endif
#ifdef FIRN_JXL
    case FIRN_CODEC_JXL: return &firn_jxl_calls;
#endif
#ifdef FIRN_TIFF
    case FIRN_CODEC_TIFF: return &firn_tiff_calls;
#endif
#ifdef FIRN_SVG
    case FIRN_CODEC_SVG: return &firn_svg_calls;
#endif
    default: return NULL;
    }
}

bool firn_codec_is_built_in(firn_codec codec) { return firn_codec_calls_of(codec) != NULL; }
