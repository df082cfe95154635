import Firn
import FirnReport

/// One picture to load.
struct LoadSource: Sendable {
    /// Where its bytes are.
    enum Place: String, Sendable {
        case file
        case network
        case inline = "data"
    }

    /// The source as it was given; for a file of a folder, its path.
    let name: String
    /// What people call it: the last part of the path or address.
    let label: String
    /// Where its bytes are.
    let place: Place
    /// Whether it stands in a list: somebody else may have written it.
    let isListed: Bool

    /// Tells addresses from paths.
    init(_ text: String, isListed: Bool = false) {
        name = text
        self.isListed = isListed
        let scheme = text.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "http", "https": place = text.contains("://") ? .network : .file
        case "file": place = .file
        case "data": place = .inline
        default: place = LoadSource.isAddress(text) ? .network : .file
        }
        label = place == .inline ? "data" : LoadSource.lastPart(of: text, isPath: place == .file)
    }

    /// A request for it.
    var request: ImageRequest {
        if place == .file, !name.lowercased().hasPrefix("file:") {
            return ImageRequest(path: LoadSource.absolute(name))
        }
        var request = ImageRequest(url: name)
        if isListed { request.userInfo[LoadGuard.key] = true }
        return request
    }

    /// A path on this machine, if it is one.
    var path: String? {
        place == .file && !name.lowercased().hasPrefix("file:") ? name : nil
    }

    /// Length of its file, if it is one on this machine.
    var fileSize: Int? {
        path.flatMap { try? LocalFileSystem().status($0) }?.size
    }

    /// Whether text is an address of some scheme; the pipeline then says if it is none that can be fetched.
    private static func isAddress(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://") else { return false }
        let scheme = text[..<end.lowerBound]
        return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func lastPart(of text: String, isPath: Bool) -> String {
        var rest = Substring(text)
        if !isPath { rest = rest.prefix { $0 != "?" && $0 != "#" } }
        let part = rest.split(separator: "/").last.map(String.init) ?? ""
        return part.isEmpty ? "picture" : part
    }

    /// `file:` addresses are absolute.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : PathText.join(CurrentFolder.path, path)
    }
}
