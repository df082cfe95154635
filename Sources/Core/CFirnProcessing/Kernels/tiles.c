#include "kernels.h"

#include "firn_tiles.h"

#define FIRN_KERNELS "tiles.inc"
#include "variants.h"

void firn_tiles_halve8(const uint8_t *a, const uint8_t *b, size_t count, uint16_t *out) {
    FIRN_CHOOSE(firn_tiles_halve8, a, b, count, out);
}

void firn_tiles_halve16(const uint16_t *a, const uint16_t *b, size_t count, uint16_t *out) {
    FIRN_CHOOSE(firn_tiles_halve16, a, b, count, out);
}

void firn_tiles_narrow(const uint16_t *in, size_t count, uint8_t *out) {
    FIRN_CHOOSE(firn_tiles_narrow, in, count, out);
}

int firn_tiles_opaque(const uint8_t *pixels, size_t count) { return FIRN_CHOOSE(firn_tiles_opaque, pixels, count); }
