@_exported public import Firn
import Foundation
public import FoundationNetworking

/// A delegate that was written for Nuke.
///
/// Replace `ImagePipeline.Delegate` by `NukeDelegate` in the type's declaration; `ImagePipelineDelegate` is the same.
/// The methods here have Nuke's signatures and are called; the other methods of
/// ``/FirnPipeline/ImagePipeline/Delegate`` have the same signatures in both. `Scripts/check-migration` reports the
/// methods of Nuke that are never called.
///
/// Calls come on any thread, several at once.
public protocol NukeDelegate: ImagePipeline.Delegate {
    /// Called just before a request is sent, such as to sign it.
    ///
    /// - Returns: the request to send; its cache policy and timeout are not used. The default returns `urlRequest`.
    /// - Throws: any error; it becomes the cause of the request's failure.
    func willLoadData(
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest

    /// Called before bytes are stored in the data cache.
    ///
    /// - Parameter image: always `nil`: Firn stores the bytes of an image without it.
    /// - Returns: the bytes to store; `nil` to store nothing. The default returns `data`.
    func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline
    ) async -> Data?

    /// Called before bytes are stored in the data cache, after ``willCache(data:image:for:pipeline:)``.
    ///
    /// - Parameters:
    ///   - image: always `nil`.
    ///   - completion: is called with the bytes to store, or with `nil` to store nothing. Only its first call counts.
    ///     The default calls it with `data`.
    func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline,
        completion: @escaping (Data?) -> Void)

    /// The encoder of an image that the configuration's policy stores on disk. Default: the configuration's.
    func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding

    /// Called when bytes of a task have arrived.
    func imageTask(_ task: ImageTask, didUpdateProgress progress: ImageTask.Progress, pipeline: ImagePipeline)

    /// Called with each preview that a subscriber of the task gets.
    func imageTask(_ task: ImageTask, didReceivePreview response: ImageResponse, pipeline: ImagePipeline)

    /// Called when a task was cancelled.
    func imageTaskDidCancel(_ task: ImageTask, pipeline: ImagePipeline)

    /// Called when a task has ended, unless it was cancelled.
    func imageTask(
        _ task: ImageTask, didCompleteWithResult result: Result<ImageResponse, ImagePipeline.Error>,
        pipeline: ImagePipeline)
}

/// The name of ``NukeDelegate`` in Nuke 12.
public typealias ImagePipelineDelegate = NukeDelegate

// The defaults.
extension NukeDelegate {
    /// Returns the request unchanged.
    public func willLoadData(
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest { urlRequest }

    /// Returns the bytes unchanged.
    public func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline
    ) async -> Data? { data }

    /// Passes the bytes on unchanged.
    public func willCache(
        data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline,
        completion: @escaping (Data?) -> Void
    ) { completion(data) }

    /// Returns a placeholder for the configuration's encoder, since there may be none.
    public func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding {
        ConfiguredEncoder()
    }

    /// The default does nothing.
    public func imageTask(_ task: ImageTask, didUpdateProgress progress: ImageTask.Progress, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTask(_ task: ImageTask, didReceivePreview response: ImageResponse, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTaskDidCancel(_ task: ImageTask, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTask(
        _ task: ImageTask, didCompleteWithResult result: Result<ImageResponse, ImagePipeline.Error>,
        pipeline: ImagePipeline
    ) {}
}
