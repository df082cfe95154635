// The parts of zlib that container readers need: decompressing small blocks, and checksums of changed PNG chunks.
#ifndef FIRN_ZLIB_H
#define FIRN_ZLIB_H

#include <stddef.h>
#include <stdint.h>

/// Decompresses a zlib stream (RFC 1950) to memory that the caller frees with `firn_zlib_free`.
///
/// Returns NULL if it is damaged, truncated, or longer than `most`, or if memory is exhausted.
uint8_t *firn_zlib_unpack(const uint8_t *bytes, size_t length, size_t most, size_t *unpacked_length);

void firn_zlib_free(uint8_t *unpacked);

/// Returns the CRC (ISO 3309) of `length` bytes after a new prefix; `sum` is their CRC after the old one.
///
/// `old_head` and `new_head` are the CRCs of the two prefixes; the bytes themselves are not needed.
uint32_t firn_crc_exchange(uint32_t sum, uint32_t old_head, uint32_t new_head, size_t length);

#endif
