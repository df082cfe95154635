@_exported public import FirnAnimation
@_exported public import FirnCache
@_exported public import FirnCodecs
@_exported public import FirnData
@_exported public import FirnImage
@_exported public import FirnPipeline
@_exported public import FirnProcessing

#if HTTP
@_exported public import FirnHTTP
#endif

// The types of bytes and addresses in Firn's own declarations.
@_exported public import struct FoundationEssentials.Data
@_exported public import struct FoundationEssentials.URL
