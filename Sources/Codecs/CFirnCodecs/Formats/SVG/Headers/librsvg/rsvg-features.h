#include <librsvg-2.0/librsvg/rsvg-features.h>
