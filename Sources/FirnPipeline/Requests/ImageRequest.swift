public import FirnData
public import FirnImage
public import FoundationEssentials

/// What picture is wanted, from where, how, and how soon.
///
/// A value: cheap to copy, and made once it can be used any number of times. Identities (cache keys, what is shared
/// with other requests) are computed when it is made or changed, not when it is loaded.
public struct ImageRequest: Sendable, CustomStringConvertible {
    private var storage: Storage

    /// A request for the picture at `url`.
    public init(
        url: URL, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil
    ) {
        self.init(
            url: url.absoluteString, processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// A request for the picture at the address `url`.
    ///
    /// The text is not checked here: an address that cannot be used makes the load fail with fault `request`.
    public init(
        url: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil
    ) {
        self.init(
            dataRequest: DataRequest(url: url), processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// A request for the picture in the file at `path`.
    public init(
        path: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil
    ) {
        self.init(
            url: FileAddress.url(ofPath: path), processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// A request with a method and header fields of its own, which are part of its identity.
    public init(
        dataRequest: DataRequest, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], targetSize: TargetSize? = nil
    ) {
        storage = Storage(
            source: .address(dataRequest), imageID: nil, processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// A request for a picture whose bytes are at hand.
    ///
    /// - Parameter id: identifies the bytes: requests with equal ids share work and cache entries.
    public init(
        id: String, data: Data, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], targetSize: TargetSize? = nil
    ) {
        storage = Storage(
            source: .bytes(data), imageID: id, processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// A request for a picture whose bytes a closure fetches.
    ///
    /// - Parameters:
    ///   - id: identifies what the closure returns: requests with equal ids share work and cache entries.
    ///   - data: called at most once for all requests that share the work, on the concurrent executor; cancelled with the last of them.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil, data: @escaping @Sendable () async throws -> Data
    ) {
        storage = Storage(
            source: .closure(data), imageID: id, processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// The changes made to the decoded picture, in order.
    public var processors: [any ImageProcessing] {
        get { storage.processors }
        set { change { $0.processors = newValue } }
    }

    /// The size wanted, of the displayed picture. The decoder decodes no more pixels than this needs, and the picture
    /// handed to the processors has exactly `targetSize.resolved(for:)` pixels. `nil` for every pixel.
    public var targetSize: TargetSize? {
        get { storage.targetSize }
        set { change { $0.targetSize = newValue } }
    }

    /// Layout of the pixels. Default: `bgra8Premultiplied`, the screen's.
    public var pixelFormat: PixelFormat {
        get { storage.pixelFormat }
        set { change { $0.pixelFormat = newValue } }
    }

    /// Takes the place of the address in cache keys: for addresses with a signature or a token that changes.
    public var imageID: String? {
        get { storage.imageID }
        set { change { $0.imageID = newValue } }
    }

    /// What the request may read and write.
    public var options: Options {
        get { storage.options }
        set { change { $0.options = newValue } }
    }

    /// How urgent it is when a task is made of it. Later changes go to ``ImageTask/priority``.
    public var priority: Priority {
        get { storage.priority }
        set { change { $0.priority = newValue } }
    }

    /// What is sent, where the request has an address.
    public var dataRequest: DataRequest? {
        if case .address(let request) = storage.source { request } else { nil }
    }

    /// The address or the id.
    public var description: String {
        switch storage.source {
        case .address(let request): request.url
        case .bytes, .closure: storage.imageID ?? ""
        }
    }

    var source: ImageSource { storage.source }
    var identities: Identities { storage.identities }
    /// Bit set of options and priority without a copy-on-write check.
    var readsMemory: Bool { storage.options.readsMemory }

    private mutating func change(_ body: (Storage) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
        body(storage)
        storage.identities = Identities(storage)
    }
}

extension ImageRequest {
    /// Safety: changed only by `change`, while no other request shares it.
    final class Storage: @unchecked Sendable {
        let source: ImageSource
        var imageID: String?
        var processors: [any ImageProcessing]
        var targetSize: TargetSize?
        var pixelFormat = PixelFormat.bgra8Premultiplied
        var options: Options
        var priority: Priority
        var identities = Identities.none

        init(
            source: ImageSource, imageID: String?, processors: [any ImageProcessing], priority: Priority,
            options: Options, targetSize: TargetSize?
        ) {
            self.source = source
            self.imageID = imageID
            self.processors = processors
            self.priority = priority
            self.options = options
            self.targetSize = targetSize
            identities = Identities(self)
        }

        init(copying other: Storage) {
            source = other.source
            imageID = other.imageID
            processors = other.processors
            targetSize = other.targetSize
            pixelFormat = other.pixelFormat
            options = other.options
            priority = other.priority
            identities = other.identities
        }
    }
}
