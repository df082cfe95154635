import FirnData
import FirnImage
import FoundationEssentials

enum ImageSource: Sendable {
    /// An address that the loader, or the engine itself (`file:`, `data:`), reads.
    case address(DataRequest)
    case bytes(Data)
    /// A closure of the caller, run off the drawing thread.
    case closure(@Sendable () async throws -> Data)
    /// A closure of the caller that creates the image; nothing is read or decoded.
    case image(@Sendable () async throws -> ImageContainer)

    enum Reader {
        case file(path: String)
        case inline(url: String)
        case bytes(Data)
        case loader(DataRequest)
        case closure(@Sendable () async throws -> Data)
        case image
        /// The request has no address.
        case nothing
    }

    /// The part that reads the bytes, by the scheme of the address.
    var reader: Reader {
        switch self {
        case .bytes(let data): return .bytes(data)
        case .closure(let body): return .closure(body)
        case .image: return .image
        case .address(let request):
            switch Scheme(request.url) {
            case .file: return .file(path: FileAddress.path(of: request.url))
            case .data: return .inline(url: request.url)
            case .other: return ImageSource.isMissing(request.url) ? .nothing : .loader(request)
            }
        }
    }

    /// Returns an address in one way of writing it, with its scheme in lower case and no white space around it.
    static func normalized(_ address: String) -> String {
        if Scheme(address) != .other { return trimmed(address) }
        if let web = WebAddress.normalized(address) { return web }
        let rest = trimmed(address)
        guard let colon = rest.firstIndex(of: ":") else { return rest }
        let known = rest[...colon].lowercased()
        return Scheme(known) == .other ? rest : known + rest[rest.index(after: colon)...]
    }

    /// Returns whether an address stands for none.
    static func isMissing(_ address: String) -> Bool { address.isEmpty || address == ImageRequest.noAddress }

    private static func trimmed(_ address: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = address.utf8.first, let last = address.utf8.last, isSpace(first) || isSpace(last) else {
            return address
        }
        let start = address.utf8.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(Substring(start[...$0])) } ?? ""
    }

    /// The scheme of an address, as far as it decides which part reads it.
    enum Scheme {
        case file, data, other

        init(_ url: String) {
            // The first letter rules out most addresses. Comparing a prefix costs twenty times as much.
            switch url.utf8.first {
            case UInt8(ascii: "f") where url.hasPrefix("file:"): self = .file
            case UInt8(ascii: "d") where url.hasPrefix("data:"): self = .data
            default: self = .other
            }
        }
    }
}
