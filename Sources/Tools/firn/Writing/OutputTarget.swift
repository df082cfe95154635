enum OutputTarget: Sendable {
    /// A folder with names from the sources, and with the tree of a folder argument if `keepsTree`.
    case folder(String, keepsTree: Bool)
    /// A file; `-` for the standard output.
    case file(String)
    /// A pattern in which `%s` is the source's name without extension, in the folder of each source.
    case pattern(String)

    /// The format of the file's name or the pattern.
    var format: OutputFormat? {
        switch self {
        case .file(let name), .pattern(let name): OutputFormat(path: name)
        case .folder: nil
        }
    }

    /// True if the image goes to the standard output, named `-` or by a path such as `/dev/stdout`.
    var isStandardOutput: Bool {
        guard case .file(let path) = self else { return false }
        return path == "-" || OutputPlace.isStandardOutput(path)
    }

    /// Returns the output path of a source without extension; `nil` if it is fixed.
    func stem(for source: LoadSource) -> String? {
        let name = source.outputName
        switch self {
        case .file: return nil
        case .folder(let folder, let keepsTree):
            return PathText.join(PathText.join(folder, keepsTree ? source.branch : ""), name)
        case .pattern(let pattern):
            let (start, end) = PathText.split(pattern)
            let stem = start + (OutputFormat(path: pattern) == nil ? end : PathText.stem(end))
            let (folder, last) = PathText.split(stem.replacing("%s", with: name))
            // An absolute pattern ignores the folders of the sources, except the tree of a folder argument.
            let sourceFolder = source.path.map { PathText.split($0).folder } ?? ""
            return PathText.join(
                folder.hasPrefix("/") ? folder + source.branch : PathText.join(sourceFolder, folder), last)
        }
    }

    /// Returns the target that an option names and creates its folder. The target is standard output for `-`; a file
    /// for a single source if the name has an image extension or is that of a pipe, socket, device or descriptor;
    /// otherwise a folder.
    ///
    /// - Parameters:
    ///   - keepsTree: whether the tree of a folder source is recreated below the folder.
    ///   - hasFormat: whether the format was named. An existing file then needs no extension: file managers create an
    ///     empty one first.
    /// - Throws: a usage error if several images would go to standard output; `ExitCode` if it is a terminal or the
    ///   folder cannot be created. The reason was reported.
    static func named(
        _ text: String, for list: SourceList, keepsTree: Bool = false, hasFormat: Bool = false
    ) throws -> OutputTarget {
        if text == "-", !list.isSingle {
            throw ValidationError(
                "The standard output takes a single image; name one source, or a folder after --out.")
        }
        let status = try? LocalFileSystem().status(text)
        let isFolder = status?.isDirectory ?? text.hasSuffix("/")
        let isFile = OutputFormat(path: text) != nil || OutputPlace.isStream(text) || hasFormat && status != nil
        let target: OutputTarget =
            text == "-" || list.isSingle && !isFolder && isFile ? .file(text) : .folder(text, keepsTree: keepsTree)
        if target.isStandardOutput, Terminal(descriptor: 1).isTerminal {
            throw ExitCode.reported("-: the standard output is a terminal; send the image to a file or a program")
        }
        guard case .folder(let folder, _) = target else { return target }
        do throws(DataFileError) {
            try LocalFileSystem().createDirectory(folder)
        } catch {
            throw ExitCode.reported("\(folder): cannot make the folder: \(error.reason)")
        }
        return target
    }

    /// Returns the values of three options, completed: the second of two sources is the output if its name is free, and
    /// `png:-` is the standard output in a format.
    ///
    /// - Parameters:
    ///   - takesLast: whether the second source may be the output. Default: true.
    ///   - replaces: whether it may also be an existing file that is no image, and whose name has another format than
    ///     the source: a shell's pattern like `*.png` names sources, one of which may be damaged. Default: false.
    /// - Throws: a usage error for a format that is only read, or that contradicts the name.
    static func completed(
        _ out: String?, _ format: OutputFormat?, _ sources: [String], takesLast: Bool = true, replaces: Bool = false
    ) throws -> (out: String?, format: OutputFormat?, sources: [String]) {
        if out == nil, takesLast, sources.count == 2, isNew(sources[1], after: sources[0], format, replaces) {
            return try completed(sources[1], format, [sources[0]])
        }
        guard let name = out else { return (out, format, sources) }
        let stream = name.hasSuffix(":-") ? try OutputFormat(named: String(name.dropLast(2))) : nil
        if stream == nil, let reason = OutputFormat.refusal(of: name), !isFolder(name) {
            throw ValidationError("\(name): \(reason)")
        }
        if let format, let named = stream ?? OutputFormat(path: name), named != format,
            sources.count == 1 || name.contains("%s")
        {
            throw ValidationError("--format \(format.rawValue) and the name \(name) contradict each other.")
        }
        return (stream == nil ? name : "-", format ?? stream, sources)
    }

    /// Returns whether a name is that of a new image, and not a source, after a single source.
    ///
    /// - Parameters:
    ///   - format: a format that the name must have; `nil` for any.
    ///   - replaces: whether it may be an existing file that is no image.
    private static func isNew(
        _ name: String, after source: String, _ format: OutputFormat?, _ replaces: Bool
    ) -> Bool {
        // The standard input is a source only once.
        if name == "-" { return source == "-" }
        let isStream = name.hasSuffix(":-")
        let path = isStream ? "x.\(name.dropLast(2))" : name
        guard ImageFormat(path: path) != nil, format == nil || format == OutputFormat(path: path),
            !source.hasPrefix("@"), LoadSource(source, isListed: false).path.map(isFolder) != true
        else { return false }
        if isStream { return true }
        guard !name.hasPrefix("@"), LoadSource(name, isListed: false).path == name else { return false }
        if FileKind(name) == .missing { return true }
        let files = LocalFileSystem()
        // Only regular files are read: a read from a pipe would take its bytes.
        guard replaces, ImageFormat(path: source) != ImageFormat(path: name),
            (try? files.status(name))?.isRegular == true,
            let head = try? files.read(name, first: ImageFormat.sniffLength)
        else { return false }
        return ImageFormat(head) == nil
    }

    private static func isFolder(_ path: String) -> Bool { (try? LocalFileSystem().status(path))?.isDirectory == true }

    /// Creates the folder of an image. The last folders, which the command names itself, must not be links.
    func makeFolder(_ path: String, for source: LoadSource) throws(ImageFault) {
        // The tree of a folder source is recreated below that of the target.
        let makesBranches =
            switch self {
            case .folder(_, let keepsTree): keepsTree
            case .pattern(let pattern): pattern.hasPrefix("/")
            case .file: false
            }
        var folder = path[...]
        for _ in makesBranches ? source.branch.split(separator: "/") : [] {
            while folder.count > 1, folder.last == "/" { folder.removeLast() }
            if FileKind(String(folder)) == .link {
                throw ImageFault(
                    "source",
                    "\(folder) is a link and is not followed below an output folder; name another folder with --out")
            }
            folder = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
        }
        do throws(DataFileError) { try LocalFileSystem().createDirectory(path) } catch { throw .unwritten(error) }
    }
}
