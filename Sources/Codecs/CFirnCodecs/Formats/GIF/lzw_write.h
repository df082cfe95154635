// Compresses indices into GIF's format.
#ifndef LZW_WRITE_H
#define LZW_WRITE_H

#include "../../Library/encode.h"

/// Appends `count` compressed indices below 2^`code_size`, preceded by the code size and followed by an empty block.
/// Returns false if memory is exhausted.
///
/// `code_size` is 2 to 8.
bool firn_lzw_append(firn_bytes *output, const uint8_t *indices, size_t count, int code_size);

#endif
