import FirnSystem

extension ImageRequest {
    /// The names under which a request's work and results are shared.
    struct Identities: Sendable {
        /// The resource: equal keys share a download.
        let resource: ResourceKey
        /// The result: equal keys share an image in the memory cache.
        let image: ImageCacheKey
        /// The original's key in the data cache.
        let data: String
        let location: SourceLocation
        var path: String? { location.path }
        var host: HostKey? { location.host }
    }

    /// The part of a request's identities that depends on its source alone. Computed once.
    struct SourceLocation: Sendable {
        /// The path of the image if it is a file of this machine; otherwise `nil`.
        let path: String?
        /// The host that the loader contacts; `nil` if no request is needed.
        let host: HostKey?

        init(_ source: ImageSource) {
            switch source.reader {
            case .file(let path): (self.path, host) = (path, nil)
            case .loader(let request): (path, host) = (nil, HostKey(address: request.url))
            case .inline, .bytes, .closure, .image, .nothing: (path, host) = (nil, nil)
            }
        }
    }

    package var imageCacheKey: ImageCacheKey { identities.image }

    /// Returns the request of a file with the number of its device, whose reads have a limit of their own.
    package func reading(fromFileSystem device: UInt64) -> ImageRequest { changed { $0.fileSystem = device } }

    package var dataCacheKey: String { identities.data }

    /// Identifies what a request loads and how: equal keys can share one task.
    ///
    /// Requests with equal image keys may differ in it: the address under an ``imageID``, the options for reading, and
    /// whether an incomplete image is allowed.
    package struct LoadKey: Hashable, Sendable {
        private let image: ImageCacheKey
        private let resource: ResourceKey
        private let allowsPartial: Bool

        fileprivate init(_ request: Storage) {
            image = request.identities.image
            resource = request.identities.resource
            allowsPartial = request.options.contains(.allowPartial)
        }

        /// Returns whether both load the same bytes in the same way, whatever is made of them.
        package func sharesBytes(with other: LoadKey) -> Bool { resource == other.resource }
    }

    package var loadKey: LoadKey { LoadKey(storage) }
}

extension ImageRequest.Identities {
    /// The identities of a changed request. The location of its source stays the same.
    init(_ request: ImageRequest.Storage) {
        self.init(
            request.source, request.identities.location, id: request.sourceID,
            name: request.cacheID ?? request.imageID ?? request.sourceID, request.processors, request.targetSize,
            request.options, request.pixelFormat, region: request.region,
            wantsOriginal: request.wantsBytes && request.rendering == nil)
    }

    /// - Parameters:
    ///   - id: the name of the source.
    ///   - name: replaces the address in cache keys.
    init(
        _ source: ImageSource, _ location: ImageRequest.SourceLocation, id: String?, name: String?,
        _ processors: [any ImageProcessing], _ targetSize: TargetSize?, _ options: ImageRequest.Options,
        _ format: PixelFormat = .bgra8Premultiplied, region: ImageRegion? = nil, wantsOriginal: Bool = false
    ) {
        let origin = Self.origin(source, id)
        // For a plain address, most keys are the address itself, so its hash is computed once.
        let hash = origin.hashValue
        let data = name.map { KeyText.escaped($0) } ?? origin
        // The size follows the part of the key that images of several sizes share.
        let layout = format == .bgra8Premultiplied ? data : data + "|" + format.rawValue
        let family = options.named.isEmpty ? layout : layout + Self.keyPart(of: options)
        let size = Self.keyPart(of: region, targetSize)
        let image: ImageCacheKey
        if processors.isEmpty {
            image =
                name == nil && size.isEmpty && format == .bgra8Premultiplied && options.named.isEmpty
                ? ImageCacheKey(family: family, hash: hash) : ImageCacheKey(family: family, size: size)
        } else {
            image = ImageCacheKey(processors.reduce(into: family + size) { $0 += Self.keyPart(of: $1) })
        }
        // Requests that may not load, or may not read caches, cannot share the download of requests that may.
        let reading = options.intersection([
            .disableDiskCacheReads, .disableDiskCacheWrites, .reloadIgnoringCachedData, .returnCacheDataDontLoad,
            .untrustedAddress,
        ])
        // Decoders read files in parts; requests for the bytes need all of them in memory.
        let wantsFile = wantsOriginal && location.path != nil
        guard !reading.isEmpty || wantsFile else {
            self.init(resource: ResourceKey(text: origin, hash: hash), image: image, data: data, location: location)
            return
        }
        let resource = reading.isEmpty ? origin : "\(origin)|options=\(reading.rawValue)"
        self.init(
            resource: ResourceKey(wantsFile ? resource + "|bytes" : resource), image: image, data: data,
            location: location)
    }

    /// The part of a key for the options that change the pixels; empty for none.
    static func keyPart(of options: ImageRequest.Options) -> String {
        (options.contains(.keepColorProfile) ? "|profile" : "")
            + (options.contains(.allowEmbeddedPreview) ? "|preview" : "")
            + (options.contains(.includeGainMap) ? "|gainmap" : "")
            + (options.contains(.preserveHDR) ? "|hdr" : "")
    }

    /// The part of a key for a processor.
    static func keyPart(of processor: any ImageProcessing) -> String {
        let name = KeyText.escaped(processor.identifier)
        return "|" + (isReserved(name) ? KeyText.mark : "") + name
    }

    /// Returns whether the identifier of a processor looks like another part of a key.
    private static func isReserved(_ name: String) -> Bool {
        // All parts that are no processors begin with a lower-case letter, and Firn's own processors with `firn/`.
        if name.hasPrefix("firn/") { return false }
        return ["size=", "region=", "options=", "revision="].contains { name.hasPrefix($0) }
            || ["profile", "preview", "gainmap", "tiles", "bytes"].contains(name) || PixelFormat(rawValue: name) != nil
    }

    /// Returns whether a key of a cache belongs to the source that has the key `data`, whatever was made of it.
    static func isKey(_ key: String, of data: String) -> Bool {
        let (key, data) = (key.utf8, data.utf8)
        guard key.count >= data.count, key.starts(with: data) else { return false }
        return key.count == data.count || key.dropFirst(data.count).first == UInt8(ascii: "|")
    }

    /// The part of a key for a region and a size; empty for every pixel.
    static func keyPart(of region: ImageRegion?, _ target: TargetSize?) -> String {
        let size = target.map { "|size=" + $0.keyText } ?? ""
        return region.map { "|region=" + $0.description + size } ?? size
    }

    /// Address, method and header fields; just the address for a plain GET.
    private static func origin(_ source: ImageSource, _ id: String?) -> String {
        switch source {
        case .address(let data):
            let revision = data.revision == 0 ? "" : "|revision=\(data.revision)"
            if data.method == "GET", data.headers.isEmpty, data.body == nil { return keyText(of: data.url) + revision }
            // The order of fields of different names has no meaning (RFC 9110 §5.3); that of one name does.
            let fields = data.headers.fields
                .map { (KeyText.escaped($0.name.lowercased(), "|\n:"), KeyText.escaped($0.value, "|\n")) }.enumerated()
                .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
                .map { "\n\($0.element.0): \($0.element.1)" }
            let body = data.body.map { "\n\n\($0.base64EncodedString())" } ?? ""
            return "\(KeyText.escaped(data.method, "|\n")) \(keyText(of: data.url))\(fields.joined())\(body)\(revision)"
        case .bytes, .closure: return "|id:" + KeyText.escaped(id ?? "")
        case .image: return "|image:" + KeyText.escaped(id ?? "")
        }
    }

    /// The key of a plain request for an address in the data cache.
    static func key(ofAddress address: String) -> String { keyText(of: address) }

    /// The address without its fragment, which names a part of what is loaded, and without the character that separates
    /// the parts of a key: otherwise `/a|size=…` could be taken for a size of `/a`.
    private static func keyText(of address: String) -> String {
        var address = address
        if has("#", address) {
            let isOther = ImageSource.Scheme(address) == .other
            address = isOther ? WebAddress.resource(of: address) : String(address.prefix { $0 != "#" })
        }
        guard has("|", address) else { return address }
        return address.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "%7C")
    }

    private static func has(_ mark: Unicode.Scalar, _ text: String) -> Bool {
        // Twice as fast as a search of the view, on the way of every request.
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, Int32(truncatingIfNeeded: mark.value), bytes.count) != nil } ?? false
        }
        return found ?? text.utf8.contains(UInt8(ascii: mark))
    }
}

extension TargetSize {
    /// The text of the target in keys and in identifiers of processors.
    var keyText: String {
        // Describing the enumeration would take ten times as long, because it looks up the names of the cases.
        size.description + "," + mode.rawValue + (upscale ? ",up" : "")
    }
}

extension ImageCacheKey {
    /// The key of a request's image in the memory cache of a pipeline without a delegate.
    ///
    /// ``ImagePipeline/Cache/makeImageCacheKey(for:)`` also asks the delegate.
    public init(request: ImageRequest) { self = request.imageCacheKey }
}

/// The identity of a request's bytes: method, address, header fields, and the caches that it may read.
///
/// The hash is computed once, when the request is created.
struct ResourceKey: Hashable, Sendable {
    let text: String
    let hash: Int

    static func == (a: ResourceKey, b: ResourceKey) -> Bool { a.hash == b.hash && a.text == b.text }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension ResourceKey {
    init(_ text: String) { self.init(text: text, hash: text.hashValue) }
}
