import Firn
import FirnReport
import FoundationEssentials

/// The images of the demonstration: files for the embedded server, or addresses elsewhere.
package struct DemoImages {
    package private(set) var files: [String: String] = [:]
    /// Paths on the server, or whole addresses, in order.
    private let places: [String]
    /// True if they are files on this machine.
    package let needsServer: Bool

    package var count: Int { places.count }

    /// The package of photographs that the setup script installs.
    private static let package = "lomiri-wallpapers-16.04"

    /// Finds the images: in a folder, in a list of addresses, or those of the wallpaper package.
    package static func find(_ source: String?) throws -> DemoImages {
        let system = LocalFileSystem()
        guard let source else { return try DemoImages(files: installed(system)) }
        guard try system.status(source).isDirectory else {
            let text = String(decoding: try system.read(source), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isWhitespace).map(String.init)
            let addresses = lines.filter { $0.contains("://") }
            guard !addresses.isEmpty else { throw DemoFault(message: "\(source): holds no URL") }
            return DemoImages(addresses: addresses)
        }
        return try DemoImages(files: FolderScan.images(in: source), of: source)
    }

    private init(addresses: [String]) {
        places = addresses
        needsServer = false
    }

    private init(files paths: [String], of source: String = package) throws {
        guard !paths.isEmpty else { throw DemoFault(message: "\(source): holds no image") }
        // Numbered, since two folders may have files of the same name.
        places = paths.enumerated().map { "/\($0)/\(DemoImages.plain(PathText.split($1).name))" }
        files = Dictionary(uniqueKeysWithValues: zip(places, paths))
        needsServer = true
    }

    /// The paths on the server, in order; empty for addresses elsewhere.
    package var paths: [String] { needsServer ? places : [] }

    package func addresses(port: Int?) -> [String] {
        guard let port else { return places }
        return places.map { "http://127.0.0.1:\(port)\($0)" }
    }

    /// Returns the files of the wallpaper package, from dpkg.
    private static func installed(_ system: LocalFileSystem) throws -> [String] {
        guard let list = try? system.read("/var/lib/dpkg/info/\(package).list") else {
            throw DemoFault(
                message: "the photographs of the package \(package) are not installed; run Scripts/setup demo, "
                    + "or name a --source")
        }
        return String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init).filter { path in
            guard let head = try? system.read(path, first: ImageFormat.sniffLength) else { return false }
            return ImageFormat.sniff(head) != nil
        }.sorted()
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

/// The reason why the demonstration cannot run.
package struct DemoFault: Error, CustomStringConvertible {
    package let message: String

    package init(message: String) { self.message = message }

    package var description: String { message }
}
