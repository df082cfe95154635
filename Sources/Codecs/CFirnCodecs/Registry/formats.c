// Derived from the list of formats, the only place in this target that names them.
#include "formats.h"

// A format that is not linked has no address here.
#define CALLS(NAME, name) extern const firn_codec_calls firn_##name##_calls;
#define OPTIONAL_CALLS(NAME, name) extern const firn_codec_calls firn_##name##_calls __attribute__((weak));
FIRN_CODECS(CALLS, OPTIONAL_CALLS)

#define CASE(NAME, name) case FIRN_CODEC_##NAME: return &firn_##name##_calls;

const firn_codec_calls *firn_codec_calls_of(firn_codec codec) {
    switch (codec) {
    FIRN_CODECS(CASE, CASE)
    default: return NULL;
    }
}

bool firn_codec_is_built_in(firn_codec codec) { return firn_codec_calls_of(codec) != NULL; }
