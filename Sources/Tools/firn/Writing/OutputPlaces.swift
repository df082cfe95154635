import FirnDigest
import FirnSync

/// Writes the images of a batch and protects existing files.
///
/// - No source of the batch is overwritten under any of its names: files are compared by device and inode.
/// - A file that the same command made from the same source is replaced. It is recognized by its ``FileMark`` or,
///   without a mark, by equal bytes. Links are never replaced.
/// - Any other file is kept, and a number is added to the name.
/// - The options for existing files change these rules: the source of a kept file counts as done.
final class OutputPlaces: Sendable {
    struct Place: Sendable {
        /// The path; `-` for the standard output.
        let path: String
        /// True if an existing file of that name was kept.
        var isKept = false
        /// True if transparent pixels were put on the background.
        var isFlattened = false
    }

    private let sources: Set<[UInt64]>
    private let purpose: String
    private let existing: WritingOptions.ExistingFileRule
    private let files = LocalFileSystem()
    private let names = Locked<Set<String>>([])
    private static let maximumNumbers = 10_000

    /// - Parameters:
    ///   - purpose: the name of the command, a part of the mark.
    ///   - existing: the rule for files that exist.
    init(_ list: SourceList, purpose: String, existing: WritingOptions.ExistingFileRule = .replaceOwn) {
        let files = files
        // Standard input may be a file.
        sources = Set(
            list.items.compactMap { source in
                (source.path ?? (source.data == nil ? nil : source.name)).flatMap { try? files.status($0).identity }
            })
        self.purpose = purpose
        self.existing = existing
    }

    /// Returns a path without extension that is unique in the batch: `wanted`, otherwise `wanted-2` and so on.
    func reserve(_ wanted: String) -> String {
        names.withLock { taken in
            var (stem, number) = (wanted, 2)
            while !taken.insert(stem).inserted {
                stem = "\(wanted)-\(number)"
                number += 1
            }
            return stem
        }
    }

    /// Returns the existing file for which a source is skipped; `nil` if there is none.
    ///
    /// - Parameter stem: the result of ``reserve(_:)`` for this source.
    func finished(_ source: LoadSource, at stem: String, fileExtension: String) -> String? {
        guard existing != .replaceOwn else { return nil }
        for number in 1...OutputPlaces.maximumNumbers {
            let path = "\(number == 1 ? stem : "\(stem)-\(number)").\(fileExtension)"
            guard FileKind(path) != .missing else { return nil }
            if existing == .keep { return path }
            let mark = FileMark.of(path)
            // A file without a mark belongs to the source whose name it has.
            if mark == nil ? number == 1 : mark == self.mark(of: source) {
                return isNewer(path, than: source) ? path : nil
            }
        }
        return nil
    }

    /// Returns whether a source is skipped because the file that the user named exists.
    func isFinished(_ source: LoadSource, toFile path: String) -> Bool {
        guard existing != .replaceOwn, path != "-", !OutputPlace.isStream(path), identity(path) != nil else {
            return false
        }
        return existing == .keep || isNewer(path, than: source)
    }

    private func isNewer(_ path: String, than source: LoadSource) -> Bool {
        guard let origin = source.path, let before = try? files.status(origin), let after = try? files.status(path),
            before.identity != after.identity
        else { return false }
        return after.modified >= before.modified
    }

    /// Writes an image to `stem.fileExtension`, or with the next free number.
    ///
    /// - Parameter stem: the result of ``reserve(_:)`` for this source.
    func write(
        _ data: Data, of source: LoadSource, to stem: String, fileExtension: String
    ) throws(ImageFault) -> Place {
        let mark = mark(of: source)
        var current = stem
        for _ in 0..<OutputPlaces.maximumNumbers {
            let path = "\(current).\(fileExtension)"
            let kind = FileKind(path)
            if kind == .missing {
                do throws(DataFileError) {
                    try OutputFile.create(data, at: path, mark: FileMark.setter(mark))
                    return Place(path: path)
                } catch {
                    // Another process has created the file meanwhile.
                    guard error.isExisting else { throw .unwritten(error) }
                }
            }
            if existing == .keep { return Place(path: path, isKept: true) }
            if let status = try? files.status(path) {
                if status.identity == source.path.flatMap(identity) { throw .itself }
                // A link is not followed: its target may belong to another user or change before it is replaced.
                if kind == .file, !sources.contains(status.identity) {
                    let older = FileMark.of(path)
                    if let mark, older == mark { return try replace(data, at: path, mark, isMade: true) }
                    // A marked file belongs to another source, which may still change.
                    if older == nil, status.size == data.count,
                        (try? files.read(path, first: data.count + 1)) == data
                    {
                        return Place(path: path)
                    }
                }
            }
            current = reserve(stem)
        }
        throw .unwritten(DataFileError("write", "\(stem).\(fileExtension)", code: 17))
    }

    /// Writes an image to exactly this path; to the standard output for `-`. Replaces an existing file unless it is a
    /// source.
    ///
    /// - Parameter isMade: whether the command chose the name, not the user. A link is then replaced. Otherwise links
    ///   are followed, and pipes, sockets, devices and descriptors are written to.
    func write(
        _ data: Data, of source: LoadSource, toFile path: String, isMade: Bool = false
    ) throws(ImageFault) -> Place {
        if path == "-" {
            if let reason = StandardOutput.write(data) {
                throw ImageFault("source", "cannot write to the standard output: \(reason)")
            }
            return Place(path: path)
        }
        if isMade ? FileKind(path) == .file : !OutputPlace.isStream(path), let current = identity(path) {
            if existing == .keep { return Place(path: path, isKept: true) }
            if source.path.flatMap(identity) == current { throw .itself }
            if sources.contains(current) { throw .source(path) }
        }
        return try replace(data, at: path, mark(of: source), isMade: isMade)
    }

    private func replace(_ data: Data, at path: String, _ mark: String?, isMade: Bool) throws(ImageFault) -> Place {
        do throws(DataFileError) {
            let notes =
                isMade
                ? try OutputFile.replace(data, at: path, mark: FileMark.setter(mark))
                : try OutputFile.write(data, to: path, mark: FileMark.setter(mark))
            StandardError.warn(path, notes)
            return Place(path: path)
        } catch {
            throw .unwritten(error)
        }
    }

    func isSource(_ path: String) -> Bool { identity(path).map(sources.contains) ?? false }

    /// Returns the identity of a file, which all its names share; `nil` if it does not exist. Follows links.
    private func identity(_ path: String) -> [UInt64]? { (try? files.status(path))?.identity }

    /// Returns the command's name and the SHA-256 of the source's identity, since an address may contain a secret.
    private func mark(of source: LoadSource) -> String? {
        source.identity.map { "\(purpose):\(SHA256.hash($0.utf8).hexadecimal)" }
    }

    /// Returns whether the command of this name made a file.
    static func isProcessed(_ path: String, by purpose: String) -> Bool {
        FileMark.of(path)?.hasPrefix("\(purpose):") == true
    }
}

extension LoadSource {
    /// The output name without extension: no control characters, and short enough to append a number.
    ///
    /// In names that are not local, characters that are special in shells and other file systems are replaced, too.
    var outputName: String {
        var name = ""
        for scalar in PathText.stem(label).unicodeScalars {
            let isUnsafe =
                scalar == "/" || TerminalText.isObeyed(scalar)
                || place != .file && "\\:*?\"<>|".unicodeScalars.contains(scalar)
            name.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        while name.utf8.count > 200 { name.removeLast() }
        // A leading dot would hide the file.
        if name.hasPrefix(".") { name = "_" + name.dropFirst() }
        return name.isEmpty ? "image" : name
    }
}
