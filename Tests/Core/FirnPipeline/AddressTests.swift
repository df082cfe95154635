import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

/// Tests that the ways to write an address are one address, and that those that browsers load are loaded.
@Suite(.timeLimit(.minutes(5))) struct AddressTests {
    @Test(arguments: [
        ("HTTP://Example.org:80/a#x", "http://example.org/a#y"),
        (" http://example.org/a b\n", "http://example.org/a%20b"),
        ("https://example.org/湖", "https://example.org/%E6%B9%96"), ("FILE:///a.png#x", "file:///a.png"),
        (" DATA:,x", "data:,x#y"),
    ])
    func `Two spellings of an address are one image and share a download`(a: String, b: String) {
        let (a, b) = (ImageRequest(url: a), ImageRequest(url: b))
        #expect(a.imageCacheKey == b.imageCacheKey)
        #expect(a.dataCacheKey == b.dataCacheKey)
        #expect(a.identities.resource == b.identities.resource)
    }

    @Test func `Other schemes stay as they are`() {
        #expect(ImageRequest(url: "app:Icon#1").imageCacheKey != ImageRequest(url: "app:Icon#2").imageCacheKey)
        #expect(ImageRequest(url: "App:Icon").dataRequest?.url == "App:Icon")
        #expect(ImageRequest(url: "http://").dataRequest?.url == "http://")
    }

    @Test func `The loader gets the address as it is sent`() async throws {
        let fixture = PipelineFixture()
        fixture.loader.respond(
            to: "http://example.org/%E6%B9%96%20b.png?sig=x%2By",
            with: ScriptedDecoder.image(PixelSize(width: 3, height: 2)))
        let image = try await fixture.pipeline.image(for: " HTTP://example.org/湖%20b.png?sig=x%2By ")
        #expect(image.size == PixelSize(width: 3, height: 2))
    }

    @Test(arguments: [
        ("data:;base64,aGVsbG8=", "hello"), ("data:;base64,aGVsbG8", "hello"), ("data:; base64,aGVsbG8=", "hello"),
        ("data:image/x;base64 ,aGVs bG8", "hello"), ("data:;BASE64,aGVs%0AbG8%3D", "hello"),
        ("data:;base64,aGVsbG8=#bG8=", "hello"),
        ("data:,hello", "hello"), ("data:;base64;x,hello", "hello"), ("data:text/xbase64,hello", "hello"),
        ("data:,a%20b#c", "a b"), ("data:;base64,YR==", "a"), ("data:;base64,", ""),
    ])
    func `Inline addresses are read as browsers read them`(address: String, content: String) {
        #expect(InlineAddress.bytes(of: address) == Data(content.utf8))
    }

    @Test(arguments: [
        "data:;base64", "data:;base64,a", "data:;base64,aGVsbG8==", "data:;base64,aG=sbG8=", "data:;base64,aGVs-G8=",
        "data:;base64,====",
    ])
    func `Damaged inline addresses have no bytes`(address: String) { #expect(InlineAddress.bytes(of: address) == nil) }
}
