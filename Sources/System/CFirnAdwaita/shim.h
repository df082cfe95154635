// Order: GTK's declarations belong to its own module; a file sees them by importing that module.
#include "../CGTK4/shim.h"

#include <adwaita.h>
#include <libintl.h>
