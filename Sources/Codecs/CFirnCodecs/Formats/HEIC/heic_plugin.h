// A decoder of HEVC for libheif; private to this target.
#ifndef FIRN_HEIC_PLUGIN_H
#define FIRN_HEIC_PLUGIN_H

#include "heic_extents.h"

/// Begins to decode an image. Fails for cells of a grid that are smaller than expected: libheif before 1.20 leaves the
/// rest of a cell unwritten.
///
/// - Parameters:
///   - cells: the cells that are decoded first, and the size that each has at least.
///   - alpha: the cells after them.
void firn_heic_begin(firn_heic_cells cells, firn_heic_cells alpha);

/// Ends the decode that this thread began.
void firn_heic_end(void);

/// Registers the decoder with libheif; later calls do nothing.
void firn_heic_plugin(void);

#endif
