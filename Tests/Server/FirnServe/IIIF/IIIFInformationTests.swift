import FirnImage
@testable import FirnServe
import HTTPTypes
import Testing

@Suite struct IIIFInformationTests {
    @Test func `the document describes the server`() {
        let settings = IIIFCase.limited(side: 4000, area: 9_000_000)
        let geometry = IIIFGeometry(width: 1000, height: 700, settings: settings)
        let expected = """
            {"@context":"http://iiif.io/api/image/3/context.json","id":"https://h/iiif/a","type":"ImageService3",\
            "protocol":"http://iiif.io/api/image","profile":"level2","width":1000,"height":700,"maxWidth":4000,\
            "maxHeight":4000,"maxArea":9000000,"sizes":[{"width":500,"height":350},{"width":1000,"height":700}],\
            "tiles":[{"width":512,"height":512,"scaleFactors":[1,2]}],"extraQualities":["bitonal"],\
            "extraFormats":["tif","gif","webp"],"extraFeatures":["canonicalLinkHeader","mirroring","profileLinkHeader",\
            "sizeUpscaling"]}
            """
        #expect(IIIFInformation(uri: "https://h/iiif/a", geometry: geometry, version: .three).json == expected)
    }

    @Test func `the document of 2.1 has a list of profiles`() {
        let settings = IIIFCase.limited(side: 4000, area: 9_000_000)
        let geometry = IIIFGeometry(width: 1000, height: 700, settings: settings)
        let expected = """
            {"@context":"http://iiif.io/api/image/2/context.json","@id":"https://h/iiif2/a",\
            "protocol":"http://iiif.io/api/image","width":1000,"height":700,\
            "sizes":[{"width":500,"height":350},{"width":1000,"height":700}],\
            "tiles":[{"width":512,"height":512,"scaleFactors":[1,2]}],\
            "profile":["http://iiif.io/api/image/2/level2.json",{"formats":["jpg","png","tif","gif","webp"],\
            "qualities":["default","color","gray","bitonal"],"maxWidth":4000,"maxHeight":4000,"maxArea":9000000,\
            "supports":["canonicalLinkHeader","mirroring","profileLinkHeader","regionSquare","sizeAboveFull"]}]}
            """
        #expect(IIIFInformation(uri: "https://h/iiif2/a", geometry: geometry, version: .two).json == expected)
    }

    @Test func `text is escaped for JSON`() {
        let geometry = IIIFGeometry(width: 1, height: 1, settings: IIIFSettings())
        let json = IIIFInformation(uri: "\"\\\n\u{1}<é\u{2028}\u{7F}\r\n", geometry: geometry, version: .three).json
        #expect(json.contains(#""id":"\"\\\n\u0001\u003cé\u2028\u007f\r\n","#))
    }

    @Test(
        arguments: [
            (nil, true), ("", true), ("*/*", true), ("application/ld+json", true), ("application/json", false),
            ("APPLICATION/JSON ; q=1", false), ("application/json;q=0.5, application/ld+json", true),
            ("application/json, application/ld+json;q=0.9", false), ("application/json,application/ld+json", true),
            ("application/json;q=0", true), ("application/json;q=x", true), ("text/html,application/json;q=0.1", false),
            ("application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\", application/json;q=0.3", true),
            (",;,;;q=,", true),
        ] as [(String?, Bool)])
    func `the media type follows Accept`(accept: String?, isLinked: Bool) {
        let linked = "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\""
        #expect(IIIFHeaders.informationType(accept: accept, .three) == (isLinked ? linked : "application/json"))
    }

    @Test(
        arguments: [
            (nil, false), ("", false), ("*/*", false), ("application/json, text/javascript, */*; q=0.01", false),
            ("application/ld+json", true), ("application/ld+json, application/json;q=0.9", true),
            ("application/json, application/ld+json;q=0.9", false), ("application/ld+json;q=0", false),
        ] as [(String?, Bool)])
    func `version 2.1 is plain JSON unless Accept prefers JSON-LD`(accept: String?, isLinked: Bool) {
        let expected = isLinked ? "application/ld+json" : "application/json"
        #expect(IIIFHeaders.informationType(accept: accept, .two) == expected)
    }

    private func address(_ authority: String) -> PublicAddress {
        PublicAddress(HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/"), isTrusted: false)
    }

    @Test func `links are canonical`() throws {
        let base = try #require(address("[::1]:8080").iiif(.three))
        let request = try #require(try IIIFParser().parse(target: "/iiif/a%2fb%2D1/square/^!300,300/!90/color.png"))
        guard case .image(let image) = request.resource else {
            Issue.record("not an image")
            return
        }
        let plan = try IIIFGeometry(width: 100, height: 100, settings: IIIFCase.limited(side: 1000))
            .plan(for: image)
        #expect(
            base + request.identifier.encoded + plan.canonicalPath
                == "http://[::1]:8080/iiif/a%2Fb-1/full/%5E300,300/!90/default.png")
        #expect(base + request.requestedIdentifier == "http://[::1]:8080/iiif/a%2fb%2D1")
        #expect(address("[::1]:8080").iiif(.two) == "http://[::1]:8080/iiif2/")
    }

    @Test(
        arguments: ["", "a b", "a\r\nb", "a/b", "a>b", "u@h", "a\"", "é", String(repeating: "a", count: 256)]
    )
    func `hostile authorities are refused`(authority: String) {
        for version in IIIFVersion.allCases { #expect(address(authority).iiif(version) == nil) }
    }
}
