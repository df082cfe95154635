// An HEVC decoder for libheif; private to this target.
#ifndef FIRN_HEIC_PLUGIN_H
#define FIRN_HEIC_PLUGIN_H

#include "heic_extents.h"

/// Starts decoding an image. Fails for grid cells that are smaller than expected: libheif before 1.20 leaves the rest
/// of the cell uninitialized.
///
/// - Parameters:
///   - cells: the cells that are decoded first, and their minimum size.
///   - alpha: the alpha cells, decoded after them.
void firn_heic_begin(firn_heic_cells cells, firn_heic_cells alpha);

/// Ends the decode that this thread started.
void firn_heic_end(void);

/// Registers the decoder with libheif; later calls do nothing.
void firn_heic_plugin(void);

#endif
