import Firn
import FirnReport
import FoundationEssentials

/// What the arguments of `firn load` come to.
struct SourceList: Sendable {
    /// A picture to load, or an argument that leads to none.
    enum Item: Sendable {
        case source(LoadSource)
        case failure(name: String, reason: String)
    }

    /// In the order of the arguments; a folder's files by name.
    private(set) var items: [Item] = []
    private let files = LocalFileSystem()

    /// Looks into lists and folders.
    init(_ arguments: [String]) {
        for argument in arguments {
            if argument.hasPrefix("@") { addList(String(argument.dropFirst())) } else { add(argument) }
        }
    }

    private mutating func add(_ text: String, isListed: Bool = false) {
        let source = LoadSource(text, isListed: isListed)
        guard let path = source.path, let status = try? files.status(path), status.isDirectory else {
            items.append(.source(source))
            return
        }
        do throws(FileError) {
            let found = try FolderScan.pictures(in: path, files: files)
            if found.isEmpty { items.append(.failure(name: text, reason: "the folder holds no picture")) }
            items += found.map { .source(LoadSource($0)) }
        } catch {
            items.append(.failure(name: error.path, reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    /// A text file with a source a line; empty lines and those that start with `#` are skipped.
    private mutating func addList(_ path: String) {
        do throws(FileError) {
            let text = String(decoding: try files.read(path), as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) {
                let source = line.drop(while: \.isWhitespace)
                if !source.isEmpty, !source.hasPrefix("#") {
                    add(String(source.reversed().drop(while: \.isWhitespace).reversed()), isListed: true)
                }
            }
        } catch {
            items.append(.failure(name: "@\(path)", reason: "cannot \(error.call): \(error.reason)"))
        }
    }
}
