// Loads everything that libraries read from disk at the first decode, before a process gives up opening files.
#include "../include/firn_worker.h"
#include "../Registry/formats.h"

uint64_t firn_decoder_codecs(void) {
    uint64_t codecs = 0;
    for (int codec = 0; codec < 64; codec++)
        if (firn_codec_is_built_in((firn_codec)codec)) codecs |= UINT64_C(1) << codec;
    return codecs;
}

void firn_decoder_prepare(firn_codec codec) {
    const firn_codec_calls *calls = firn_codec_calls_of(codec);
    if (calls && calls->prepare) calls->prepare();
}
