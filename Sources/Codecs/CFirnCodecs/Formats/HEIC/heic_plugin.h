// A decoder of HEVC for libheif; private to this target.
#ifndef FIRN_HEIC_PLUGIN_H
#define FIRN_HEIC_PLUGIN_H

#include "heic_extents.h"

/// Fails for images that are smaller than the cells of a grid that this thread decodes: libheif before 1.20 leaves the
/// rest of a cell unwritten.
///
/// - Parameters:
///   - cells: the first images, and the size that each has at least.
///   - alpha: the images after them. Both are empty after the decode.
void firn_heic_expect(firn_heic_cells cells, firn_heic_cells alpha);

/// Registers the decoder with libheif; later calls do nothing.
void firn_heic_plugin(void);

#endif
