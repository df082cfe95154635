@_exported public import Firn
import Foundation
public import FoundationNetworking
import FirnSync

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

    // Forwards the calls of Firn's pipeline to Nuke's methods.

    /// Calls ``willLoadData(for:urlRequest:pipeline:)``, and sends its address, method, header fields and body.
    ///
    /// - Throws: `URLError.badURL` if the address is not a URL, so that no request is sent unsigned.
    public func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest {
        guard let original = URLRequest(dataRequest) else { throw URLError(.badURL) }
        let sent = try await willLoadData(for: request, urlRequest: original, pipeline: pipeline)
        let changed = DataRequest(sent)
        var result = dataRequest
        if sent.url != original.url { result.url = changed.url }
        if sent.httpMethod != original.httpMethod { result.method = changed.method }
        if sent.httpBody != original.httpBody { result.body = changed.body }
        if sent.allHTTPHeaderFields != original.allHTTPHeaderFields { result.headers = changed.headers }
        return result
    }

    /// Calls both of Nuke's methods, one after the other.
    public func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? {
        let replaced = await willCache(data: data, image: nil, for: request, pipeline: pipeline)
        guard let replaced else { return nil }
        return await withCheckedContinuation { continuation in
            let pending = Locked<CheckedContinuation<Data?, Never>?>(continuation)
            willCache(data: replaced, image: nil, for: request, pipeline: pipeline) { data in
                pending.withLock { $0.take() }?.resume(returning: data)
            }
        }
    }

    /// Returns the encoder of Nuke's method, or the configuration's.
    public func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> (any ImageEncoding)? {
        let encoder: any ImageEncoding = imageEncoder(for: context, pipeline: pipeline)
        return encoder is ConfiguredEncoder ? pipeline.configuration.makeImageEncoder(context) : encoder
    }

    /// Calls the method of the event. A type that implements this method receives every event here, and no other call.
    public func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
        switch event {
        case .progress(let progress): imageTask(task, didUpdateProgress: progress, pipeline: pipeline)
        case .preview(let response): imageTask(task, didReceivePreview: response, pipeline: pipeline)
        case .finished(.failure(let error)) where error.fault == .cancelled:
            imageTaskDidCancel(task, pipeline: pipeline)
        case .finished(let result): imageTask(task, didCompleteWithResult: result, pipeline: pipeline)
        }
    }
}

/// A placeholder for the encoder of a delegate that chooses none. Never encodes.
struct ConfiguredEncoder: ImageEncoding {
    var format: ImageFormat { ImageFormat(rawValue: "unknown") }

    func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        throw ImageError(.image, at: .encoding, "the delegate chooses no encoder", format: format)
    }
}
