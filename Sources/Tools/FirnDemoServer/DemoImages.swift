import Firn
import FirnReport
import FoundationEssentials

/// The images of the demonstration: files for the embedded server, or addresses elsewhere.
package struct DemoImages {
    /// The files by their paths on the server; empty if the images are elsewhere.
    package let files: [String: String]
    /// Paths on the server, or whole addresses, in order.
    private let places: [String]

    package var count: Int { places.count }

    /// The package of photographs that the setup script installs.
    private static let package = "lomiri-wallpapers-16.04"

    /// Finds the images in a folder or in a list of addresses.
    package static func find(_ source: String) throws -> DemoImages {
        let system = LocalFileSystem()
        guard try system.status(source).isDirectory else {
            let text = String(decoding: try system.read(source), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isWhitespace).map(String.init)
            let addresses = lines.filter { $0.contains("://") }
            guard !addresses.isEmpty else { throw DemoFault(message: "\(source): holds no URL") }
            return DemoImages(files: [:], places: addresses)
        }
        return try DemoImages(FolderScan.images(in: source), of: source)
    }

    /// Draws images in a folder, which is created if necessary. Keeps existing ones.
    package static func drawn(in folder: String) throws -> DemoImages {
        try LocalFileSystem().createDirectory(folder)
        let files = try DemoFiles(folder: folder)
        var paths: [String] = []
        try files.visit(.large) { place in
            if let file = files.files[place] { paths.append(file) }
            return true
        }
        return try DemoImages(paths, of: folder)
    }

    /// Returns the photographs of the wallpaper package, which dpkg lists; `nil` if it is not installed.
    package static func installed() -> DemoImages? {
        let system = LocalFileSystem()
        guard let list = try? system.read("/var/lib/dpkg/info/\(package).list") else { return nil }
        let files = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init).filter { path in
            guard let head = try? system.read(path, first: ImageFormat.sniffLength) else { return false }
            return ImageFormat(head) != nil
        }
        return try? DemoImages(files.sorted(), of: package)
    }

    /// The paths on the server, in order; empty for addresses elsewhere.
    var paths: [String] { files.isEmpty ? [] : places }

    /// Returns the addresses of the images, with the port of the server.
    package func addresses(port: Int? = nil) -> [String] {
        port.map { port in places.map { "http://127.0.0.1:\(port)\($0)" } } ?? places
    }

    /// Returns a name that needs no escapes in an address.
    private static func plain(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar in
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                return scalar.isASCII && scalar != "~" && PercentEncoding.isUnreserved(byte) ? Character(scalar) : "_"
            })
    }
}

extension DemoImages {
    private init(_ paths: [String], of source: String) throws {
        guard !paths.isEmpty else { throw DemoFault(message: "\(source): holds no image") }
        // Numbered, since two folders may have files of the same name.
        let places = paths.enumerated().map { "/\($0)/\(DemoImages.plain(PathText.split($1).name))" }
        self.init(files: Dictionary(uniqueKeysWithValues: zip(places, paths)), places: places)
    }
}

/// The reason why the demonstration cannot run.
package struct DemoFault: Error, CustomStringConvertible {
    package let message: String

    package init(message: String) { self.message = message }

    package var description: String { message }
}
