// Indices packed as GIF has them.
#ifndef LZW_WRITE_H
#define LZW_WRITE_H

#include "../encode.h"

/// Appends `count` indices below 2^`code_size`, with the code size before and an empty block behind; false without memory.
///
/// `code_size` is 2 to 8.
bool firn_lzw_append(firn_bytes *output, const uint8_t *indices, size_t count, int code_size);

#endif
