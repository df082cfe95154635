// Numbers in little-endian byte order.
#ifndef FIELDS_H
#define FIELDS_H

#include <stdint.h>

static inline void firn_put16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void firn_put32(uint8_t *bytes, uint32_t value) {
    firn_put16(bytes, value);
    firn_put16(bytes + 2, value >> 16);
}

#endif
