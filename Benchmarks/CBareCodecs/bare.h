// Declares one pair of functions for each library.
#ifndef BARE_H
#define BARE_H

#include <stddef.h>
#include <stdint.h>

long bare_jpeg_decode(const uint8_t *bytes, size_t length);
long bare_jpeg_thumbnail(const char *path, unsigned side);
long bare_png_decode(const uint8_t *bytes, size_t length);
long bare_png_thumbnail(const char *path, unsigned side);
long bare_webp_decode(const uint8_t *bytes, size_t length);
long bare_webp_thumbnail(const char *path, unsigned side);
long bare_gif_decode(const uint8_t *bytes, size_t length);
long bare_avif_decode(const uint8_t *bytes, size_t length);
long bare_heic_decode(const uint8_t *bytes, size_t length);
long bare_jxl_decode(const uint8_t *bytes, size_t length);
long bare_tiff_decode(const uint8_t *bytes, size_t length);

#endif
