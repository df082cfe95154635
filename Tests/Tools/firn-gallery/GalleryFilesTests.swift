#if GTK
import CFirnZlib
import CGTK4
import Firn
import FoundationEssentials
import FirnSystem
import FirnTesting
import Testing

@testable import firn_gallery

/// Tests what the gallery does with files: it follows their folder, moves them to the trash, and speaks German.
@Suite(.timeLimit(.minutes(5)), .serialized) @MainActor
struct GalleryFilesTests {
    @Test func `A folder tells of files that appear, are renamed and disappear`() async throws {
        let folder = try TestFolder()
        try folder.write("old.png", Array("old".utf8))
        let monitor = FolderMonitor()
        var (written, removed): (Set<String>, Set<String>) = ([], [])
        var names: [String] = []
        monitor.onRename = { names.append("\($0) \($1)") }
        monitor.onChanges = { changes in
            for (path, change) in changes {
                if change == .written { written.insert(path) } else { written.remove(path) }
                if change == .removed { removed.insert(path) } else { removed.remove(path) }
            }
        }
        monitor.watch(folder.path)
        try folder.write("new.png", Array("new".utf8))
        rename("\(folder.path)/new.png", "\(folder.path)/other.png")
        unlink("\(folder.path)/old.png")
        let gone: Set = ["\(folder.path)/old.png", "\(folder.path)/new.png"]
        try await eventually {
            g_main_context_iteration(nil, 0)
            return removed.isSuperset(of: gone) && written == ["\(folder.path)/other.png"]
        }
        #expect(written == ["\(folder.path)/other.png"])
        #expect(removed == gone)
        #expect(names == ["\(folder.path)/new.png \(folder.path)/other.png"])
    }

    @Test func `A file opens large in its folder, and moves to the trash and back`() async throws {
        let folder = try TestFolder()
        for name in ["1.gif", "2.gif", "10.gif"] { try folder.write(name, GalleryFilesTests.gif) }
        let variables = ["XDG_DATA_HOME=\(folder.path)/.data"]
        func open(_ keys: String) async throws -> String {
            let (path, keys) = ("\(folder.path)/10.gif", keys)
            return try await OwnThread.run {
                let display = try DisplayServer()
                defer { withExtendedLifetime(display) {} }
                return try ScenePlayer.run(
                    "firn-gallery", ["--headless-open", path, "--keys", keys], on: display, variables: variables)
            }.output
        }
        let shown = try await open("i")
        #expect(shown.contains("\"line\":\"10.gif   3 of 3   1 × 1"), "\(shown)")
        // The neighbor is prefetched although the folder is read after the image.
        #expect(shown.contains("\"ahead\":1,") || shown.contains("\"ahead\":1}"), "\(shown)")
        let around = try await open("Right")
        #expect(around.contains("\"line\":\"1.gif   1 of 3   1 × 1"), "\(around)")
        let previous = try await open("Left")
        #expect(previous.contains("\"line\":\"2.gif   2 of 3   1 × 1"), "\(previous)")
        let both = try await open("Left,Delete,Control+z,Left")
        #expect(both.contains("\"line\":\"2.gif   2 of 3   1 × 1"), "\(both)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/2.gif"))
        let deleted = try await open("Delete")
        #expect(deleted.contains("\"line\":\"2.gif   2 of 2   1 × 1"), "\(deleted)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/10.gif"))
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/.data/Trash/files/10.gif"))
    }

    @Test func `A slide show continues after the last image, until Escape ends it`() async throws {
        let folder = try TestFolder()
        for name in ["1.gif", "2.gif", "3.gif"] { try folder.write(name, GalleryFilesTests.gif) }
        let (path, cache) = ("\(folder.path)/3.gif", "XDG_CACHE_HOME=\(folder.path)/.cache")
        let shown = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open", path, "--keys", "F5,Escape,Right"], on: display,
                variables: [cache])
        }.output
        #expect(shown.contains("\"line\":\"2.gif   2 of 3   1 × 1"), "\(shown)")
    }

    @Test func `A random slide show leads to every other image, and its time has a key`() async throws {
        let steps = (0..<1_000).map { _ in GalleryViewer.step(of: 4, isShuffled: true) }
        #expect(Set(steps) == [1, 2, 3])
        #expect(GalleryViewer.step(of: 1, isShuffled: true) == 1)
        let folder = try TestFolder()
        try folder.write("1.gif", GalleryFilesTests.gif)
        let path = "\(folder.path)/1.gif"
        let output = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open", path, "--keys", "Control+F5,Shift+F5,p"], on: display)
        }.output
        #expect(output.contains("\"plays\":false,\"slideSeconds\":8"), "\(output)")
    }

    @Test func `An image is printed on one page, in the direction of its longer side`() async throws {
        // Registers the types of all render nodes, as gtk_init does, which needs a display.
        #expect(gsk_texture_node_get_type() != 0)
        let folder = try TestFolder()
        let image = try Bitmap(size: PixelSize(width: 300, height: 200), format: .rgb8) { _ in }
        let path = "\(folder.path)/page.pdf"
        #expect(try ImagePrint.run(image, name: "a.png", over: nil, to: path) == nil)
        let page = try GalleryFilesTests.text(ofPDF: Data(contentsOf: URL(filePath: path)))
        #expect(page.hasPrefix("%PDF") && page.contains("/Count 1"))
        #expect(page.contains("/Width 300") && page.contains("/Height 200"))
        let box = try #require(page.firstMatch(of: /\/MediaBox \[ ?0 0 ([0-9.]+) ([0-9.]+)/))
        #expect(try #require(Double(box.output.1)) > #require(Double(box.output.2)))
    }

    /// The text of a PDF file, with its compressed objects: Cairo from 1.18 on writes pages as such.
    private static func text(ofPDF file: Data) -> String {
        let start = Data("stream\n".utf8)
        var (text, rest) = (String(decoding: file, as: UTF8.self), file[...])
        while let found = rest.firstRange(of: start) {
            rest = rest[found.upperBound...]
            var object = [UInt8](repeating: 0, count: 1 << 16)
            var count = uLongf(object.count)
            let code = rest.withUnsafeBytes {
                uncompress(&object, &count, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), uLong($0.count))
            }
            if code == Z_OK { text += String(decoding: object.prefix(Int(count)), as: UTF8.self) }
        }
        return text
    }

    @Test func `Images are copied and dragged as files, and as the text of their paths`() throws {
        let paths = ["/tmp/an image.png", "/tmp/ü.png"]
        let content = try #require(DragSource.content(paths))
        defer { g_object_unref(UnsafeMutableRawPointer(content)) }
        var (files, text) = (GValue(), GValue())
        g_value_init(&files, gdk_file_list_get_type())
        g_value_init(&text, GType(16 << 2))
        defer {
            g_value_unset(&files)
            g_value_unset(&text)
        }
        #expect(gdk_content_provider_get_value(content, &files, nil) != 0)
        #expect(gdk_content_provider_get_value(content, &text, nil) != 0)
        #expect(g_value_get_string(&text).map { String(cString: $0) } == paths.joined(separator: "\n"))
        let list = gdk_file_list_get_files(OpaquePointer(g_value_get_boxed(&files)))
        defer { g_slist_free(list) }
        let names = sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.map { element in
            g_file_get_path(element?.pointee.data.map { OpaquePointer($0) }).map { name in
                defer { g_free(name) }
                return String(cString: name)
            }
        }
        #expect(names == paths)
        #expect(DragSource.content([]) == nil)
    }

    @Test func `An image is copied with its pixels`() throws {
        let image = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgb8) { _ in }
        let content = try #require(DragSource.content([], text: "https://example.org/a.png", image: image))
        defer { g_object_unref(UnsafeMutableRawPointer(content)) }
        var pixels = GValue()
        g_value_init(&pixels, gdk_texture_get_type())
        defer { g_value_unset(&pixels) }
        #expect(gdk_content_provider_get_value(content, &pixels, nil) != 0)
        let texture = try #require(g_value_get_object(&pixels))
        #expect(gdk_texture_get_width(OpaquePointer(texture)) == 3)
    }

    @Test func `A zoomed image moves by the arrows, and its visible part is saved as a new file`() async throws {
        let folder = try TestFolder()
        let image = try Bitmap(size: PixelSize(width: 1_600, height: 1_200), format: .rgb8) { _ in }
        for name in ["a.png", "b.png"] { try await image.write(toPath: "\(folder.path)/\(name)") }
        func open(_ keys: String) async throws -> String {
            let (path, keys) = ("\(folder.path)/a.png", keys)
            let variables = ["XDG_CACHE_HOME=\(folder.path)/.cache"]
            return try await OwnThread.run {
                let display = try DisplayServer()
                defer { withExtendedLifetime(display) {} }
                return try ScenePlayer.run(
                    "firn-gallery", ["--headless-open", path, "--size", "800x600", "--keys", keys], on: display,
                    variables: variables)
            }.output
        }
        let fitted = try await open("1,Right,0,Right")
        #expect(fitted.contains("\"line\":\"b.png   2 of 2"), "\(fitted)")
        let whole = try await open("1,Page_Down")
        #expect(whole.contains("\"line\":\"b.png   2 of 2") && !whole.contains("   100 %\""), "\(whole)")
        let kept = try await open("k,1,Page_Down")
        #expect(kept.contains("\"line\":\"b.png   2 of 2") && kept.contains("   100 %\""), "\(kept)")
        func percent(_ output: String) throws -> Int {
            let number = output.firstMatch(of: /([0-9]+) %"/).flatMap { Int($0.output.1) }
            return try #require(number, "\(output)")
        }
        // Below the header, the window is wider than the image.
        let (filled, shown) = (try await open("2"), try await open("0"))
        #expect(try percent(filled) > percent(shown))
        let moved = try await open("1,Right,Right,End,Control+s")
        #expect(moved.contains("\"line\":\"a.png   1 of"), "\(moved)")
        #expect(moved.contains("   100 %\""), "\(moved)")
        _ = try await open("c,Escape,c,Control+Shift+Left,Return")
        let cropped = try await ImageProperties(path: "\(folder.path)/a-part-2.png").displaySize
        // A tenth is left out at each side, and a pixel by the keys.
        #expect(abs(cropped.width - 1_279) <= 2 && cropped.height < 1_000, "\(cropped)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/a-part-3.png"))
        // The part is as wide as the room is.
        let part = try await ImageProperties(path: "\(folder.path)/a-part.png").displaySize
        #expect((700...800).contains(part.width) && (450...600).contains(part.height), "\(part)")
    }

    @Test func `A cell and the large image share one decode`() async throws {
        let folder = try TestFolder()
        let image = try Bitmap(size: PixelSize(width: 100, height: 100), format: .rgb8) { _ in }
        for name in ["a.png", "b.png"] { try await image.write(toPath: "\(folder.path)/\(name)") }
        let path = folder.path
        let shown = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open", path, "--view"], on: display,
                variables: ["XDG_CACHE_HOME=\(path)/.cache"])
        }.output
        #expect(shown.contains("from the memory cache"), "\(shown)")
    }

    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]

    @Test func `Every text of the window has a German translation`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let catalog = try String(contentsOf: root.appending(path: "Packaging/po/de.po"), encoding: .utf8)
        let known = Set(catalog.matches(of: /msgid(?:_plural)? "(.*)"/).map { String($0.output.1) })
        let sources = root.appending(path: "Sources/Tools/firn-gallery")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        var missing: Set<String> = []
        var count = 0
        for name in files where name.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for match in text.matches(of: /\btr\(\s*"([^"]*)"|\badd\("([A-Z][^"]*)"/) {
                count += 1
                let words = String(match.output.1 ?? match.output.2 ?? "")
                if !known.contains(words) { missing.insert(words) }
            }
        }
        #expect(missing == [])
        #expect(count > 100)
    }
}
#endif
