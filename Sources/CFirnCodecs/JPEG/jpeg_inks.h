// Rows of inks as Adobe stores them.
#ifndef FIRN_JPEG_INKS_H
#define FIRN_JPEG_INKS_H

#include <stdint.h>

#include "../include/firn_decode.h"

/// Inks as Adobe stores them, 255 for none, to 255 for full.
void firn_jpeg_invert_inks(uint8_t *row, uint32_t width);

/// Inks as Adobe stores them to colors, without a profile: each ink takes its share of what black leaves.
void firn_jpeg_convert_inks(const uint8_t *from, uint8_t *to, uint32_t width, firn_layout layout);

#endif
