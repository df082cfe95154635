// The table of formats decoded by C libraries.
#ifndef FIRN_FORMATS_H
#define FIRN_FORMATS_H

#include "../Library/decoder.h"

/// Returns the calls of a format; NULL if the format is not in this build.
const firn_codec_calls *firn_codec_calls_of(firn_codec codec);

#endif
