#ifndef BARE_JPEG_H
#define BARE_JPEG_H

/// Decodes a JPEG file with libjpeg-turbo alone, at the smallest N/8 that covers a box of `side` pixels: the limit that
/// thumbnails are measured against. Returns the number of decoded pixels, or -1.
long bare_jpeg_decode(const char *path, unsigned side);

#endif
