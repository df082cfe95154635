import Glibc
import Testing

/// The built gallery.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GalleryTests {
    @Test func `A scroll by itself shows no wrong picture and reports what it measured`() async throws {
        let folder = "/tmp/firn-gallery-test-\(getpid())"
        mkdir(folder, 0o700)
        defer {
            for name in ["report.json", "window.png"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        let arguments = [
            "--headless-scroll", "1", "--items", "120", "--json", "\(folder)/report.json", "--screenshot",
            "\(folder)/window.png", try GalleryTests.picture(),
        ]
        let outcome = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run("firn-gallery", arguments, on: display)
        }
        #expect(outcome.status == 0, "\(outcome.output)")
        let report = try GalleryTests.text("\(folder)/report.json")
        #expect(report.contains("\"wrongPictures\":0,"), "\(report)")
        #expect(!report.contains("\"shown\":0,"), "\(report)")
        for field in ["frames", "gapP50Ms", "gapP99Ms", "lateFrames", "bindMissP99Us", "deliverP99Us", "peakMiB"] {
            #expect(report.contains("\"\(field)\":"))
        }
        #expect(try GalleryTests.text("\(folder)/window.png").dropFirst().hasPrefix("PNG"))
    }

    @Test func `Without a display the gallery says so`() async throws {
        let outcome = try await OwnThread.run {
            try ScenePlayer.run(
                "firn-gallery", [], variables: ["DISPLAY=", "WAYLAND_DISPLAY=", "GDK_BACKEND=x11"])
        }
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("there is no display"), "\(outcome.output)")
    }

    /// A photograph of this repository.
    private static func picture() throws -> String {
        guard let source = realpath(#filePath, nil) else { throw SceneError(message: "no \(#filePath)") }
        defer { free(source) }
        let parts = String(cString: source).split(separator: "/").dropLast(3)
        return "/" + (parts + ["Documentation", "Pictures", "sheet.jpg"]).joined(separator: "/")
    }

    private static func text(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw SceneError(message: "there is no \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
