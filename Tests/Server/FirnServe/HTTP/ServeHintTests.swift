import FirnImage
import Testing

@testable import FirnServe

@Suite("Client hints", .timeLimit(.minutes(3)))
struct ServeHintTests {
    @Test(arguments: [
        ("/plain/local:///a.jpg", ["Width": "300", "DPR": "2"], 300),
        ("/plain/local:///a.jpg", ["Sec-CH-Width": "300", "Sec-CH-DPR": "2", "Width": "700"], 300),
        ("/plain/local:///a.jpg", ["Width": "300", "DPR": "2", "Save-Data": "on"], 150),
        ("/plain/local:///a.jpg", ["Width": "300", "DPR": "2", "Save-Data": " ON;x=1"], 150),
        ("/plain/local:///a.jpg", ["Width": "300", "DPR": "2", "Save-Data": "off"], 300),
        ("/w:100/plain/local:///a.jpg", ["Width": "300", "DPR": "2"], 200),
        ("/w:100/dpr:3/plain/local:///a.jpg", ["DPR": "2", "Save-Data": "on"], 300),
        ("/plain/local:///a.jpg", ["Width": "0", "DPR": "nan"], 1000),
        ("/plain/local:///a.jpg", ["Width": "99999999999999999999", "DPR": "9"], 1000),
    ])
    func `the pixel ratio and the width are those of the client, where the address says nothing of them`(
        _ path: String, _ fields: [String: String], _ width: Int
    ) async throws {
        try await ServeFixture.run({ $0.imgproxy.usesClientHints = true }) { fixture in
            let response = try await fixture.get(path, headers: fields)
            #expect(try ServeFixture.describe(response.body).size?.width == width)
            #expect(response["Vary"] == "Sec-CH-DPR, DPR, Sec-CH-Width, Width, Save-Data")
        }
        try await ServeFixture.run { fixture in
            let (plain, hinted) = (try await fixture.get(path), try await fixture.get(path, headers: fields))
            #expect(plain.body == hinted.body && hinted["Vary"] == nil)
        }
    }

    @Test func `clients that ask for less data get three quarters of the quality, unless the address names one`() throws
    {
        var settings = ImgproxySettings()
        settings.quality = 80
        settings.formatQuality = [.avif: 60]
        var options = ImgproxyOptions()
        ImgproxyClientHints(saveData: "on").apply(to: &options)
        #expect(options.quality(for: .jpeg, settings: settings) == 60)
        #expect(options.quality(for: .avif, settings: settings) == 45)
        options.formatQuality = [.webp: 70]
        #expect(options.quality(for: .webp, settings: settings) == 70)
        options.quality = 90
        #expect(options.quality(for: .jpeg, settings: settings) == 90)
    }

    @Test
    func `results of another quality are results of their own, also where the source or the client names the format`()
        async throws
    {
        try await ServeFixture.run({ settings in
            settings.imgproxy.automaticFormats = [.webp]
            settings.imgproxy.usesClientHints = true
        }) { fixture in
            func bytes(_ path: String, _ fields: [String: String] = [:]) async throws -> [UInt8] {
                let response = try await fixture.get(path, headers: fields.merging(["Accept": "image/webp"]) { $1 })
                #expect(response["Content-Type"] == "image/webp")
                return response.body
            }
            let path = "/w:90/plain/local:///a.jpg"
            let found = [
                try await bytes("/fq:webp:5" + path), try await bytes("/fq:webp:95" + path), try await bytes(path),
                try await bytes(path, ["Save-Data": "on"]),
            ]
            #expect(Set(found).count == 4 && fixture.server.service.statistics.made == 4)
        }
    }
}
