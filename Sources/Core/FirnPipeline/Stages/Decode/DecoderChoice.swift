import FirnSync
import Synchronization

/// Chooses decoders by content, and opens their sessions.
final class DecoderChoice: Sendable {
    /// The limits of decodes.
    let limits: ImageLimits
    private let configuration: ImagePipeline.Configuration
    private let choices: DelegateLink?
    private let emitter: EventEmitter
    /// True if the observers know that images are not isolated.
    private let hasReportedIsolation = Atomic<Bool>(false)

    init(_ configuration: ImagePipeline.Configuration, _ choices: DelegateLink?, _ emitter: EventEmitter) {
        self.configuration = configuration
        self.choices = choices
        self.emitter = emitter
        limits = configuration.limits
    }

    /// The decoder of content that starts with `head`, for the origin of the request.
    func decoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool = false, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        let chosen = chosenDecoder(head, response, isFromDisk: isFromDisk, for: request)
        guard request.origin == .loader, let aware = chosen as? any OriginAwareDecoding else { return chosen }
        if emitter.isObserved, !hasReportedIsolation.load(ordering: .relaxed),
            let problem = aware.isolationProblem(for: .loader),
            !hasReportedIsolation.exchange(true, ordering: .relaxed)
        {
            emitter.emit(.isolationUnavailable(problem, request))
        }
        return aware.decoder(for: .loader)
    }

    private func chosenDecoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        if choices == nil, configuration.decoderChoice == nil, RegisteredDecoders.shared.isEmpty {
            return configuration.decoders.first { $0.recognizes(head) != nil }
        }
        let context = ImageDecodingContext(
            request: request, data: head, response: response, cacheType: isFromDisk ? .disk : nil)
        if let choices { return choices.delegate.imageDecoder(for: context, pipeline: choices.pipeline) }
        return RegisteredDecoders.shared.decoder(for: context) ?? configuration.makeImageDecoder(context)
    }

    /// Opens a session for whole bytes.
    ///
    /// - Parameter limits: the limits of the session. Default: those of the pipeline.
    func open(
        _ bytes: FetchedBytes, _ request: ImageRequest, _ cancellation: CancellationFlag, _ limits: ImageLimits? = nil
    ) throws -> any ImageDecodingSession {
        let head = try bytes.head(ImageFormat.sniffLength)
        let session = try session(
            for: head, bytes.response, isFromDisk: bytes.isFromDisk, of: request, cancellation, limits)
        try bytes.feed(session)
        return session
    }

    /// Opens a session of the decoder that recognizes the first bytes.
    func session(
        for head: Data, _ response: DataResponse?, isFromDisk: Bool = false, of request: ImageRequest,
        _ cancellation: CancellationFlag, _ limits: ImageLimits? = nil
    ) throws -> any ImageDecodingSession {
        guard !head.isEmpty else { throw ImageError(.data, at: .decoding, "the source gave no bytes") }
        guard let decoder = self.decoder(head, response, isFromDisk: isFromDisk, for: request) else {
            throw UnknownContent.error(head)
        }
        return decoder.makeSession(limits: limits ?? self.limits, cancellation: cancellation)
    }

    /// Applies the limit to every decoder, also to one that ignores its own limits.
    ///
    /// - Throws: ``/FirnImage/ImageError`` of the fault `limit`.
    func checkMemory(_ needed: Int, _ properties: ImageProperties) throws(ImageError) {
        let most = limits.maximumWorkingBytes
        guard needed > most else { return }
        throw ImageError(
            .limit, at: .decoding, "decoding takes \(needed) bytes of memory; \(most) are allowed",
            format: properties.format, setting: "ImageLimits.maximumWorkingBytes")
    }
}

/// The data and the request that a decoder is chosen for.
public struct ImageDecodingContext: Sendable {
    /// The request that started the work; other requests may have joined it.
    public let request: ImageRequest
    /// The first bytes: ``/FirnImage/ImageFormat/sniffLength`` of them, or all if there are fewer.
    public let data: Data
    /// The response of the source; `nil` if no request was sent.
    public let response: DataResponse?
    /// The cache that the bytes come from; `nil` for loaded bytes.
    public let cacheType: ImageResponse.CacheType?

    /// Creates a context.
    public init(
        request: ImageRequest, data: Data, response: DataResponse? = nil, cacheType: ImageResponse.CacheType? = nil
    ) {
        self.request = request
        self.data = data
        self.response = response
        self.cacheType = cacheType
    }
}

/// The decoders of an `ImageDecoderRegistry` in FirnMigration.
package final class RegisteredDecoders: Sendable {
    /// Those that all pipelines of the process use before their own.
    package static let shared = RegisteredDecoders()

    /// Makes a decoder for content; `nil` if it does not support the content.
    package typealias Maker = @Sendable (ImageDecodingContext) -> (any ImageDecoding)?

    private let makers = Locked<[Maker]>([])
    private let count = Atomic<Int>(0)

    package init() {}

    /// True if nothing is registered, as in programs without FirnMigration. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Returns the decoder of the latest maker that supports the content. Makers are called without a lock.
    package func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        if isEmpty { return nil }
        for maker in makers.withLock({ $0 }) {
            if let decoder = maker(context) { return decoder }
        }
        return nil
    }

    /// Adds a maker. It is called before the earlier ones.
    package func register(_ maker: @escaping Maker) {
        makers.withLock {
            $0.insert(maker, at: 0)
            count.store($0.count, ordering: .relaxed)
        }
    }

    package func removeAll() {
        // Order: the makers are released without the lock.
        _ = makers.withLock { makers in
            defer { makers = [] }
            count.store(0, ordering: .relaxed)
            return makers
        }
    }
}
