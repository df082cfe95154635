// What readers of containers need of zlib: unpacking small blocks, and the checksum of PNG.
#ifndef FIRN_ZLIB_H
#define FIRN_ZLIB_H

#include <stddef.h>
#include <stdint.h>

/// Unpacks a zlib stream (RFC 1950) to memory that is to be given to `firn_zlib_free`.
///
/// NULL if it is damaged or cut short, would be longer than `most`, or there is no memory.
uint8_t *firn_zlib_unpack(const uint8_t *bytes, size_t length, size_t most, size_t *unpacked_length);

void firn_zlib_free(uint8_t *unpacked);

/// The CRC of PNG chunks (ISO 3309) over `bytes`, behind bytes that have `sum`; 0 is the sum of no bytes.
uint32_t firn_crc(uint32_t sum, const uint8_t *bytes, size_t length);

/// The sum of `length` bytes behind a new beginning, where `sum` is theirs behind another one.
///
/// `old_head` and `new_head` are the sums of the two beginnings alone; the bytes need not be at hand.
uint32_t firn_crc_exchange(uint32_t sum, uint32_t old_head, uint32_t new_head, size_t length);

#endif
