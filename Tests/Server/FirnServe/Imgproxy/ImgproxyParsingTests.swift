import FirnImage
@testable import FirnServe
import Testing

@Suite struct ImgproxyParsingTests {
    func status(_ text: String, _ settings: ImgproxySettings? = nil) -> Int? {
        ImgproxyVectors.status { () throws(ServeError) in _ = try ImgproxyVectors.options(text, settings) }
    }

    @Test(arguments: [
        "w:-1", "w:", "w:1:2", "w:99999999999999999999", "rt:x", "rot:45", "dpr:0", "dpr:100", "dpr:nan", "z:1e9",
        "z:inf",
        "bl:1000", "bl:-1", "pd:100000", "g:xx", "g:sm:1", "g:fp:2:0", "g:fp:0.5", "ex:1:sm", "q:101", "f:foo",
        "fq:jpg",
        "bg:12", "bg:1:2", "wm:2", "wm:1:sm", "exp:999", "exp:x", "pr:none", "foo:1", "fiu:x", "raw:1", "fn:%zz",
        "rs:fit:1:1:1:1:no:1:1:1", "dpr:0x10", "skp:zzz", "trim:a",
        "br:256", "br:", "co:-1", "sa:x", "gs:2", "mc:2", "mc:1:zz", "mc:1:fff:1", "dt:1:fff:fff:1", "a:1:1:1:1",
        "rc:-1", "pg:-1", "pg:x",
    ])
    func `invalid options are not found`(_ text: String) { #expect(status(text) == 404) }

    @Test(arguments: ["msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1"])
    func `security options are forbidden`(_ text: String) { #expect(status(text) == 403) }

    @Test func `long and short names mean the same`() throws {
        let pairs = [
            ("resize:fill:3:4:1:1:no:1:2", "rs:fill:3:4:1:1:no:1:2"), ("size:3:4", "w:3/h:4"), ("zoom:2", "z:2:2"),
            ("gravity:so:1:0.5", "g:so:1:0.5"), ("padding:1:2", "pd:1:2:1:2"), ("quality:5", "q:5"),
            ("format:jpg", "ext:jpeg"), ("background:ff00aa", "bg:255:0:170"), ("rotate:-90", "rot:270"),
            ("extend_ar:t", "exar:1"), ("enlarge:True", "el:TRUE"), ("blur:1", "bl:1.0"),
            ("brightness:5/contrast:2/saturation:0", "a:5:2:0"), ("br:5/co:2/sa:0", "adjust:5:2:0"),
            ("grayscale:1", "gs:1"), ("monochrome:1:f00", "mc:1:ff0000"), ("duotone:1::f00", "dt:1:000:f00"),
            ("round_corners:5", "rc:5"), ("page:2", "pg:2"),
            ("watermark_text:YQ", "wmt:YQ:16"),
        ]
        for (long, short) in pairs {
            #expect(try ImgproxyVectors.options(long) == ImgproxyVectors.options(short))
        }
    }

    @Test func `empty arguments keep their value`() throws {
        let options = try ImgproxyVectors.options("rs:fill:3:4:1/rs:::9")
        #expect(options.resizingType == .fill && options.width == 3 && options.height == 9 && options.enlarge)
        #expect(try ImgproxyVectors.options("el:1/el:yes").enlarge == false)
        #expect(try ImgproxyVectors.options("bg:fff/bg:").background == nil)
    }

    @Test func `presets apply once and outside of the allow list`() throws {
        var settings = ImgproxySettings()
        settings.presets = ["default": "q:7", "a": "w:5/pr:b", "b": "h:6/pr:a"]
        settings.allowedOptions = ["pr"]
        let options = try ImgproxyVectors.options("pr:a", settings)
        #expect(options.width == 5 && options.height == 6 && options.quality == 7)
        #expect(status("preset:a", settings) == 404)
        settings.onlyPresets = true
        #expect(try ImgproxyVectors.options("a:b", settings).width == 5)
    }

    @Test func `messages name option and value`() {
        let error = #expect(throws: ServeError.self) { try ImgproxyVectors.options("rot:45") }
        #expect(error?.message == "rot: invalid value '45'")
    }

    @Test func `canonical texts of equal results are equal`() throws {
        let settings = ImgproxySettings()
        func text(_ options: String) throws -> String {
            try ImgproxyVectors.options(options).canonicalText(format: .webp, settings: settings)
        }
        #expect(try text("w:5/h:6") == text("size:6:6/width:5/fn:y"))
        #expect(try text("w:5/cb:x") != text("w:5"))
        #expect(try text("w:5/cb:x") != text("w:5/cachebuster:y"))
        #expect(try text("q:79") == text("dpr:1/ar:1"))
        #expect(try text("rt:fill/w:5") == text("w:5"))
        #expect(try text("w:5") != text("w:6"))
        #expect(try text("w:5/h:5/g:no") != text("w:5/h:5"))
    }

    @Test func fiveThousandOptionsAreRefusedInTime() {
        let path = String(repeating: "w:1234567890/", count: 5000)
        // The fastest of several runs, so that other work on the machine does not count.
        let times = (0..<10).map { _ in ContinuousClock().measure { #expect(status(path) == 404) } }
        // Without optimization the standard library's collections cost ten times as much.
        #if DEBUG
        let limit = Duration.milliseconds(150)
        #else
        let limit = Duration.milliseconds(10)
        #endif
        #expect(times.min().map { $0 < limit } == true)
    }

    @Test func `random paths never trap`() {
        var state: UInt64 = 20_261_123
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        var settings = ImgproxySettings()
        settings.isInsecure = true
        let parser = ImgproxyParser(settings: settings)
        var parsed = 0
        for round in 0..<20_000 {
            var bytes = Array("/_\(ImgproxyVectors.all[round % 9].path)".utf8)
            if round % 5 == 0 { bytes = (0..<next(80)).map { _ in UInt8(next(256)) } }
            for _ in 0..<next(4) where !bytes.isEmpty { bytes[next(bytes.count)] = UInt8(next(256)) }
            guard let request = try? parser.parse(target: String(decoding: bytes, as: UTF8.self), now: 1) else {
                continue
            }
            parsed += 1
            let size = PixelSize(width: 1 + next(5000), height: 1 + next(5000))
            _ = try? ImgproxyGeometry(options: request.options).plan(ImageExtent(size), format: .jpeg)
            _ = ImgproxyHeaders.contentDisposition(request: request, format: .png)
        }
        #expect(parsed > 1000)
    }
}
