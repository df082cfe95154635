public import Firn

/// Methods of Nuke's delegates that no pipeline of Firn can call.
///
/// A ``NukeDelegate`` that implements one of them does not compile: the error says why.
///
/// The compiler accepts no requirement that is unavailable. Here each method has an associated type,
/// which is ``_UncalledMethod`` unless a type implements the method; then it is the type that this implementation has
/// there. The requirement `_…` beside it has one implementation for `_UncalledMethod` and an unavailable one for all
/// other types, whose message is the advice.
public protocol _UncalledDelegateMethods {
    associatedtype _PreviewPolicy = _UncalledMethod
    func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline) -> _PreviewPolicy
    static func _previewPolicy(_: _PreviewPolicy.Type)

    associatedtype _Decompression = _UncalledMethod
    func shouldDecompress(
        response: ImageResponse, for request: ImageRequest, pipeline: ImagePipeline
    ) -> _Decompression
    static func _shouldDecompress(_: _Decompression.Type)

    associatedtype _Decompressed = _UncalledMethod
    func decompress(response: ImageResponse, request: ImageRequest, pipeline: ImagePipeline) -> _Decompressed
    static func _decompress(_: _Decompressed.Type)
}

/// Stands for a method that a delegate does not implement; see ``_UncalledDelegateMethods``.
public struct _UncalledMethod: Sendable {
    init() {}
}

// The advice.
extension _UncalledDelegateMethods {
    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            previewPolicy(for:pipeline:) is never called; previews are made only while a subscriber reads them, \
            or never if isProgressiveDecodingEnabled is false
            """
    )
    public static func _previewPolicy(_: _PreviewPolicy.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            shouldDecompress(response:for:pipeline:) is never called; images are decoded to pixels in the \
            background
            """
    )
    public static func _shouldDecompress(_: _Decompression.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            decompress(response:request:pipeline:) is never called; images are decoded to pixels in the \
            background. To change an image, use a processor
            """
    )
    public static func _decompress(_: _Decompressed.Type) {}
}

// Stands in for methods that a type does not implement.
extension _UncalledDelegateMethods where _PreviewPolicy == _UncalledMethod {
    /// Never called.
    public func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline) -> _PreviewPolicy {
        _UncalledMethod()
    }

    /// The type does not implement it.
    public static func _previewPolicy(_: _PreviewPolicy.Type) {}
}

extension _UncalledDelegateMethods where _Decompression == _UncalledMethod {
    /// Never called.
    public func shouldDecompress(
        response: ImageResponse, for request: ImageRequest, pipeline: ImagePipeline
    ) -> _Decompression { _UncalledMethod() }

    /// The type does not implement it.
    public static func _shouldDecompress(_: _Decompression.Type) {}
}

extension _UncalledDelegateMethods where _Decompressed == _UncalledMethod {
    /// Never called.
    public func decompress(
        response: ImageResponse, request: ImageRequest, pipeline: ImagePipeline
    ) -> _Decompressed { _UncalledMethod() }

    /// The type does not implement it.
    public static func _decompress(_: _Decompressed.Type) {}
}
