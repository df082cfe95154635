// libde265's images behind firn_hevc.h; private to this target.
#ifndef FIRN_HEVC_DECODER_H
#define FIRN_HEVC_DECODER_H

#include <libde265/de265.h>

#include "firn_hevc.h"

/// Returns the next image for `firn_hevc_image`; NULL if there is none yet.
const struct de265_image *firn_hevc_next(firn_hevc *decoder);

#endif
