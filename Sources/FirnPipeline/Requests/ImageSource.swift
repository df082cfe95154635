import FirnData
import FirnImage
import FoundationEssentials

/// Where the bytes of a request come from.
enum ImageSource: Sendable {
    /// An address that the loader, or the engine itself (`file:`, `data:`), reads.
    case address(DataRequest)
    /// Bytes that are there already.
    case bytes(Data)
    /// A closure of the caller's, run off the drawing thread.
    case closure(@Sendable () async throws -> Data)
    /// A closure of the caller's that makes the image itself: nothing is read and nothing decoded.
    case image(@Sendable () async throws -> ImageContainer)

    /// Who reads the bytes.
    enum Reader {
        case file(path: String)
        case inline(url: String)
        case bytes(Data)
        case loader(DataRequest)
        case closure(@Sendable () async throws -> Data)
        case image
    }

    /// Who reads the bytes, by the address' scheme.
    var reader: Reader {
        switch self {
        case .bytes(let data): return .bytes(data)
        case .closure(let body): return .closure(body)
        case .image: return .image
        case .address(let request):
            switch Scheme(request.url) {
            case .file: return .file(path: FileAddress.path(of: request.url))
            case .data: return .inline(url: request.url)
            case .other: return .loader(request)
            }
        }
    }

    /// What an address begins with, as far as that says who reads it.
    enum Scheme {
        case file, data, other

        init(_ url: String) {
            // The first letter tells most; to compare a prefix costs twenty times as much.
            switch url.utf8.first {
            case UInt8(ascii: "f") where url.hasPrefix("file:"): self = .file
            case UInt8(ascii: "d") where url.hasPrefix("data:"): self = .data
            default: self = .other
            }
        }
    }
}
