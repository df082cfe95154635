@_exported public import FirnImage
@_exported public import FirnProcessing
