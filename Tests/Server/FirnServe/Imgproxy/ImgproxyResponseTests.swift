import FirnImage
@testable import FirnServe
import Testing

@Suite struct ImgproxyResponseTests {
    @Test func dispositionsAreEscaped() throws {
        let parser = ImgproxyParser(settings: ImgproxyVectors.settings())
        let vector = ImgproxyVectors.all[5]
        var request = try parser.parse(target: "/\(vector.signature)\(vector.path)", now: 1)
        #expect(
            ImgproxyHeaders.contentDisposition(request: request, format: .jpeg)
                == "attachment; filename=\"Käse.jpg.jpg\"; filename*=UTF-8''K%C3%A4se.jpg.jpg")
        request.options = ImgproxyOptions()
        #expect(
            ImgproxyHeaders.contentDisposition(request: request, format: .png) == "inline; filename=\"b.png\"")
        request.options.filename = "a\r\nX: \"\\"
        #expect(
            ImgproxyHeaders.contentDisposition(request: request, format: .png)
                == "inline; filename=\"a__X: %22%5C.png\"")
    }

    @Test(arguments: [
        ("local:///a%20b.jpg", "a%20b"), ("local:///q?x.jpg", "q?x"), ("local:///q#x.jpg", "q#x"),
        ("s3://bucket/k/a%2Fb.jpg", "a%2Fb"), ("http://h/a%20b.jpg?x=/y.png", "a b"), ("https://h/", "image"),
        ("http://h/%FF.jpg", "\u{FFFD}"),
    ])
    func `names are decoded once`(_ source: String, _ stem: String) {
        let request = ImgproxyRequest(source: source, options: ImgproxyOptions())
        let disposition = ImgproxyHeaders.contentDisposition(request: request, format: .png)
        #expect(disposition.hasPrefix("inline; filename=\"\(stem).png\""), "\(disposition)")
    }

    @Test func `Cache-Control follows the rule`() {
        #expect(ImgproxyHeaders.cacheControl(timeToLive: 60, now: 1) == "max-age=60, public")
        #expect(ImgproxyHeaders.cacheControl(timeToLive: 60, expires: 11, now: 1) == "max-age=10, public")
        #expect(ImgproxyHeaders.cacheControl(timeToLive: 0, now: 1) == "no-cache")
        func bounded(_ terms: SourceTerms, expires: Int? = nil) -> String {
            ImgproxyHeaders.cacheControl(timeToLive: 60, expires: expires, terms: terms, now: 100)
        }
        #expect(bounded(SourceTerms(freshUntil: 130)) == "max-age=30, public")
        #expect(bounded(SourceTerms(freshUntil: 130), expires: 110) == "max-age=10, public")
        #expect(bounded(SourceTerms(freshUntil: 999)) == "max-age=60, public")
        #expect(bounded(SourceTerms(freshUntil: 100)) == "no-cache")
        #expect(bounded(SourceTerms(freshUntil: 130, isPrivate: true)) == "max-age=30, private")
        #expect(bounded(SourceTerms(freshUntil: 90, isPrivate: true)) == "private, no-cache")
        #expect(bounded(SourceTerms(isPrivate: true, forbidsStoring: true)) == "private, no-store")
    }

    @Test(
        arguments: [
            ("image/webp;q=0", nil), ("image/webp; Q=0.000", nil), ("IMAGE/WEBP", .webp), ("image/*, */*", nil),
            ("image/webpx", nil), ("image/webp;q=0.9,image/avif;q=0.5", .webp), ("image/webp,image/avif", .avif),
            ("image/webp;q=x", nil), ("image/webp;v=1;q=0.1", .webp), ("", nil),
        ] as [(String, ImgproxyFormat?)])
    func `Accept is read with its quality values`(_ accept: String, _ expected: ImgproxyFormat?) {
        var settings = ImgproxySettings()
        settings.automaticFormats = [.webp, .avif]
        #expect(settings.accepted(accept) == expected)
    }

    @Test func `formats are negotiated`() {
        var settings = ImgproxySettings()
        settings.automaticFormats = [.webp, .avif]
        let accept = "image/webp;q=0,image/avif,image/jxl"
        func format(_ wanted: ImgproxyFormat?, _ source: ImgproxyFormat, animated: Bool = false) -> ImgproxyFormat {
            settings.format(
                requested: wanted, accept: accept, source: source, isAnimated: animated, hasAlpha: true)
        }
        #expect(format(nil, .jpeg) == .avif)
        // The client refuses WebP.
        #expect(format(nil, .gif, animated: true) == .gif)
        #expect(format(.png, .jpeg) == .png)
        #expect(format(nil, .svg) == .svg)
        #expect(settings.vary == "Accept")
        settings.enforcedFormats = [.jxl]
        #expect(format(.png, .jpeg) == .jxl)
        settings.enforcedFormats = []
        settings.automaticFormats = []
        #expect(format(nil, .bmp) == .png)
        #expect(format(nil, .webp, animated: true) == .gif)
        #expect(settings.vary == nil)
    }
}
