/// The sources of the arguments, including the contents of folders and lists.
struct SourceList: Sendable {
    /// The sources in the order of the arguments, files of a folder by name. Includes failed arguments.
    private(set) var items: [LoadSource] = []
    /// True if the arguments include a folder or a list, so that there may be many sources.
    private(set) var isOpen = false
    /// True if the arguments name exactly one image.
    private(set) var isSingle = false
    /// The files in folders that are not sources.
    private(set) var leftOut = LeftOutFiles()
    /// The part of ``leftOut`` that no failure mentions.
    private var unreported = LeftOutFiles()
    private var isInputRead = false
    private let isLeftOut: @Sendable (String) -> Bool
    private var headers = HTTPHeaderFields()

    /// Reads lists and folders, and standard input for `-` and `@-`.
    ///
    /// - Parameters:
    ///   - headers: the header fields of requests for the addresses among the arguments. Default: none.
    ///   - isLeftOut: selects files of folders to skip, by path. Default: none.
    init(
        _ arguments: [String], headers: HTTPHeaderFields = HTTPHeaderFields(),
        isLeftOut: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.isLeftOut = isLeftOut
        self.headers = headers
        for argument in arguments {
            if argument == "-" {
                addStream(0, name: argument)
            } else if argument.hasPrefix("@") {
                addList(argument)
            } else {
                add(argument)
            }
        }
        isSingle = arguments.count == 1 && !isOpen
    }

    /// Creates a list of files with any names, and standard input for `-`.
    init(files paths: [String]) {
        isLeftOut = { _ in false }
        for path in paths {
            if let descriptor = ListFile.descriptor(path) {
                addStream(descriptor, name: path)
            } else {
                items.append(LoadSource(path: path))
            }
        }
    }

    /// Prints on standard error how much of the folders was left out.
    func reportLeftOut() {
        if let text = unreported.text { StandardError.line("firn: \(text)") }
    }

    private mutating func add(_ text: String, isListed: Bool = false) {
        var source = LoadSource(text, isListed: isListed)
        if !isListed { source.headers = headers }
        if !isListed, let descriptor = source.path.flatMap(StreamInput.descriptor) {
            return addStream(descriptor, name: text)
        }
        guard let path = source.path, (try? LocalFileSystem().status(path))?.isDirectory == true else {
            return items.append(source)
        }
        isOpen = true
        do throws(DataFileError) {
            var files: [String] = []
            var others = LeftOutFiles()
            try FolderScan.visit(path, leftOut: &others) { file, _ in
                if !isLeftOut(file) { files.append(file) }
                return true
            }
            leftOut += others
            if files.isEmpty {
                let reason = ["the folder holds no image", others.text].compactMap(\.self).joined(separator: "; ")
                items.append(LoadSource(failed: text, reason))
            } else {
                unreported += others
            }
            items += files.map { file in
                let folder = PathText.split(file).folder.dropFirst(PathText.join(path, "").count)
                return LoadSource(path: file, branch: String(folder))
            }
        } catch {
            fail(error.path, error)
        }
    }

    /// Reads an image from a descriptor that was open when the program started.
    private mutating func addStream(_ descriptor: Int32, name: String) {
        guard takesInput(descriptor, name) else { return }
        do throws(DataFileError) {
            // One byte more than the limit, so that the decoder reports the error.
            let data = try StreamInput.read(descriptor, name: name, limit: ImageLimits().maximumBytes + 1)
            items.append(LoadSource(data: data, name: name))
        } catch {
            fail(name, error)
        }
    }

    /// Returns whether a descriptor can be read. Standard input is read only once.
    private mutating func takesInput(_ descriptor: Int32, _ name: String) -> Bool {
        guard descriptor == 0 else { return true }
        if isInputRead { items.append(LoadSource(failed: name, "the standard input is already a source")) }
        defer { isInputRead = true }
        return !isInputRead
    }

    /// - Parameter name: the list with its `@`.
    private mutating func addList(_ name: String) {
        isOpen = true
        let path = String(name.dropFirst())
        if let descriptor = ListFile.descriptor(path), !takesInput(descriptor, name) { return }
        do throws(DataFileError) {
            for source in try ListFile.sources(in: path) { add(source, isListed: true) }
        } catch {
            fail(name, error)
        }
    }

    private mutating func fail(_ name: String, _ error: DataFileError) {
        items.append(LoadSource(failed: name, "cannot \(error.call): \(error.reason)"))
    }
}
