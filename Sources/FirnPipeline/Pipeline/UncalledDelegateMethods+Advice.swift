public import FirnImage
public import FoundationEssentials

// The advice, and what stands in for methods that a type does not implement.
extension _UncalledDelegateMethods {
    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            willLoadData(for:urlRequest:pipeline:) is never called; implement \
            willLoadData(for:dataRequest:pipeline:)
            """
    )
    public static func _willLoadData(_: _SentRequest.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            willCache(data:image:for:pipeline:) is never called; implement willCache(data:for:pipeline:)
            """
    )
    public static func _willCache(_: _KeptData.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            willCache(data:image:for:pipeline:completion:) is never called; implement \
            willCache(data:for:pipeline:), which is async and returns the data
            """
    )
    public static func _willCacheWithCompletion(_: _KeptCompletion.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            imageEncoder(for:pipeline:) is called only if it returns (any ImageEncoding)?; add the question \
            mark, and return nil to store no image
            """
    )
    public static func _imageEncoder(_: _Encoder.Type) {}

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

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            imageTask(_:didUpdateProgress:pipeline:) is never called; implement \
            imageTask(_:didReceiveEvent:pipeline:)
            """
    )
    public static func _didUpdateProgress(_: _UpdatedProgress.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            imageTask(_:didReceivePreview:pipeline:) is never called; implement \
            imageTask(_:didReceiveEvent:pipeline:)
            """
    )
    public static func _didReceivePreview(_: _ReceivedPreview.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            imageTaskDidCancel(_:pipeline:) is never called; implement imageTask(_:didReceiveEvent:pipeline:), \
            whose last event is .finished with the fault .cancelled
            """
    )
    public static func _imageTaskDidCancel(_: _Cancellation.Type) {}

    /// The type implements a method that is never called.
    @available(
        *, unavailable,
        message: """
            imageTask(_:didCompleteWithResult:pipeline:) is never called; implement \
            imageTask(_:didReceiveEvent:pipeline:), whose last event is .finished
            """
    )
    public static func _didCompleteWithResult(_: _CompletedResult.Type) {}
}

extension _UncalledDelegateMethods where _SentRequest == _UncalledMethod {
    /// Never called.
    public func willLoadData(
        for request: ImageRequest, urlRequest: _SentRequest, pipeline: ImagePipeline
    ) async throws -> _SentRequest { urlRequest }

    /// The type does not implement it.
    public static func _willLoadData(_: _SentRequest.Type) {}
}

extension _UncalledDelegateMethods where _KeptData == _UncalledMethod {
    /// Never called.
    public func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline
    ) async -> _KeptData { _UncalledMethod() }

    /// The type does not implement it.
    public static func _willCache(_: _KeptData.Type) {}
}

extension _UncalledDelegateMethods where _KeptCompletion == _UncalledMethod {
    /// Never called.
    public func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline,
        completion: _KeptCompletion
    ) {}

    /// The type does not implement it.
    public static func _willCacheWithCompletion(_: _KeptCompletion.Type) {}
}

extension _UncalledDelegateMethods where _Encoder == (any ImageEncoding)? {
    /// The type has the method that is called.
    public static func _imageEncoder(_: _Encoder.Type) {}
}

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

extension _UncalledDelegateMethods where _UpdatedProgress == _UncalledMethod {
    /// Never called.
    public func imageTask(_ task: ImageTask, didUpdateProgress progress: _UpdatedProgress, pipeline: ImagePipeline) {}

    /// The type does not implement it.
    public static func _didUpdateProgress(_: _UpdatedProgress.Type) {}
}

extension _UncalledDelegateMethods where _ReceivedPreview == _UncalledMethod {
    /// Never called.
    public func imageTask(_ task: ImageTask, didReceivePreview response: _ReceivedPreview, pipeline: ImagePipeline) {}

    /// The type does not implement it.
    public static func _didReceivePreview(_: _ReceivedPreview.Type) {}
}

extension _UncalledDelegateMethods where _Cancellation == _UncalledMethod {
    /// Never called.
    public func imageTaskDidCancel(_ task: ImageTask, pipeline: ImagePipeline) -> _Cancellation { _UncalledMethod() }

    /// The type does not implement it.
    public static func _imageTaskDidCancel(_: _Cancellation.Type) {}
}

extension _UncalledDelegateMethods where _CompletedResult == _UncalledMethod {
    /// Never called.
    public func imageTask(
        _ task: ImageTask, didCompleteWithResult result: _CompletedResult, pipeline: ImagePipeline
    ) {}

    /// The type does not implement it.
    public static func _didCompleteWithResult(_: _CompletedResult.Type) {}
}
