/// The page that shows one IIIF image with deep zoom, and its assets.
///
/// The page has no inline code and loads only from its own server. All addresses are relative, so that it works behind
/// a proxy that serves it below another path and keeps `%2F`.
enum ViewerPage {
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

    /// Returns the resource of a request target: `/view/{id}`, `/view-assets/viewer.js` or
    /// `/view-assets/viewer.css`. A query is ignored. Returns nil for any other target.
    ///
    /// - Throws: ``ServeError`` with status 400 or 404 for an invalid identifier.
    static func resource(target: String) throws(ServeError) -> PageResource? {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        switch String(decoding: path, as: UTF8.self) {
        case "/view-assets/viewer.js": return asset("text/javascript; charset=utf-8", ViewerScript.text)
        case "/view-assets/viewer.css": return asset("text/css; charset=utf-8", ViewerScript.style)
        default: break
        }
        guard path.starts(with: "/view/".utf8) else { return nil }
        let segment = Array(path.dropFirst("/view/".utf8.count))
        guard !segment.contains(UInt8(ascii: "/")) else {
            throw .invalid("path", segment, "'/' in an identifier is written %2F", status: 404)
        }
        let identifier = try IIIFIdentifier(segment: segment)
        return PageResource(
            mediaType: "text/html; charset=utf-8", body: html(identifier), policy: policy, isConstant: false)
    }

    private static func asset(_ mediaType: String, _ body: String) -> PageResource {
        PageResource(mediaType: mediaType, body: body, policy: policy, isConstant: true)
    }

    private static func html(_ identifier: IIIFIdentifier) -> String {
        let label = MarkupText.escaped(identifier.text)
        let image = MarkupText.escaped(".." + IIIFVersion.three.prefix + identifier.encoded)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(label)</title>
            <link rel="icon" href="../view-assets/viewer.css">
            <link rel="stylesheet" href="../view-assets/viewer.css">
            <script src="../view-assets/viewer.js" defer></script>
            </head>
            <body>
            <main id="viewer" data-image="\(image)" data-state="loading">
            <canvas tabindex="0" role="img" aria-label="Image \(label)"></canvas>
            <div class="controls" role="group" aria-label="Zoom">
            <button type="button" data-key="+" aria-label="Zoom in" title="Zoom in (+)">+</button>
            <button type="button" data-key="-" aria-label="Zoom out" title="Zoom out (-)">&minus;</button>
            <button type="button" data-key="0" aria-label="Whole image" title="Whole image (0)">&#9633;</button>
            </div>
            <p id="status" role="status"></p>
            <noscript><p>This page needs JavaScript.</p></noscript>
            </main>
            </body>
            </html>

            """
    }
}

struct PageResource: Equatable, Sendable {
    /// The media type, with the charset.
    let mediaType: String
    let body: String
    /// The `Content-Security-Policy` of the response.
    let policy: String
    /// True if the content changes only with an upgrade of the server, so that clients may cache it.
    let isConstant: Bool
}
