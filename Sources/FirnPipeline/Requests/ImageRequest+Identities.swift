import FirnData
package import FirnImage
import FoundationEssentials

extension ImageRequest {
    /// The names under which a request's work and results are shared.
    struct Identities: Sendable {
        /// What is read: equal keys are one download.
        let resource: ResourceKey
        /// What results: equal keys are one picture in the memory cache.
        let image: ImageCacheKey
        /// The original's key in the data cache.
        let data: String
        /// Where it is.
        let place: Place
        var path: String? { place.path }
        var host: HostKey? { place.host }

        static let none = Identities(
            resource: ResourceKey(""), image: ImageCacheKey(""), data: "", place: Place(path: nil, host: nil))
    }

    /// What of a request's names hangs on its source alone, which never changes: found out once.
    struct Place: Sendable {
        /// Where the picture is, if that is a file of this machine.
        let path: String?
        /// Whom the loader asks; `nil` where nobody has to be asked.
        let host: HostKey?
    }

    /// The key of the picture in the memory cache.
    package var imageCacheKey: ImageCacheKey { identities.image }

    /// The key of the original in the data cache.
    package var dataCacheKey: String { identities.data }
}

extension ImageRequest.Identities {
    /// - Parameter place: where the same source is, if that is known.
    init(_ request: ImageRequest.Storage, place: ImageRequest.Place? = nil) {
        let origin = Self.origin(request)
        let data = request.cacheID ?? request.imageID ?? request.sourceID ?? origin
        // The size comes behind all that pictures of several sizes have in common.
        let format = request.pixelFormat
        let family = format == .bgra8Premultiplied ? data : data + "|" + format.rawValue
        let size = Self.text(of: request.targetSize)
        let image: ImageCacheKey
        if request.processors.isEmpty {
            image = ImageCacheKey(family: family, size: size)
        } else {
            image = ImageCacheKey(request.processors.reduce(into: family + size) { $0 += "|\($1.identifier)" })
        }
        // Requests that may not load, or must not read, cannot share the download of those that may and do.
        let reading = request.options.intersection([
            .disableDiskCacheReads, .disableDiskCacheWrites, .reloadIgnoringCachedData, .returnCacheDataDontLoad,
        ])
        var resource = reading.isEmpty ? origin : "\(origin)|options=\(reading.rawValue)"
        // Decoders read files where they need them; who wants the bytes wants them all in memory.
        if request.wantsBytes, request.source.isFile { resource += "|bytes" }
        self.init(
            resource: ResourceKey(resource), image: image, data: data,
            place: place ?? ImageRequest.Place(path: request.source.path, host: request.source.host))
    }

    /// What a size adds to a key; nothing for every pixel.
    static func text(of target: TargetSize?) -> String {
        // Not by printing the enumerations, which looks up their cases' names at run time: ten times as slow.
        target.map { "|size=" + $0.size.description + "," + $0.mode.rawValue + ($0.upscale ? ",up" : "") } ?? ""
    }

    /// Address, method and header fields; just the address for a plain GET.
    private static func origin(_ request: ImageRequest.Storage) -> String {
        switch request.source {
        case .address(let data):
            if data.method == "GET", data.headers.isEmpty, data.body == nil { return data.url }
            // The order of fields of different names says nothing (RFC 9110 §5.3); of one name it does.
            let fields = data.headers.fields.map { ($0.name.lowercased(), $0.value) }.enumerated()
                .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
                .map { "\n\($0.element.0): \($0.element.1)" }
            let body = data.body.map { "\n\n\($0.base64EncodedString())" } ?? ""
            return "\(data.method) \(data.url)\(fields.joined())\(body)"
        case .bytes, .closure: return "id:\(request.sourceID ?? "")"
        case .image: return "image:\(request.sourceID ?? "")"
        }
    }
}
