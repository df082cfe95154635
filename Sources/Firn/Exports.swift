@_exported public import FirnAnimation
@_exported public import FirnCodecs

#if HTTP
@_exported public import FirnHTTP
#endif

// The types of bytes and addresses in Firn's own declarations.
@_exported public import struct FoundationEssentials.URL
