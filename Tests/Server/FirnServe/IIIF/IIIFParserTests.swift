import FirnImage
@testable import FirnServe
import Testing

@Suite struct IIIFParserTests {
    @Test(
        arguments: [
            ("a.jpg", "a.jpg", "a.jpg"), ("a%2Fb.jpg", "a/b.jpg", "a%2Fb.jpg"), ("a%2fb", "a/b", "a%2Fb"),
            ("%61%2D1", "a-1", "a-1"), ("a%252Fb", "a%2Fb", "a%252Fb"), ("a+b", "a+b", "a%2Bb"),
            ("%E2%82%AC", "€", "%E2%82%AC"), ("ark:1@2", "ark:1@2", "ark%3A1%402"),
            ("..a%2Fb..", "..a/b..", "..a%2Fb.."),
            ("%5B%5E%5C%3C", "[^\\<", "%5B%5E%5C%3C"), ("info.json", "info.json", "info.json"), ("...", "...", "..."),
        ] as [(String, String, String)])
    func `identifiers are decoded once`(segment: String, text: String, encoded: String) throws {
        for (suffix, resource) in [("", IIIFRequest.Resource.base), ("/info.json?x=/", .information)] {
            let request = try #require(try IIIFParser().parse(target: "/iiif/" + segment + suffix))
            #expect(request.identifier.text == text)
            #expect(request.identifier.encoded == encoded)
            #expect(request.requestedIdentifier == segment)
            #expect(request.resource == resource)
        }
    }

    @Test(
        arguments: [
            ("..", 404), (".", 404), ("%2e%2e", 404), ("..%2F..%2Fetc", 404), ("a%2F..%2Fb", 404), ("%2Fetc", 404),
            ("a%2F%2Fb", 404), ("a%2F", 404), ("a%00", 404), ("a%0D%0Ab", 404), ("%7F", 404), ("%FF", 400),
            ("%C0%AE%C0%AE", 400), ("%ED%A0%80", 400), ("%", 400), ("%2", 400), ("%zz", 400), ("[a]", 400),
            ("a^b", 400),
            ("a\\b", 400), ("<b>", 400), ("a\"b", 400), ("a b", 400), ("é", 400), ("", 404),
        ] as [(String, Int)])
    func `identifiers outside the root or with raw bytes are refused`(segment: String, status: Int) {
        #expect(IIIFCase.status(target: "/iiif/\(segment)/info.json") == status)
        #expect(IIIFCase.status(target: "/iiif/\(segment)/full/max/0/default.jpg") == status)
    }

    @Test func `identifiers have a largest length`() {
        #expect(IIIFCase.status(target: "/iiif/" + String(repeating: "a", count: 1024)) == 200)
        #expect(IIIFCase.status(target: "/iiif/" + String(repeating: "a", count: 1025)) == 404)
        #expect(IIIFCase.status(target: "/iiif/" + String(repeating: "%61", count: 1024)) == 200)
        #expect(IIIFCase.status(target: "/iiif/" + String(repeating: "%61", count: 100_000)) == 404)
    }

    @Test func `identifiers with different normalization differ`() throws {
        let composed = try #require(try IIIFParser().parse(target: "/iiif/%C3%A9"))
        let decomposed = try #require(try IIIFParser().parse(target: "/iiif/e%CC%81"))
        #expect(composed.identifier.text == decomposed.identifier.text)
        #expect(composed.identifier != decomposed.identifier)
    }

    @Test(
        arguments: [
            ("/iiif/", 404), ("/iiif/a/", 404), ("/iiif/a/info", 404), ("/iiif/a/info.json/", 404),
            ("/iiif/a/full", 404),
            ("/iiif/a/full/max/0", 404), ("/iiif/a/b/full/max/0/default.jpg", 404),
            ("/iiif//full/max/0/default.jpg", 404), ("/iiif/a/full/max/0/default.jpg/", 404),
            ("/iiif/a/inf%6F.json", 200), ("/iiif/a/full/max/0/default.jpg", 200), ("/iiif/a%3Fb?c", 200),
            ("/iiif/a/%66ull/%5Emax/%210/default%2Ejpg", 200), ("/iiif/a/full/^max/0/default.jpg", 200),
            ("/iiif/a/full/max/0/%", 400), ("/iiif/a//max/0/default.jpg", 400), ("/iiif/a/full/max/0/", 400),
        ] as [(String, Int)])
    func `only three shapes of paths are read`(target: String, status: Int) {
        #expect(IIIFCase.status(target: target) == status)
    }

    @Test func `other prefixes are left alone`() throws {
        for target in ["/", "", "/iiif", "/iiif2", "/iiif3/a", "/IIIF/a", "/x/iiif/a", "iiif/a"] {
            #expect(try IIIFParser().parse(target: target) == nil)
            #expect(RequestLanguage(target: target, prefix: "") == .imgproxy)
        }
    }

    @Test(arguments: [
        ("/iiif/a/full/max/0/default.jpg", IIIFVersion.three), ("/iiif2/a/full/full/0/default.jpg", .two),
    ])
    func `each version has a prefix of its own`(target: String, version: IIIFVersion) throws {
        let request = try #require(try IIIFParser().parse(target: target))
        #expect(request.version == version && request.identifier.text == "a")
        #expect(RequestLanguage(target: target, prefix: "") == .iiif)
        guard case .image(let image) = request.resource else {
            Issue.record("not an image")
            return
        }
        #expect(image.version == version)
        // Not 2.1, but an identifier with too many parts.
        #expect(IIIFCase.status(target: target.replacing(version.prefix, with: "/iiif/2/")) == 404)
    }

    @Test(arguments: [
        "^max", "^500,", "^pct:10", "^!5,5", "^full", "!full", "full,", "Full", "pct:full", "0,", "", "10",
    ])
    func `version 2.1 knows full and no caret`(size: String) {
        let error = IIIFCase.failure("full/\(size)/0/default.jpg", version: .two)
        #expect(error?.status == 400)
        #expect(error?.message.hasPrefix("size '\(size)': expected full, max") == true)
    }

    @Test(
        arguments: [
            ("region", "Full"), ("region", "0,0,1"), ("region", "0,0,1,1,"), ("region", "0,0,1,1,1"),
            ("region", "-1,0,1,1"),
            ("region", "+1,0,1,1"), ("region", "1.5,0,1,1"), ("region", "0,0,1e3,1"), ("region", " 0,0,1,1"),
            ("region", "0,,1,1"), ("region", "0,0,2147483648,1"), ("region", "99999999999999999999,0,1,1"),
            ("region", "pct:"), ("region", "pct:0,0,1"), ("region", "pct:0,0,1,-1"), ("region", "pct:0,0,1e1,1"),
            ("region", "pct:0,0,1..,1"), ("region", "pct:0,0,1.,1"), ("region", "pct:0,0,nan,1"),
            ("region", "pct:0,0,.,1"),
            ("region", "pct:0,0,1000001,1"), ("region", "PCT:0,0,1,1"), ("region", "full[]"), ("region", "^<\\"),
            ("region", "٣,0,1,1"),
            ("size", ""), ("size", "full"), ("size", "Max"), ("size", ","), ("size", "0,"), ("size", ",0"),
            ("size", "0,0"),
            ("size", "10"), ("size", "!10,"), ("size", "!,10"), ("size", "!max"), ("size", "!pct:10"), ("size", "-1,"),
            ("size", "1.5,"), ("size", "1,2,3"), ("size", "1,,2"), ("size", "pct:0"), ("size", "pct:"),
            ("size", "pct:-1"),
            ("size", "pct:1e1"), ("size", "pct:0x10"), ("size", "^"), ("size", "^^max"), ("size", "!^10,10"),
            ("size", "^0,"), ("size", "2147483648,"), ("size", "9999999999999999999999,1"), ("size", "!0,5"),
            ("rotation", ""), ("rotation", "-90"), ("rotation", "361"), ("rotation", "360.000001"),
            ("rotation", "!!90"),
            ("rotation", "90!"), ("rotation", "1e2"), ("rotation", "+90"), ("rotation", "22.5"), ("rotation", "!1"),
            ("rotation", "ninety"), ("rotation", "inf"), ("rotation", "9999999999999999999999"),
            ("quality", "gr\u{65}y"), ("quality", "native"), ("quality", "Default"), ("quality", ""),
            ("quality", "default.x"),
            ("format", "jpeg"), ("format", "JPG"), ("format", ""), ("format", "jp2"), ("format", "pdf"),
            ("format", "xyz"),
            ("format", "avif"),
        ] as [(String, String)])
    func `invalid parts are named`(part: String, value: String) {
        var parts = ["region": "full", "size": "max", "rotation": "0", "quality": "default", "format": "jpg"]
        parts[part] = value
        let order = ["region", "size", "rotation"].map { parts[$0] ?? "" }
        let file = (parts["quality"] ?? "") + "." + (parts["format"] ?? "")
        let error = IIIFCase.failure((order + [file]).joined(separator: "/"))
        // `^` is checked before the limits, but after the form.
        #expect(error?.status == 400)
        #expect(error?.message.hasPrefix("\(part) '") == true, "\(String(describing: error?.message))")
    }

    @Test func `messages contain printable characters only`() {
        let error = IIIFCase.failure("%0D%0A%22\u{E9}" + String(repeating: "a", count: 500) + "/max/0/default.jpg")
        #expect(error?.message.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
        #expect((error?.message.utf8.count ?? 0) < 160)
        #expect(error?.message.hasPrefix("region '??\"??aaa") == true)
    }

    @Test func `a file without a period is invalid`() {
        #expect(IIIFCase.failure("full/max/0/default")?.status == 400)
        #expect(IIIFCase.failure("full/max/0")?.status == 404)
    }
}
