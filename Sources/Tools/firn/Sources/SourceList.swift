import Firn
import FirnReport
import FoundationEssentials

/// The sources of arguments, with the content of folders and lists.
struct SourceList: Sendable {
    /// A source, or an argument without one.
    enum Item: Sendable {
        case source(LoadSource)
        case failure(name: String, reason: String)

        var source: LoadSource? { if case .source(let source) = self { source } else { nil } }
    }

    /// In the order of the arguments, a folder's files by name.
    private(set) var items: [Item] = []
    /// True if a folder or a list was among the arguments: there could have been many sources.
    private(set) var isOpen = false
    /// True if the arguments name exactly one image.
    private(set) var isSingle = false
    /// The content of folders that is no source.
    private(set) var leftOut = LeftOutFiles()
    /// The part of it that is in no failure.
    private var unreported = LeftOutFiles()
    private var isInputRead = false
    private let files = LocalFileSystem()
    private let isLeftOut: @Sendable (String) -> Bool

    /// Reads lists and folders, and the standard input for `-` and `@-`.
    ///
    /// - Parameter isLeftOut: selects files of folders to skip, by path. Default: none.
    init(_ arguments: [String], isLeftOut: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.isLeftOut = isLeftOut
        for argument in arguments {
            if argument == "-" {
                addStream(0, name: argument)
            } else if argument.hasPrefix("@") {
                addList(String(argument.dropFirst()))
            } else {
                add(argument)
            }
        }
        isSingle = arguments.count == 1 && !isOpen
    }

    /// Creates a list of files, whatever their names, and the standard input for `-`.
    init(files paths: [String]) {
        isLeftOut = { _ in false }
        for path in paths {
            if path == "-" {
                addStream(0, name: path)
            } else if let descriptor = StreamInput.descriptor(path) {
                addStream(descriptor, name: path)
            } else {
                items.append(.source(LoadSource(path: path)))
            }
        }
    }

    /// Prints how much of the folders was left out, on standard error.
    func reportLeftOut() {
        if let text = unreported.text { StandardError.line("firn: \(text)") }
    }

    private mutating func add(_ text: String, isListed: Bool = false) {
        let source = LoadSource(text, isListed: isListed)
        if !isListed, let path = source.path, let descriptor = StreamInput.descriptor(path) {
            addStream(descriptor, name: text)
            return
        }
        guard let path = source.path, let status = try? files.status(path), status.isDirectory else {
            items.append(.source(source))
            return
        }
        isOpen = true
        do throws(DataFileError) {
            var found: [String] = []
            var others = LeftOutFiles()
            try FolderScan.visit(path, files: files, leftOut: &others) { file, _ in
                if !isLeftOut(file) { found.append(file) }
                return true
            }
            leftOut += others
            if found.isEmpty {
                let reason = ["the folder holds no image", others.text].compactMap(\.self).joined(separator: "; ")
                items.append(.failure(name: text, reason: reason))
            } else {
                unreported += others
            }
            for file in found {
                let folder = PathText.split(file).folder.dropFirst(PathText.join(path, "").count)
                items.append(.source(LoadSource(path: file, branch: String(folder))))
            }
        } catch {
            items.append(.failure(name: error.path, reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    /// Reads an image from a descriptor that was open when the program started.
    private mutating func addStream(_ descriptor: Int32, name: String) {
        guard takesInput(descriptor, name) else { return }
        do throws(DataFileError) {
            // One byte more than the limit, so that the decoder reports the error.
            let data = try StreamInput.read(descriptor, name: name, limit: ImageLimits().maximumBytes + 1)
            items.append(.source(LoadSource(data: data, name: name)))
        } catch {
            items.append(.failure(name: name, reason: "cannot \(error.call): \(error.reason)"))
        }
    }

    /// Returns whether a descriptor can be read: the standard input is read once.
    private mutating func takesInput(_ descriptor: Int32, _ name: String) -> Bool {
        guard descriptor == 0 else { return true }
        if isInputRead { items.append(.failure(name: name, reason: "the standard input is already a source")) }
        defer { isInputRead = true }
        return !isInputRead
    }

    private mutating func addList(_ path: String) {
        isOpen = true
        if let descriptor = ListFile.descriptor(path), !takesInput(descriptor, "@\(path)") { return }
        do throws(DataFileError) {
            for source in try ListFile.sources(in: path) { add(source, isListed: true) }
        } catch {
            items.append(.failure(name: "@\(path)", reason: "cannot \(error.call): \(error.reason)"))
        }
    }
}
