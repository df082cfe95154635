// Chooses a palette and finds the nearest color in it.
#ifndef QUANTIZE_H
#define QUANTIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Collects colors and chooses a palette.
typedef struct firn_quantizer firn_quantizer;

/// Creates a quantizer; returns NULL if memory is exhausted.
firn_quantizer *firn_quantizer_open(void);
void firn_quantizer_close(firn_quantizer *quantizer);

/// Removes all colors.
void firn_quantizer_clear(firn_quantizer *quantizer);

/// Counts `count` colors, 0xRRGGBB; ignores the highest byte.
void firn_quantizer_add(firn_quantizer *quantizer, const uint32_t *colors, size_t count);

/// Chooses at most `most` colors, 1 to 256; returns the number chosen.
int firn_quantizer_choose(firn_quantizer *quantizer, int most, uint32_t *palette);

/// Returns the index of the chosen color nearest to a color with components 0 to 255.
uint8_t firn_quantizer_nearest(firn_quantizer *quantizer, int red, int green, int blue);

#endif
