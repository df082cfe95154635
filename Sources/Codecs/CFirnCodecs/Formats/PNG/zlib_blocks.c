#include "firn_zlib.h"

#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

uint8_t *firn_zlib_unpack(const uint8_t *bytes, size_t length, size_t most, size_t *unpacked_length) {
    z_stream stream = {0};
    if (length > UINT_MAX || most > UINT_MAX || inflateInit(&stream) != Z_OK) return NULL;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)length;
    uint8_t *unpacked = NULL;
    size_t capacity = 0, count = 0;
    int status = Z_OK;
    while (status == Z_OK && (count < capacity || capacity < most)) {
        if (count == capacity) {
            // Grows with the decompressed bytes, not by the declared length.
            size_t larger = capacity ? capacity * 2 : 4096;
            if (larger > most) larger = most;
            uint8_t *block = realloc(unpacked, larger);
            if (!block) break;
            unpacked = block;
            capacity = larger;
        }
        stream.next_out = unpacked + count;
        stream.avail_out = (uInt)(capacity - count);
        status = inflate(&stream, Z_NO_FLUSH);
        count = capacity - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END) {
        free(unpacked);
        return NULL;
    }
    *unpacked_length = count;
    return unpacked;
}

void firn_zlib_free(uint8_t *unpacked) { free(unpacked); }

uint32_t firn_crc_exchange(uint32_t sum, uint32_t old_head, uint32_t new_head, size_t length) {
    // A CRC is linear: the CRC of A and B is A's CRC shifted by B's length, XOR B's CRC.
    uint32_t tail = sum ^ (uint32_t)crc32_combine(old_head, 0, (z_off_t)length);
    return (uint32_t)crc32_combine(new_head, tail, (z_off_t)length);
}
