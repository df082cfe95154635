import FirnSync
import HTTPTypes

/// What of a request decides about its image: the target, and the fields that imgproxy's language reads.
struct AskedWords: Hashable, Sendable {
    let target: String
    let accept: String
    let dpr: String?
    let width: String?

    init(_ target: String, _ headers: HTTPFields) {
        self.target = target
        accept = headers[.accept] ?? ""
        dpr = headers.value(AskedWords.dprNames)
        width = headers.value(AskedWords.widthNames)
    }

    private static let dprNames = ["Sec-CH-DPR", "DPR"].compactMap { HTTPField.Name($0) }
    private static let widthNames = ["Sec-CH-Width", "Width"].compactMap { HTTPField.Name($0) }

    var length: Int { target.utf8.count + accept.utf8.count + (dpr?.utf8.count ?? 0) + (width?.utf8.count ?? 0) }

    /// Checks the signature, and reads the target.
    func read(_ parser: ImgproxyParser, now: Int) throws(ServeError) -> AskedImage {
        let hints = ImgproxyClientHints(dpr: dpr, width: width)
        let request = try parser.parse(target: target, now: now, hints: hints)
        return AskedImage(ImgproxyRendering(request: request, settings: parser.settings, accept: accept))
    }
}

extension HTTPFields {
    /// Returns the first of several fields.
    fileprivate func value(_ names: [HTTPField.Name]) -> String? {
        for name in names { if let value = self[name] { return value } }
        return nil
    }
}

/// A request whose signature was checked, and which was read.
struct AskedImage: Sendable {
    private let rendering: ImgproxyRendering
    /// The text that requests with equal results share.
    private let key: String

    init(_ rendering: ImgproxyRendering) {
        self.rendering = rendering
        key = rendering.key
    }

    var request: ImgproxyRequest { rendering.request }

    /// Returns the work, for the source as it is now.
    func job(_ settings: ServeSettings) throws(ServeError) -> ResultJob {
        ResultJob(source: try SourceReference(request.source, settings), options: key) {
            [rendering] (source) throws(ServeError) in
            try rendering.plan(source)
        }
    }
}
