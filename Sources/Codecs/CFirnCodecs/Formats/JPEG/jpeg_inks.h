// Converts rows of inks in Adobe's form.
#ifndef FIRN_JPEG_INKS_H
#define FIRN_JPEG_INKS_H

#include <stdint.h>

#include "firn_decode.h"

/// Inverts Adobe's inks, where 255 means none, so that 255 means full.
void firn_jpeg_invert_inks(uint8_t *row, uint32_t width);

/// Converts Adobe's inks to colors without a profile: each ink absorbs its share of the light that black leaves.
void firn_jpeg_convert_inks(const uint8_t *from, uint8_t *to, uint32_t width, firn_layout layout);

#endif
