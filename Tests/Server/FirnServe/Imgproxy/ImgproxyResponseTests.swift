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
        #expect(format(nil, .gif, animated: true) == .webp)
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
