public import Firn

// Nuke's cases, as they are named and as they are matched. An error of Firn says whose fault it was, at which stage,
// and why.
extension ImageLoadingError {
    /// The loader's own error, if this one is of the stage `loading`; `nil` if no loader was asked, as for an image
    /// that only a cache may give.
    public var dataLoadingError: (any Error)? {
        guard stage == .loading else { return nil }
        return (underlying as? DataLoadingError)?.underlying ?? underlying
    }

    /// The bytes that the cache did not have.
    @available(*, unavailable, message: "match error.fault == .request, which .returnCacheDataDontLoad fails with")
    public static var dataMissingInCache: ImageLoadingError { none }

    /// The loader's error.
    @available(*, unavailable, message: "match error.stage == .loading; error.underlying and error.status say why")
    public static var dataLoadingFailed: ImageLoadingError { none }

    /// The loader's error.
    @available(*, unavailable, message: "match error.stage == .loading; error.underlying and error.status say why")
    public static func dataLoadingFailed(matchStageLoadingInstead error: any Error) -> ImageLoadingError { none }

    /// No bytes.
    @available(*, unavailable, message: "match error.fault == .data")
    public static var dataIsEmpty: ImageLoadingError { none }

    /// Not an image.
    @available(*, unavailable, message: "match error.stage == .decoding, with error.fault == .data")
    public static var decoderNotRegistered: ImageLoadingError { none }

    /// Not an image.
    @available(*, unavailable, message: "match error.stage == .decoding, with error.fault == .data")
    public static func decoderNotRegistered(
        matchStageDecodingInstead context: ImageDecodingContext
    ) -> ImageLoadingError { none }

    /// The decoder's error.
    @available(*, unavailable, message: "match error.stage == .decoding")
    public static var decodingFailed: ImageLoadingError { none }

    /// The decoder's error.
    @available(*, unavailable, message: "match error.stage == .decoding")
    public static func decodingFailed(
        matchStageDecodingInstead decoder: any ImageDecoding, _ context: ImageDecodingContext, _ error: any Error
    ) -> ImageLoadingError { none }

    /// The processor's error.
    @available(*, unavailable, message: "match error.stage == .processing")
    public static var processingFailed: ImageLoadingError { none }

    /// The processor's error.
    @available(*, unavailable, message: "match error.stage == .processing")
    public static func processingFailed(
        matchStageProcessingInstead processor: any ImageProcessing, _ context: ImageProcessingContext,
        _ error: any Error
    ) -> ImageLoadingError { none }

    /// A request without an address.
    @available(*, unavailable, message: "match error.fault == .request")
    public static var imageRequestMissing: ImageLoadingError { none }

    /// A pipeline that takes no requests.
    @available(*, unavailable, message: "match error.fault == .pipeline")
    public static var pipelineInvalidated: ImageLoadingError { none }

    /// A body above the limit.
    @available(*, unavailable, message: "match error.fault == .limit")
    public static var dataDownloadExceededMaximumSize: ImageLoadingError { none }

    /// Stands for all of them, of which none is ever made.
    private static var none: ImageLoadingError {
        ImageLoadingError(.request, at: .request, source: "", message: "a name of Nuke's")
    }
}
