// The images of libde265 behind firn_hevc.h; private to this target.
#ifndef FIRN_HEVC_DECODER_H
#define FIRN_HEVC_DECODER_H

#include <libde265/de265.h>

#include "firn_hevc.h"

/// Returns the image that `firn_hevc_image` describes next; NULL if there is none yet.
const struct de265_image *firn_hevc_next(firn_hevc *decoder);

#endif
