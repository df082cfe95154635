// PNG images without passes and with samples of at most 8 bits, which nearly all are, by a reader of our own.
//
// The compressed rows are inflated by ISA-L, which takes a third of zlib's time, and there is no call per row. The
// pixels are those of libpng, bit for bit. A build without the trait `ISAL` leaves every image to libpng.
#ifndef FIRN_PNG_PLAIN_H
#define FIRN_PNG_PLAIN_H

#include "../../Library/decoder.h"

/// The compressed bytes that one call of `read` takes at most.
enum { FIRN_PNG_BYTES_AT_ONCE = 64 << 10 };

/// The signature with the header's chunk, and the place of its 13 bytes.
enum { FIRN_PNG_SIGNATURE_AND_HEADER = 33, FIRN_PNG_HEADER_CONTENT = 16 };

typedef struct firn_png_plain firn_png_plain;

/// Whether images with the header's 13 bytes can be read into this layout.
bool firn_png_plain_reads(const uint8_t *header, firn_layout layout);

/// Returns a reader of an image that can be read; NULL if there is no memory. `header` is as above.
firn_png_plain *firn_png_plain_open(const uint8_t *header, firn_layout layout);

void firn_png_plain_close(firn_png_plain *plain);

/// Reads rows from the decoder's input, as `firn_codec_calls.read` says.
firn_status firn_png_plain_read(
    firn_png_plain *plain, firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);

#endif
