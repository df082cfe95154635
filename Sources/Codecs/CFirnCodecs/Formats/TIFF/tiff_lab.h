// Converts L*a*b* samples of TIFF files to sRGB; private to this target.
#ifndef FIRN_TIFF_LAB_H
#define FIRN_TIFF_LAB_H

#include "tiff_rows.h"

/// The maximum number of pixels per conversion.
enum { FIRN_TIFF_LAB_AT_ONCE = 256 };

/// Creates the conversion from L*a*b* relative to D50 to sRGB; returns NULL if memory is exhausted.
void *firn_tiff_lab_open(void);

/// Frees the conversion. NULL is allowed.
void firn_tiff_lab_close(void *transform);

/// Converts at most FIRN_TIFF_LAB_AT_ONCE pixels, starting at `first`, to sRGB-encoded red, green and blue; 1 is the
/// brightest, and colors outside sRGB lie outside 0 to 1.
void firn_tiff_lab_colors(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t first, uint32_t count, float *colors);

#endif
