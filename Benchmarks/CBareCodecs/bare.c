#include "bare.h"

#include <string.h>

#include "include/CBareCodecs.h"

long bare_decode(const char *format, const uint8_t *bytes, size_t length) {
    if (!strcmp(format, "jpeg")) return bare_jpeg_decode(bytes, length);
    if (!strcmp(format, "png")) return bare_png_decode(bytes, length);
    if (!strcmp(format, "webp")) return bare_webp_decode(bytes, length);
    if (!strcmp(format, "gif")) return bare_gif_decode(bytes, length);
#ifdef FIRN_AVIF
    if (!strcmp(format, "avif")) return bare_avif_decode(bytes, length);
#endif
#ifdef FIRN_HEIC
    if (!strcmp(format, "heic")) return bare_heic_decode(bytes, length);
#endif
#ifdef FIRN_JXL
    if (!strcmp(format, "jxl")) return bare_jxl_decode(bytes, length);
#endif
#ifdef FIRN_TIFF
    if (!strcmp(format, "tiff")) return bare_tiff_decode(bytes, length);
#endif
    return -1;
}

long bare_thumbnail(const char *format, const char *path, unsigned side) {
    if (!strcmp(format, "jpeg")) return bare_jpeg_thumbnail(path, side);
    if (!strcmp(format, "png")) return bare_png_thumbnail(path, side);
    if (!strcmp(format, "webp")) return bare_webp_thumbnail(path, side);
    return -1;
}
