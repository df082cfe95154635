// Our own reader of non-interlaced PNG images with samples of at most 8 bits, the most common kind.
//
// ISA-L inflates the compressed rows in a third of zlib's time, and there is no call per row. The pixels equal
// libpng's, bit for bit. A build without the trait `ISAL` reads every image with libpng.
#ifndef FIRN_PNG_PLAIN_H
#define FIRN_PNG_PLAIN_H

#include "../../Library/decoder.h"

/// The maximum number of compressed bytes that one call of `read` takes.
enum { FIRN_PNG_BYTES_AT_ONCE = 64 << 10 };

/// The length of the signature with the header chunk, and the position of the header's 13 bytes.
enum { FIRN_PNG_SIGNATURE_AND_HEADER = 33, FIRN_PNG_HEADER_CONTENT = 16 };

typedef struct firn_png_plain firn_png_plain;

/// Returns whether images with these 13 header bytes can be read into this layout.
bool firn_png_plain_reads(const uint8_t *header, firn_layout layout);

/// Returns a reader for a readable image; NULL if memory is exhausted. `header` is as above.
firn_png_plain *firn_png_plain_open(const uint8_t *header, firn_layout layout);

void firn_png_plain_close(firn_png_plain *plain);

/// Reads rows from the decoder's input, as `firn_codec_calls.read` specifies.
firn_status firn_png_plain_read(
    firn_png_plain *plain, firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);

#endif
