// The C interface that Swift imports.
#ifndef CFIRN_CODECS_H
#define CFIRN_CODECS_H

#include "firn_transform.h"
#include "firn_composite.h"
#include "firn_decode.h"
#include "firn_hevc.h"
#include "firn_light.h"
#include "firn_packets.h"
#include "firn_pixels.h"
#include "firn_planes.h"
#include "firn_reduce.h"
#include "firn_unfilter.h"
#include "firn_worker.h"
#include "firn_zlib.h"
#if __has_include("firn_encode.h")
#include "firn_encode.h"
#endif

#endif
