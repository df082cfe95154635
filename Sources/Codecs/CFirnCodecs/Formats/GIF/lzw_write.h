// Compresses indices as GIF stores them.
#ifndef LZW_WRITE_H
#define LZW_WRITE_H

#include "../../Library/encode.h"

/// Appends `count` compressed indices below 2^`code_size`, preceded by the code size and followed by an empty block.
/// Returns false if there is no memory.
///
/// `code_size` is 2 to 8.
bool firn_lzw_append(firn_bytes *output, const uint8_t *indices, size_t count, int code_size);

#endif
