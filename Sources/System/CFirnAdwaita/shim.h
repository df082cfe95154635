// Order: GTK's declarations are those of its own module, so that a file sees them by importing that.
#include "../CGTK4/shim.h"

#include <adwaita.h>
#include <libintl.h>
