// The only file that names the system's C library. All other modules import FirnSystem, so supporting another C library
// is a change here; `Scripts/check-layers` enforces this.
//
// Tested only with the GNU C library (Documentation/Platforms.md).

@_exported public import Glibc
