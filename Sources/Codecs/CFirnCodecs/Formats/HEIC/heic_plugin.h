// A decoder of HEVC for libheif; private to this target.
#ifndef FIRN_HEIC_PLUGIN_H
#define FIRN_HEIC_PLUGIN_H

/// Registers the decoder with libheif; later calls do nothing.
void firn_heic_plugin(void);

#endif
