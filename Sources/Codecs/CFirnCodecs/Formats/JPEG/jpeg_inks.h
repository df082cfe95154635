// Converts rows of inks as Adobe stores them.
#ifndef FIRN_JPEG_INKS_H
#define FIRN_JPEG_INKS_H

#include <stdint.h>

#include "firn_decode.h"

/// Converts inks as Adobe stores them, where 255 is none, so that 255 is full.
void firn_jpeg_invert_inks(uint8_t *row, uint32_t width);

/// Converts inks as Adobe stores them to colors, without a profile: each ink takes its share of the light that black
/// leaves.
void firn_jpeg_convert_inks(const uint8_t *from, uint8_t *to, uint32_t width, firn_layout layout);

#endif
