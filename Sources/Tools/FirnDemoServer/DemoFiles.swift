import Firn
import FirnSystem
import FoundationEssentials

/// The collections of the gallery's demonstration as files for the embedded server. Missing photographs are replaced by
/// images that are drawn on first use.
package struct DemoFiles: Sendable {
    /// The files by their paths on the server.
    package let files: [String: String]

    private let small: [Drawing]
    private let drawn: [Drawing]
    private let photographs: [String]

    /// An image that is drawn on first use.
    private struct Drawing: Sendable {
        /// The path on the server.
        let path: String
        let file: String
        let landscape: Landscape
        let label: String
    }

    /// - Parameters:
    ///   - folder: the folder of drawn images, which exists.
    ///   - source: a folder of photographs; `nil` for the installed ones, or drawn images without them.
    /// - Throws: ``DemoFault`` or `DataFileError` if a named source has no image.
    package init(folder: String, source: String? = nil) throws {
        let found = try source.map { try DemoImages.find($0) } ?? DemoImages.installed()
        small = DemoFiles.drawings("small", 100, PixelSize(240), folder)
        photographs = found?.paths ?? []
        drawn = photographs.isEmpty ? DemoFiles.drawings("large", 16, PixelSize(width: 3200, height: 2400), folder) : []
        files = (small + drawn).reduce(into: found?.files ?? [:]) { $0[$1.path] = $1.file }
    }

    /// Prepares the images of a collection, and calls `body` with the server path of each until it returns `false`.
    /// Blocks.
    ///
    /// - Throws: an error if an image cannot be drawn or written.
    package func visit(_ collection: DemoCollection, _ body: (String) -> Bool) throws {
        switch collection {
        case .small: try visit(small, body)
        case .large:
            for path in photographs where !body(path) { return }
            try visit(drawn, body)
        case .thousand:
            var paths = photographs
            try visit(drawn) {
                paths.append($0)
                return true
            }
            guard !paths.isEmpty else { return }
            for number in 0..<1_000 where !body("\(paths[number % paths.count])?copy=\(number / paths.count)") {
                return
            }
        }
    }

    private func visit(_ drawings: [Drawing], _ body: (String) -> Bool) throws {
        for drawing in drawings {
            if access(drawing.file, R_OK) != 0 {
                try drawing.landscape.draw(label: drawing.label).writeBlocking(
                    to: URL(localPath: drawing.file), quality: 0.85)
            }
            guard body(drawing.path) else { return }
        }
    }

    private static func drawings(_ name: String, _ count: Int, _ size: PixelSize, _ folder: String) -> [Drawing] {
        (0..<count).map { number in
            Drawing(
                path: "/\(name)/\(number).jpg", file: PathText.join(folder, "\(name)-\(number).jpg"),
                landscape: Landscape(seed: UInt64(number) &* 7_919 &+ UInt64(size.width), size: size),
                label: "\(number)")
        }
    }
}

package enum DemoCollection: String, CaseIterable, Sendable {
    /// The usual test of a fast list: a hundred small images.
    case small = "100 small images"
    /// The usual test of a slow one: photographs of many megapixels.
    case large = "Large photographs"
    /// The same photographs, each many times under different addresses.
    case thousand = "1000 large photographs"
}
