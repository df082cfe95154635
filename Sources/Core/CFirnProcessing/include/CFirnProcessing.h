#ifndef CFIRN_PROCESSING_H
#define CFIRN_PROCESSING_H

// The inner loops of FirnProcessing. Every function works on rows or columns of one image. It allocates nothing, keeps
// no state and never fails; the caller checks sizes. Each is compiled twice, for the baseline of its architecture and
// for x86-64 with AVX2 and FMA; the first call chooses one. FIRN_KERNELS=plain in the environment selects the baseline.

#include "firn_blend.h"
#include "firn_blur.h"
#include "firn_color.h"
#include "firn_resize.h"
#include "firn_rows.h"
#include "firn_tiles.h"

#endif
