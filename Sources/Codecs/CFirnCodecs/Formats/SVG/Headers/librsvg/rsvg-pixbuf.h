#include <librsvg-2.0/librsvg/rsvg-pixbuf.h>
