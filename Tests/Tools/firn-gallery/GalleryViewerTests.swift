#if GTK
import CGTK4
import Firn
import FoundationEssentials
import FirnSystem
import FirnTesting
import Testing

@testable import firn_gallery

/// Tests the viewer: saved rotations, comparisons, steps of animations, and remembered settings.
@Suite(.timeLimit(.minutes(5)), .serialized) @MainActor
struct GalleryViewerTests {
    private static func write(_ sizes: [String: PixelSize], to folder: TestFolder) async throws {
        for (name, size) in sizes {
            try await Bitmap(size: size, format: .rgb8) { _ in }.write(toPath: "\(folder.path)/\(name)")
        }
    }

    private func open(_ path: String, in folder: TestFolder, _ keys: String, _ more: [String] = []) async throws
        -> String
    {
        let arguments = ["--headless-open", path, "--size", "800x600", "--keys", keys] + more
        let variables = ["XDG_CACHE_HOME=\(folder.path)/.cache", "XDG_DATA_HOME=\(folder.path)/.data"]
        return try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run("firn-gallery", arguments, on: display, variables: variables)
        }.output
    }

    @Test func `A rotation is saved in the file, and undone`() async throws {
        let folder = try TestFolder()
        let size = PixelSize(width: 300, height: 200)
        try await GalleryViewerTests.write(["a.jpg": size, "b.png": size, "c.webp": size, "d.tif": size], to: folder)
        for name in ["a.jpg", "b.png", "c.webp", "d.tif"] {
            let path = "\(folder.path)/\(name)"
            let shown = try await open(path, in: folder, "Control+r")
            #expect(shown.contains("\(name)   ") && shown.contains("200 × 300"), "\(shown)")
            #expect(try await ImageProperties(path: path).orientation == .right, "\(name)")
            _ = try await open(path, in: folder, "Control+r,h,v,Control+Shift+r")
            #expect(try await ImageProperties(path: path).orientation == .left, "\(name)")
            let undone = try await open(path, in: folder, "Control+r,Control+z")
            #expect(undone.contains("200 × 300"), "\(undone)")
            #expect(try await ImageProperties(path: path).orientation == .left, "\(name)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files).subtracting([".cache", ".data"]) == ["a.jpg", "b.png", "c.webp", "d.tif"])
        // The selected images of the grid.
        _ = try await open(folder.path, in: folder, "Control+a,Control+r")
        for name in ["a.jpg", "b.png", "c.webp", "d.tif"] {
            #expect(try await ImageProperties(path: "\(folder.path)/\(name)").orientation == .up, "\(name)")
        }
    }

    @Test func `A file that cannot state an orientation stays as it is`() async throws {
        let folder = try TestFolder()
        try await GalleryViewerTests.write(["a.gif": PixelSize(width: 30, height: 20)], to: folder)
        let path = "\(folder.path)/a.gif"
        let before = try Data(contentsOf: URL(filePath: path))
        let shown = try await open(path, in: folder, "Control+r,h")
        #expect(shown.contains("a.gif: Operation not supported"), "\(shown)")
        #expect(shown.contains("\"turned\":1}"), "\(shown)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(throws: DataFileError.self) { try FileChange.turn("\(folder.path)/none.jpg", .right) }
    }

    @Test func `Two images are compared, and the next one takes the place of the second`() async throws {
        let folder = try TestFolder()
        let size = PixelSize(width: 1_600, height: 1_200)
        try await GalleryViewerTests.write(["a.png": size, "b.png": size, "c.png": size], to: folder)
        let path = "\(folder.path)/a.png"
        let both = try await open(path, in: folder, "b,1,Page_Down")
        #expect(both.contains("\"line\":\"c.png   3 of 3   beside a.png   1600 × 1200"), "\(both)")
        let ended = try await open(path, in: folder, "b,Escape")
        #expect(ended.contains("\"line\":\"b.png   2 of 3   1600 × 1200"), "\(ended)")
        let selected = try await open(folder.path, in: folder, "Control+a,b")
        #expect(selected.contains("\"line\":\"\""), "\(selected)")
    }

    @Test func `An image that is thinner than a screen pixel is visible`() async throws {
        let folder = try TestFolder()
        try await Bitmap(size: PixelSize(width: 1, height: 4_000), format: .rgb8, isOpaque: true) { pixels in
            for y in 0..<pixels.size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<3 { row[x] = 255 }
            }
        }.write(toPath: "\(folder.path)/a.png")
        let path = "\(folder.path)/window.png"
        _ = try await open("\(folder.path)/a.png", in: folder, "", ["--screenshot", path])
        let shown = try await ImagePipeline(configuration: .ephemeral).image(for: ImageRequest(path: path))
        let white = shown.withUnsafeBytes { bytes in
            (0..<shown.size.height).count { y in
                let row = bytes[(y * shown.bytesPerRow)...].prefix(shown.size.width * shown.format.bytesPerPixel)
                let middle = row.dropFirst(row.count / 2 - 20).prefix(40)
                return middle.count { $0 == 255 } >= 3
            }
        }
        #expect(white > 400)
    }

    @Test func `A step pauses an animation`() async throws {
        let folder = try TestFolder()
        try await GalleryViewerTests.write(["a.gif": PixelSize(width: 30, height: 20)], to: folder)
        let shown = try await open("\(folder.path)/a.gif", in: folder, "period,comma")
        #expect(shown.contains("\"plays\":false"), "\(shown)")
        let resumed = try await open("\(folder.path)/a.gif", in: folder, "period,p")
        #expect(resumed.contains("\"plays\":true"), "\(resumed)")
    }

    @Test func `Settings are remembered, and a damaged file is replaced`() async throws {
        let folder = try TestFolder()
        let size = PixelSize(width: 30, height: 20)
        try await GalleryViewerTests.write(["a.png": size, "b.png": size], to: folder)
        let path = "\(folder.path)/config/settings.ini"
        _ = try await open("\(folder.path)/a.png", in: folder, "i,s,k", ["--settings", path])
        var settings = GallerySettings(path: path)
        #expect(settings.active == ["info", "pixels", "keep-zoom"])
        #expect(settings.size == PixelSize(width: 800, height: 600))
        (settings.order, settings.isReversed) = (.size, true)
        settings.active = ["pixels"]
        settings.save(to: path)
        #expect(GallerySettings(path: path) == settings)
        let reversed = try await open("\(folder.path)/a.png", in: folder, "s", ["--settings", path])
        #expect(reversed.contains("\"line\":\"a.png   2 of 2"), "\(reversed)")
        #expect(GallerySettings(path: path).active == [])
        for text in ["", "no key file", "[Gallery]\nwidth=-5\nheight=many\nsort=color\nother=1\n\u{0}"] {
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(GallerySettings(path: path) == GallerySettings(), "\(text)")
            settings.save(to: path)
            #expect(GallerySettings(path: path) == settings, "\(text)")
        }
    }
}
#endif
