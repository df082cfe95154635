import Firn
import FirnReport
import FoundationEssentials

struct LoadSource: Sendable {
    /// The kind of place of its bytes.
    enum Place: String, Sendable {
        case file
        case network
        case inline = "data"
        case standardInput = "stdin"
    }

    /// The source as given; the path for a file in a folder.
    let name: String
    /// A short name: the last part of the path or address, decoded.
    let label: String
    let place: Place
    /// True if it is from a list, which may be untrusted.
    let isListed: Bool
    /// The folder of a file, relative to the folder argument; empty for the folder itself and for other sources.
    let branch: String
    /// The path of a file on this machine.
    let path: String?
    /// The bytes from the standard input or another descriptor, or those that were loaded.
    private(set) var data: Data?

    /// Creates a source of an address or a path.
    ///
    /// - Parameter branch: the folder of the file, relative to the folder argument.
    init(_ text: String, isListed: Bool = false, branch: String = "") {
        name = text
        self.isListed = isListed
        self.branch = branch
        data = nil
        place = LoadSource.place(of: text)
        switch place {
        case .file:
            let path = text.lowercased().hasPrefix("file:") ? FileAddress.path(of: text) : text
            self.path = path
            label = LoadSource.named(PathText.split(path).name)
        case .network:
            path = nil
            label = LoadSource.named(LoadSource.lastPart(of: text))
        case .inline, .standardInput:
            path = nil
            label = place.rawValue
        }
    }

    /// Creates a source of a file, whatever its path looks like.
    init(path: String, branch: String = "") {
        name = path
        self.path = path
        self.branch = branch
        label = LoadSource.named(PathText.split(path).name)
        place = .file
        isListed = false
        data = nil
    }

    /// True if it needs no pipeline: a file, or bytes.
    var isLocal: Bool { path != nil || data != nil }

    func with(_ bytes: Data) -> LoadSource {
        var source = self
        source.data = bytes
        return source
    }

    /// Creates a source of bytes from the standard input, named `-`, or from another descriptor.
    init(data: Data, name: String) {
        (self.name, label, place, isListed, branch, path) = (name, "stdin", .standardInput, false, "", nil)
        self.data = data
    }

    var request: ImageRequest {
        if let data { return ImageRequest(id: "firn:\(name)", data: data) }
        if let path { return ImageRequest(path: LoadSource.absolute(path)) }
        return ImageRequest(url: name, options: isListed ? .untrustedAddress : [])
    }

    /// The length of the file, if it is on this machine.
    var fileSize: Int? { data?.count ?? path.flatMap { try? LocalFileSystem().status($0) }?.size }

    /// A permanent identity; `nil` for the standard input.
    var identity: String? {
        switch place {
        case .file: path.map { FileAddress.url(ofPath: LoadSource.absolute($0)) }
        case .network, .inline: name
        case .standardInput: nil
        }
    }

    /// Returns the name for messages: addresses without secrets, `data:` addresses without their data, long ones
    /// shortened.
    func shownName(_ redaction: AddressRedaction) -> String {
        if place == .inline { return "\(QuotedText.of(String(name.prefix { $0 != "," }))),…" }
        // Order: a shortened address could lack the sign that marks a password.
        return QuotedText.of(redaction.address(name))
    }

    /// Returns the name for JSON, whole, since programs find the source by it. A path that is not UTF-8 becomes its
    /// `file:` address, which can be loaded.
    func jsonName(_ redaction: AddressRedaction) -> String {
        if let path, !SystemPath.isText(path) { return FileAddress.url(ofPath: path) }
        return place == .inline ? name : redaction.address(name)
    }

    private static func place(of text: String) -> Place {
        switch text.prefix(while: { $0 != ":" }).lowercased() {
        case "http", "https": text.contains("://") ? .network : .file
        case "file": .file
        case "data": .inline
        default: isAddress(text) ? .network : .file
        }
    }

    /// Returns whether text is an address with a scheme. The pipeline reports unsupported schemes.
    private static func isAddress(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://") else { return false }
        let scheme = text[..<end.lowerBound]
        return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// Returns the last part of an address' path, decoded.
    private static func lastPart(of address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let part = path.split(separator: "/").last ?? ""
        return SystemPath.text(PercentEncoding.decoded(part.utf8))
    }

    private static func named(_ part: String) -> String { part.isEmpty ? "image" : part }

    /// Returns an absolute path, since `file:` addresses are absolute.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : PathText.join(CurrentFolder.path, path)
    }
}
