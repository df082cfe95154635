struct LoadSource: Sendable {
    /// The origin of its bytes.
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
    var isListed = false
    /// The header fields of the request for an address.
    var headers = HTTPHeaderFields()
    /// The folder of a file, relative to the folder argument; empty for the folder itself and for other sources.
    var branch = ""
    /// The path of a file on this machine.
    var path: String?
    /// The bytes from the standard input or another descriptor, or those that were loaded.
    var data: Data?
    /// The reason why an argument is not a source; `nil` for a source.
    var failure: String?

    /// True if it needs no pipeline: a file, bytes, or a failure.
    var isLocal: Bool { path != nil || data != nil || failure != nil }

    var request: ImageRequest {
        if let data { return ImageRequest(id: "firn:\(name)", data: data) }
        if let path { return ImageRequest(path: LoadSource.absolute(path)) }
        return ImageRequest(url: name, options: isListed ? .untrustedAddress : [], headers: headers)
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

    /// Returns the full name for JSON, by which programs find the source. A path that is not UTF-8 becomes its `file:`
    /// address, which can be loaded.
    func jsonName(_ redaction: AddressRedaction) -> String {
        if let path, !SystemPath.isText(path) { return FileAddress.url(ofPath: path) }
        return place == .inline ? name : redaction.address(name)
    }

    private static func place(of text: String) -> Place {
        guard let colon = text.firstIndex(of: ":") else { return .file }
        // The URL standard ignores tabs and line breaks.
        let scheme = text[..<colon].lowercased().filter { !"\t\n\r\r\n".contains($0) }
        return switch scheme {
        case "http", "https": .network
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

extension LoadSource {
    /// Creates a source of an address or a path. White space around an address is ignored.
    ///
    /// Text that looks like an address but names an existing file, such as `data:x.png`, is a path unless it contains
    /// `://`.
    init(_ argument: String, isListed: Bool) {
        let address = WebAddress.trimmed(argument)
        let isPath = !argument.contains("://") && FileKind(argument) != .missing
        let place = isPath ? .file : LoadSource.place(of: address)
        let isFileAddress = !isPath && address.lowercased().hasPrefix("file:")
        let text = place == .file && !isFileAddress ? argument : address
        let path = isFileAddress ? FileAddress.path(of: text) : text
        let label =
            switch place {
            case .file: LoadSource.named(PathText.split(path).name)
            case .network: LoadSource.named(LoadSource.lastPart(of: text))
            case .inline, .standardInput: place.rawValue
            }
        self.init(name: text, label: label, place: place, isListed: isListed, path: place == .file ? path : nil)
    }

    /// Creates the source of a file with any path.
    init(path: String, branch: String = "") {
        let label = LoadSource.named(PathText.split(path).name)
        self.init(name: path, label: label, place: .file, branch: branch, path: path)
    }

    /// Creates the entry of an argument that is not a source.
    init(failed name: String, _ reason: String) {
        self.init(name: name, label: PathText.split(name).name, place: .file, failure: reason)
    }

    /// Creates a source of bytes from the standard input, named `-`, or from another descriptor.
    init(data: Data, name: String) { self.init(name: name, label: "stdin", place: .standardInput, data: data) }
}
