import Foundation
import FirnSync
import FoundationNetworking

// Forwards the calls of Firn's pipeline to Nuke's methods.
extension NukeDelegate {
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
                pending.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }?.resume(returning: data)
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
