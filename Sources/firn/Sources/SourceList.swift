import Firn
import FirnReport
import FoundationEssentials

/// The sources of arguments, with the content of folders and lists.
struct SourceList: Sendable {
    /// A source, or an argument without one.
    enum Item: Sendable {
        case source(LoadSource)
        case failure(name: String, reason: String)

        /// The source, if there is one.
        var source: LoadSource? { if case .source(let source) = self { source } else { nil } }
    }

    /// In the order of the arguments, a folder's files by name.
    private(set) var items: [Item] = []
    /// Whether a folder or a list was among the arguments: there could have been many sources.
    private(set) var isOpen = false
    private let files = LocalFileSystem()
    /// Selects the files of folders that are skipped.
    private let isLeftOut: @Sendable (String) -> Bool

    /// Reads lists and folders, and the standard input for `-`.
    ///
    /// - Parameter isLeftOut: selects files of folders to skip, by path. Default: none.
    init(_ arguments: [String], isLeftOut: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.isLeftOut = isLeftOut
        for argument in arguments {
            if argument == "-" {
                addStandardInput()
            } else if argument.hasPrefix("@") {
                addList(String(argument.dropFirst()))
            } else {
                add(argument)
            }
        }
    }

    /// Creates a list of files, whatever their names, and the standard input for `-`.
    init(files paths: [String]) {
        isLeftOut = { _ in false }
        for path in paths {
            if path == "-" { addStandardInput() } else { items.append(.source(LoadSource(path: path))) }
        }
    }

    private mutating func add(_ text: String, isListed: Bool = false) {
        let source = LoadSource(text, isListed: isListed)
        guard let path = source.path, let status = try? files.status(path), status.isDirectory else {
            items.append(.source(source))
            return
        }
        isOpen = true
        do throws(FileError) {
            let found = try FolderScan.images(in: path, files: files).filter { !isLeftOut($0) }
            if found.isEmpty { items.append(.failure(name: text, reason: "the folder holds no image")) }
            for file in found {
                let folder = PathText.split(file).folder.dropFirst(PathText.join(path, "").count)
                items.append(.source(LoadSource(path: file, branch: String(folder))))
            }
        } catch {
            items.append(.failure(name: error.path, reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    private mutating func addStandardInput() {
        do throws(FileError) {
            // One byte more than the limit, so that the decoder reports the error.
            let data = try StandardInput.read(limit: ImageLimits().maximumBytes + 1)
            items.append(.source(LoadSource(standardInput: data)))
        } catch {
            items.append(.failure(name: "-", reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    /// Reads a text file with one source per line. Skips empty lines and those that start with `#`.
    private mutating func addList(_ path: String) {
        isOpen = true
        do throws(FileError) {
            var bytes = try files.read(path)[...]
            // The mark that some editors put in front of UTF-8.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
            for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
                let source = SourceList.trimmed(SystemPath.text(line))
                if !source.isEmpty, !source.hasPrefix("#") { add(source, isListed: true) }
            }
        } catch {
            items.append(.failure(name: "@\(path)", reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    /// Returns a line without white space at its ends.
    private static func trimmed(_ line: String) -> String {
        let scalars = line.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
