// Reads the orientation from metadata that container readers find.
#ifndef FIRN_METADATA_H
#define FIRN_METADATA_H

#include <stddef.h>
#include <stdint.h>

/// Returns the orientation in EXIF data (a TIFF file, with or without "Exif\0\0" before it); 1 if there is none.
uint32_t firn_exif_orientation(const uint8_t *bytes, size_t length);

/// Returns the orientation in an XMP packet; 1 if there is none.
uint32_t firn_xmp_orientation(const uint8_t *bytes, size_t length);

#endif
