import Firn
import FirnReport
import FoundationEssentials

/// One image to load.
struct LoadSource: Sendable {
    /// Where its bytes are.
    enum Place: String, Sendable {
        case file
        case network
        case inline = "data"
        case standardInput = "stdin"
    }

    /// The source as it was given; for a file of a folder, its path.
    let name: String
    /// What people call it: the last part of the path or address, decoded.
    let label: String
    /// Where its bytes are.
    let place: Place
    /// Whether it is from a list, which may be untrusted.
    let isListed: Bool
    /// Where a file lies, below the folder that was given; empty for the folder itself and for all else.
    let branch: String
    /// A path on this machine, if it is one.
    let path: String?
    /// The bytes, where they came over the standard input.
    let data: Data?

    /// Tells addresses from paths.
    ///
    /// - Parameter branch: where the file lies below the folder that was given.
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

    /// A file, whatever its path looks like.
    init(path: String, branch: String = "") {
        name = path
        self.path = path
        self.branch = branch
        label = LoadSource.named(PathText.split(path).name)
        place = .file
        isListed = false
        data = nil
    }

    /// What came over the standard input.
    init(standardInput data: Data) {
        (name, label, place, isListed, branch, path) = ("-", "stdin", .standardInput, false, "", nil)
        self.data = data
    }

    /// A request for it.
    var request: ImageRequest {
        if let data { return ImageRequest(id: "firn:stdin", data: data) }
        if let path { return ImageRequest(path: LoadSource.absolute(path)) }
        return ImageRequest(url: name, options: isListed ? .untrustedAddress : [])
    }

    /// Length of its file, if it is one on this machine.
    var fileSize: Int? { data?.count ?? path.flatMap { try? LocalFileSystem().status($0) }?.size }

    /// What tells it from other sources, for good; `nil` for what comes over the standard input.
    var identity: String? {
        switch place {
        case .file: path.map { FileAddress.url(ofPath: LoadSource.absolute($0)) }
        case .network, .inline: name
        case .standardInput: nil
        }
    }

    /// Its name for people and for scripts: addresses without secrets, `data:` addresses without their data.
    func shownName(_ redaction: AddressRedaction) -> String {
        place == .inline ? "\(name.prefix { $0 != "," }),…" : redaction.address(name)
    }

    /// Its name in JSON. A path that is not UTF-8 is written as its `file:` address, which can be loaded.
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

    /// Whether text is an address of some scheme; the pipeline then says if it is none that can be fetched.
    private static func isAddress(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://") else { return false }
        let scheme = text[..<end.lowerBound]
        return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// The last part of an address' path, decoded.
    private static func lastPart(of address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let part = path.split(separator: "/").last ?? ""
        return SystemPath.text(PercentEncoding.decoded(part.utf8))
    }

    private static func named(_ part: String) -> String { part.isEmpty ? "image" : part }

    /// `file:` addresses are absolute.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : PathText.join(CurrentFolder.path, path)
    }
}
