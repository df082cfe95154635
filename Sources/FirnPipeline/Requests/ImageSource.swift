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
    /// A closure of the caller's that makes the picture itself: nothing is read and nothing decoded.
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
            if request.url.hasPrefix("file:") {
                return .file(path: FileAddress.path(of: request.url))
            }
            if request.url.hasPrefix("data:") { return .inline(url: request.url) }
            return .loader(request)
        }
    }

    /// The path of a file of this machine.
    var path: String? {
        guard case .address(let request) = self, request.url.hasPrefix("file:") else { return nil }
        return FileAddress.path(of: request.url)
    }

    /// Whom the loader asks for the bytes.
    var host: HostKey? {
        guard case .loader(let request) = reader else { return nil }
        return HostKey(address: request.url)
    }

    /// Whether the bytes are a file's, which the data cache need not keep.
    var isFile: Bool {
        if case .address(let request) = self { request.url.hasPrefix("file:") } else { false }
    }
}
