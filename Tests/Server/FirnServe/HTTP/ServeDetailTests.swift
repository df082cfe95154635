import FirnCodecs
import FirnImage
import FirnProcessing
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("What the image server tells of images", .timeLimit(.minutes(3)))
struct ServeDetailTests {
    private struct Information: Decodable, Equatable {
        let format: String
        let mediaType: String
        let width: Int
        let height: Int
        let hasAlpha: Bool
        let frameCount: Int
        let isAnimated: Bool
        let isVector: Bool
    }

    /// A signed path below a first segment.
    private func get(_ segment: String, _ path: String, _ fixture: ServeFixture) async throws -> RawClient.Response {
        try await fixture.client.get(segment + (try fixture.signed(path)))
    }

    @Test func `information about a source is signed, is not made twice, and has a validator`() async throws {
        try await ServeFixture.run { fixture in
            let response = try await get("/info", "/plain/local:///sub/b.png", fixture)
            #expect(response.status == 200 && response["Content-Type"] == "application/json")
            let found = try JSONDecoder().decode(Information.self, from: Data(response.body))
            #expect(
                found
                    == Information(
                        format: "png", mediaType: "image/png", width: 1000, height: 500, hasAlpha: false,
                        frameCount: 1, isAnimated: false, isVector: false))
            let other = try await get("/info", "/w:10/plain/local:///sub/b.png", fixture)
            #expect(other.body == response.body && other["ETag"] == response["ETag"] && other["ETag"] != nil)
            #expect(fixture.server.service.statistics.made == 1)
            #expect(try await fixture.client.get("/info/_/plain/local:///a.jpg").status == 403)
            #expect(try await get("/info", "/plain/local:///no.jpg", fixture).status == 404)
            #expect(try await fixture.client.get("/info/").status == 404)
        }
    }

    @Test func `placeholders are those of the result`() async throws {
        try await ServeFixture.run { fixture in
            let path = "/rs:fill:64:64/g:we/plain/local:///a.jpg"
            let image = try await fixture.get(path + "@png")
            let decoder = ImageDecoder(decoders: ImageDecoders.standard)
            try decoder.append(Data(image.body))
            decoder.finish()
            let bitmap = try decoder.frame(at: 0).image()
            let blur = try await get("/blurhash", path, fixture)
            #expect(blur.status == 200 && blur["Content-Type"] == "text/plain; charset=utf-8")
            #expect(String(decoding: blur.body, as: UTF8.self) == BlurHash(bitmap)?.text)
            let thumb = try await get("/thumbhash", path, fixture)
            #expect(String(decoding: thumb.body, as: UTF8.self) == ThumbHash(bitmap)?.data.base64EncodedString())
            let whole = try await get("/blurhash", "/plain/local:///a.jpg", fixture)
            #expect(whole.status == 200 && whole.body != blur.body)
            #expect(try await fixture.client.get("/blurhash/_\(path)").status == 403)
            // A source that is passed on has a placeholder, too.
            #expect(try await get("/blurhash", "/skp:jpg/plain/local:///a.jpg", fixture).body.count < 64)
        }
    }

    @Test func `the prefix of paths is in front of the first segment`() async throws {
        try await ServeFixture.run({ $0.imgproxy.pathPrefix = "/img" }) { fixture in
            let path = try fixture.signed("/plain/local:///a.jpg")
            #expect(try await fixture.client.get("/img/info\(path)").status == 200)
            #expect(try await fixture.client.get("/info\(path)").status == 404)
        }
    }

    @Test func `information about an HTTP source counts as work, and is refused when there is too much`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        let jpeg = try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)
        source.respond(to: "/slow.jpg", with: .steps([.hold(gate), .bytes(jpeg)], framing: .untilClose))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            (settings.admission.total, settings.admission.transfers) = (1, 0)
        }) { fixture in
            async let slow = get("/info", "/plain/\(source.url("/slow.jpg"))", fixture)
            try await eventually { fixture.server.service.statistics.running > 0 }
            let refused = try await get("/info", "/plain/\(source.url("/other.jpg"))", fixture)
            #expect(refused.status == 429)
            gate.open()
            #expect(try await slow.status == 200)
        }
    }
}
