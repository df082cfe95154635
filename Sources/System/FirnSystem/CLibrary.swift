// The one file that names the system's C library. Every other module imports FirnSystem, so that another C library is a
// change here; `Scripts/check-layers` keeps it so.
//
// Only the GNU C library has been tried (Documentation/Platforms.md).

@_exported public import Glibc
