@_exported public import FirnCache
@_exported public import FirnCodecs
@_exported public import FirnData
@_exported public import FirnHTTP
@_exported public import FirnImage
@_exported public import FirnPipeline
@_exported public import FirnProcessing
