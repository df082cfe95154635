import Firn
import FirnReport
import FirnSystem
import FoundationEssentials

/// The images of the demonstrations: files for the embedded server, or addresses elsewhere. Missing photographs are
/// replaced by images that are drawn on first use.
package struct DemoFiles: Sendable {
    /// The files by their paths on the server.
    package let files: [String: String]

    private let folder: String
    private let small: [Item]
    private let large: [Item]

    private struct Item: Sendable {
        /// The path on the server; the address without a file.
        let path: String
        var file: String?
        /// The image that is drawn on first use.
        var drawing: (landscape: Landscape, label: String)?
    }

    /// The package of photographs that the setup script installs.
    private static let package = "lomiri-wallpapers-16.04"

    /// - Parameters:
    ///   - folder: the folder of drawn images, created if necessary.
    ///   - source: a folder of photographs, or a text file of addresses; `nil` for the installed photographs, or drawn
    ///     images without them.
    /// - Throws: ``DemoFault`` or `DataFileError` if a named source has no image.
    package init(folder: String, source: String? = nil) throws {
        self.folder = folder
        let found = try source.map { try DemoFiles.found($0) } ?? DemoFiles.installed()
        small = DemoFiles.drawings("small", 100, PixelSize(240), folder)
        large = found.isEmpty ? DemoFiles.drawings("large", 16, PixelSize(width: 3200, height: 2400), folder) : found
        files = (small + large).reduce(into: [:]) { $0[$1.path] = $1.file }
    }

    /// True if the large images are addresses, which need no server.
    package var areElsewhere: Bool { large.allSatisfy { $0.file == nil } }

    /// Prepares the images of a collection, and calls `body` with the address of each until it returns `false`. Blocks.
    ///
    /// - Parameter port: the port of the server.
    /// - Throws: an error if an image cannot be drawn or written.
    package func visit(_ collection: DemoCollection, port: Int, _ body: (String) -> Bool) throws {
        switch collection {
        case .small: try visit(small, port, body)
        case .large: try visit(large, port, body)
        case .thousand:
            var addresses: [String] = []
            try visit(large, port) {
                addresses.append($0)
                return true
            }
            for number in 0..<1_000 {
                let (copy, index) = number.quotientAndRemainder(dividingBy: max(1, addresses.count))
                guard index < addresses.count, body("\(addresses[index])?copy=\(copy)") else { return }
            }
        }
    }

    private func visit(_ items: [Item], _ port: Int, _ body: (String) -> Bool) throws {
        for item in items {
            if let (landscape, label) = item.drawing, let file = item.file, access(file, R_OK) != 0 {
                try LocalFileSystem().createDirectory(folder)
                try landscape.draw(label: label).writeBlocking(to: URL(localPath: file), quality: 0.85)
            }
            guard body(item.file == nil ? item.path : "http://127.0.0.1:\(port)\(item.path)") else { return }
        }
    }

    private static func drawings(_ name: String, _ count: Int, _ size: PixelSize, _ folder: String) -> [Item] {
        (0..<count).map { number in
            let landscape = Landscape(seed: UInt64(number) &* 7_919 &+ UInt64(size.width), size: size)
            return Item(
                path: "/\(name)/\(number).jpg", file: PathText.join(folder, "\(name)-\(number).jpg"),
                drawing: (landscape, "\(number)"))
        }
    }

    /// Finds the images in a folder or in a list of addresses.
    private static func found(_ source: String) throws -> [Item] {
        let system = LocalFileSystem()
        let isFolder = try system.status(source).isDirectory
        var files: [String] = []
        var leftOut = LeftOutFiles()
        if isFolder {
            try FolderScan.visit(source, leftOut: &leftOut) { file, _ in
                files.append(file)
                return true
            }
        }
        let text = isFolder ? Data() : try system.read(source)
        let addresses = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let items = served(files) + addresses.filter { $0.contains("://") }.map { Item(path: String($0)) }
        if items.isEmpty { throw DemoFault(message: "\(source): holds no \(isFolder ? "image" : "URL")") }
        return items
    }

    /// Returns the photographs of the wallpaper package, which dpkg lists; none if it is not installed.
    private static func installed() -> [Item] {
        let system = LocalFileSystem()
        let list = (try? system.read("/var/lib/dpkg/info/\(package).list")) ?? Data()
        let files = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init).filter { path in
            (try? system.read(path, first: ImageFormat.sniffLength)).flatMap { ImageFormat($0) } != nil
        }
        return served(files.sorted())
    }

    /// Returns files for the server. Their names are numbered, since two folders may have files of the same name, and
    /// need no escapes in an address.
    private static func served(_ files: [String]) -> [Item] {
        files.enumerated().map { number, file in
            let name = PathText.split(file).name.unicodeScalars.map { scalar in
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                return scalar.isASCII && scalar != "~" && PercentEncoding.isUnreserved(byte) ? Character(scalar) : "_"
            }
            return Item(path: "/\(number)/\(String(name))", file: file)
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

/// The reason why the demonstration cannot run.
package struct DemoFault: Error, CustomStringConvertible {
    package let message: String

    package init(message: String) { self.message = message }

    package var description: String { message }
}
