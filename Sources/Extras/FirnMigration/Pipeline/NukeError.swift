/// A case of Nuke's error enum, for patterns and comparisons: `case .dataMissingInCache`, `error == .dataIsEmpty`.
///
/// It cannot be thrown and has no associated values. ``/FirnPipeline/ImageLoadingError`` has the cause as `underlying`.
public struct NukeError: Sendable {
    let matches: @Sendable (ImageLoadingError) -> Bool

    /// Returns whether the error is one of a pipeline, and of this case.
    public static func ~= (pattern: NukeError, error: any Error) -> Bool {
        ImageLoadingError(error).map { pattern.matches($0) } ?? false
    }

    /// The image is not in the caches, and the request forbids loading it.
    public static var dataMissingInCache: NukeError {
        NukeError { $0.fault == .request && $0.stage == .loading && $0.underlying == nil }
    }
    /// The stage `loading` failed.
    public static var dataLoadingFailed: NukeError { NukeError { $0.stage == .loading && $0.underlying != nil } }
    /// The stage `decoding` failed, also because no decoder accepts the content.
    public static var decodingFailed: NukeError { NukeError { $0.stage == .decoding } }
    /// The stage `processing` failed.
    public static var processingFailed: NukeError { NukeError { $0.stage == .processing } }
    /// The request has no URL.
    public static var imageRequestMissing: NukeError { NukeError { $0.fault == .request && $0.stage == .request } }
    /// The pipeline was invalidated.
    public static var pipelineInvalidated: NukeError { NukeError { $0.fault == .pipeline } }
    /// The file is longer than the configuration's limit.
    public static var dataDownloadExceededMaximumSize: NukeError {
        NukeError { $0.fault == .limit && $0.stage == .loading }
    }
}

extension ImageLoadingError {
    /// ``NukeError/dataMissingInCache``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var dataMissingInCache: NukeError { .dataMissingInCache }
    /// ``NukeError/dataLoadingFailed``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var dataLoadingFailed: NukeError { .dataLoadingFailed }
    /// ``NukeError/decodingFailed``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var decodingFailed: NukeError { .decodingFailed }
    /// ``NukeError/processingFailed``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var processingFailed: NukeError { .processingFailed }
    /// ``NukeError/imageRequestMissing``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var imageRequestMissing: NukeError { .imageRequestMissing }
    /// ``NukeError/pipelineInvalidated``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var pipelineInvalidated: NukeError { .pipelineInvalidated }
    /// ``NukeError/dataDownloadExceededMaximumSize``, by the name that Nuke gives it in `ImagePipeline.Error`.
    public static var dataDownloadExceededMaximumSize: NukeError { .dataDownloadExceededMaximumSize }

    /// Returns whether the error is of this case.
    public static func ~= (pattern: NukeError, error: ImageLoadingError) -> Bool { pattern.matches(error) }

    /// Returns whether the error is of this case.
    public static func == (error: ImageLoadingError, pattern: NukeError) -> Bool { pattern.matches(error) }

    /// Returns whether the error is of another case.
    public static func != (error: ImageLoadingError, pattern: NukeError) -> Bool { !pattern.matches(error) }
}
