// Fallbacks for programs that do not link an optional format. The format's own functions override these.
#include "../Library/encode.h"
#include "firn_hevc.h"

#define LEFT_OUT __attribute__((weak))

LEFT_OUT firn_animation *firn_animation_avif(
    const firn_canvas *canvas, const firn_avif_options *options, firn_encoded *encoded
) {
    (void)canvas, (void)options;
    return firn_animation_refuse(NULL, encoded, FIRN_ENCODE_UNSUPPORTED, "this build cannot write AVIF");
}

LEFT_OUT firn_animation *firn_animation_jxl(
    const firn_canvas *canvas, const firn_jxl_options *options, firn_encoded *encoded
) {
    (void)canvas, (void)options;
    return firn_animation_refuse(NULL, encoded, FIRN_ENCODE_UNSUPPORTED, "this build cannot write JPEG XL");
}

LEFT_OUT firn_hevc *firn_hevc_open(void) { return NULL; }

LEFT_OUT firn_status firn_hevc_push(firn_hevc *decoder, const uint8_t *unit, size_t length, int64_t sample) {
    (void)decoder, (void)unit, (void)length, (void)sample;
    return FIRN_UNSUPPORTED;
}

LEFT_OUT void firn_hevc_end(firn_hevc *decoder) { (void)decoder; }

LEFT_OUT firn_status firn_hevc_step(firn_hevc *decoder) {
    (void)decoder;
    return FIRN_UNSUPPORTED;
}

LEFT_OUT bool firn_hevc_image(firn_hevc *decoder, firn_planes *image, int64_t *sample) {
    (void)decoder, (void)image, (void)sample;
    return false;
}

LEFT_OUT void firn_hevc_drop(firn_hevc *decoder) { (void)decoder; }

LEFT_OUT const char *firn_hevc_message(const firn_hevc *decoder) {
    (void)decoder;
    return "";
}

LEFT_OUT void firn_hevc_close(firn_hevc *decoder) { (void)decoder; }
