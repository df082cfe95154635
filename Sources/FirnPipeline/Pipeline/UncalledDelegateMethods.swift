public import FirnImage
public import FoundationEssentials

/// Methods that delegates written for Nuke have and that a pipeline of Firn never calls.
///
/// A type that implements one of them does not compile as an ``ImagePipeline/Delegate``: the error names the method
/// that is
/// called. Without this such a method compiles and is never called, so that a request goes out unsigned, for example.
///
/// How it works: the compiler accepts no requirement that is unavailable. Here each method has an associated type,
/// which is
/// ``_UncalledMethod`` unless a type implements the method; then it is the type that this implementation has there.
/// The
/// requirement `_…` beside it has one implementation for `_UncalledMethod` and an unavailable one for all other
/// types, whose
/// message is the advice.
public protocol _UncalledDelegateMethods {
    associatedtype _SentRequest = _UncalledMethod
    func willLoadData(
        for request: ImageRequest, urlRequest: _SentRequest, pipeline: ImagePipeline
    ) async throws -> _SentRequest
    static func _willLoadData(_: _SentRequest.Type)

    associatedtype _KeptData = _UncalledMethod
    func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline
    ) async -> _KeptData
    static func _willCache(_: _KeptData.Type)

    associatedtype _KeptCompletion = _UncalledMethod
    func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline,
        completion: _KeptCompletion)
    static func _willCacheWithCompletion(_: _KeptCompletion.Type)

    // The default implementation of the delegate's own method takes the place of a default here.
    associatedtype _Encoder = (any ImageEncoding)?
    func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> _Encoder
    static func _imageEncoder(_: _Encoder.Type)

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

    associatedtype _UpdatedProgress = _UncalledMethod
    func imageTask(_ task: ImageTask, didUpdateProgress progress: _UpdatedProgress, pipeline: ImagePipeline)
    static func _didUpdateProgress(_: _UpdatedProgress.Type)

    associatedtype _ReceivedPreview = _UncalledMethod
    func imageTask(_ task: ImageTask, didReceivePreview response: _ReceivedPreview, pipeline: ImagePipeline)
    static func _didReceivePreview(_: _ReceivedPreview.Type)

    associatedtype _Cancellation = _UncalledMethod
    func imageTaskDidCancel(_ task: ImageTask, pipeline: ImagePipeline) -> _Cancellation
    static func _imageTaskDidCancel(_: _Cancellation.Type)

    associatedtype _CompletedResult = _UncalledMethod
    func imageTask(_ task: ImageTask, didCompleteWithResult result: _CompletedResult, pipeline: ImagePipeline)
    static func _didCompleteWithResult(_: _CompletedResult.Type)
}

/// Stands for a method that a delegate does not implement; see ``_UncalledDelegateMethods``.
public struct _UncalledMethod: Sendable {
    init() {}
}
