import FirnImage
public import FoundationEssentials

/// The thumbnails shared by the programs of a desktop, such as file managers and image viewers.
///
/// An entry is a PNG that names its file and the file's modification time. It is valid only while both match, and while
/// the file's status has not changed since it was made, as happens when files swap places. The store ignores entries
/// that are damaged, too large for their size class, links, or for other files. It ignores all entries if its directory
/// belongs to another user. Only local files have thumbnails; files in the store itself have none.
///
/// - Source: freedesktop.org, Thumbnail Managing Standard 0.9.
public struct ThumbnailStore: Sendable {
    /// The four sizes of thumbnails: the maximum of width and height. Smaller images keep their size.
    package enum Size: Int, CaseIterable, Sendable {
        /// 128 × 128 pixels.
        case normal = 128
        /// 256 × 256 pixels.
        case large = 256
        /// 512 × 512 pixels.
        case extraLarge = 512
        /// 1024 × 1024 pixels.
        case extraExtraLarge = 1024

        /// Returns the smallest size that holds `pixels`, or the largest.
        static func holding(_ pixels: Int) -> Size { allCases.first { $0.rawValue >= pixels } ?? .extraExtraLarge }

        /// The name of its directory.
        var directory: String {
            switch self {
            case .normal: "normal"
            case .large: "large"
            case .extraLarge: "x-large"
            case .extraExtraLarge: "xx-large"
            }
        }

        /// The maximum length of an entry: its pixels, plus room for its texts.
        var maximumBytes: Int { rawValue * rawValue * 5 + 65_536 }
    }

    /// The path of the directory; empty if there is none.
    package let folder: String
    private let files = LocalFileSystem.caches
    /// The program and version under which failures are recorded: another version may decode what this one could not.
    private static let failures = "fail/firn-\(FirnVersion.current)"

    /// Creates the user's store: `$XDG_CACHE_HOME/thumbnails`, or `~/.cache/thumbnails`. Does not access the disk.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` if the user has no home directory.
    public init() throws(DataCachingError) {
        folder = try DataCache.userDirectory("thumbnails", environment: ProcessInfo.processInfo.environment)
    }

    /// Creates a store in a directory. Does not access the disk. If the directory is not a `file:` URL, the store keeps
    /// nothing.
    public init(directory: URL) { folder = directory.localPath ?? "" }

    /// Returns the thumbnail of a file.
    ///
    /// - Parameters:
    ///   - file: a `file:` address.
    ///   - pixels: the needed maximum of width and height. The store has thumbnails of 128, 256, 512 and 1024 pixels:
    ///     the smallest that is large enough is returned, or the largest.
    /// - Returns: a PNG, not yet decoded; `nil` if there is none for this version of the file.
    public func data(for file: URL, fitting pixels: Int) async -> Data? {
        await data(for: file, size: Size.holding(pixels))
    }

    /// Returns the thumbnail of a file in one size.
    package func data(for file: URL, size: Size) async -> Data? {
        try? await BlockingCall.run { _ in try record(of: file, size: size)?.image }
    }

    /// Returns the thumbnail of a file, and creates and stores it if there is none.
    ///
    /// A thumbnail is returned without being stored if the file changes meanwhile, if writing to the disk fails, or if
    /// the store belongs to another user.
    ///
    /// - Parameters:
    ///   - file: a `file:` address.
    ///   - pixels: the needed maximum of width and height, as for ``data(for:fitting:)``.
    ///   - notStored: called with the reason if a new thumbnail is not stored. Default: does nothing.
    ///   - make: creates a PNG of at most this many pixels a side. `nil` means that the file cannot be decoded; this
    ///     version of Firn does not try again before the file changes.
    /// - Returns: the PNG; `nil` if the file cannot be decoded.
    /// - Throws: any error of `make`; ``/FirnImage/ImageError`` for a file that cannot be read or is not a local
    ///   file.
    public func data(
        for file: URL, fitting pixels: Int, notStored: @escaping @Sendable (DataCachingError) -> Void = { _ in },
        orMadeBy make: @Sendable (_ side: Int) async throws -> Data?
    ) async throws -> Data? {
        let size = Size.holding(pixels)
        return try await data(for: file, size: size, notStored: notStored) { try await make(size.rawValue) }
    }

    /// Returns the thumbnail of a file in one size, and creates and stores it if there is none.
    package func data(
        for file: URL, size: Size, notStored: @escaping @Sendable (DataCachingError) -> Void = { _ in },
        orMadeBy make: @Sendable () async throws -> Data?
    ) async throws -> Data? {
        let found = try await BlockingCall.run { _ in
            do throws(DataFileError) { return try record(of: file, size: size) } catch { throw ImageError(error) }
        }
        guard let record = found else {
            throw ImageError(DataFileError("open", file.path, code: DataFileError.notRegular))
        }
        if record.isUndecodable { return nil }
        if let image = record.image, ThumbnailPNG.hasWholePixels(image) { return image }
        let made = try await make()
        return try await BlockingCall.run { _ in
            let image = named(made, for: record)
            do throws(DataFileError) {
                try write(image, isFailure: made == nil, for: record)
            } catch { notStored(DataCachingError(error)) }
            return made == nil ? nil : image
        }
    }

    /// The thumbnail of one version of a file, or the fact that it cannot be decoded.
    package struct Record: Sendable {
        /// The size of the thumbnail.
        package let size: Size
        /// The thumbnail; `nil` if there is none.
        package let image: Data?
        /// True if this version of Firn could not decode the file.
        package let isUndecodable: Bool
        fileprivate let entry: ThumbnailEntry
        fileprivate let status: FileStatus
    }

    /// Returns the store's record for the current version of a file; `nil` for a file without thumbnails. Blocks on
    /// disk I/O.
    ///
    /// - Throws: `DataFileError` if the file cannot be read.
    package func record(of file: URL, size: Size) throws(DataFileError) -> Record? {
        guard let entry = entry(for: file) else { return nil }
        let status = try entry.status()
        let image = read(entry, status, in: size.directory, pixels: size.rawValue, bytes: size.maximumBytes)
        let failure = image == nil ? read(entry, status, in: ThumbnailStore.failures, pixels: 1, bytes: 65_536) : nil
        return Record(size: size, image: image, isUndecodable: failure != nil, entry: entry, status: status)
    }

    /// Stores a thumbnail; `nil` records that the file cannot be decoded. Blocks on disk I/O.
    ///
    /// - Throws: `DataFileError` if it is not stored, with ``DataFileError/changed`` if the file has changed since the
    ///   record was made.
    package func store(_ made: Data?, for record: Record) throws(DataFileError) {
        try write(named(made, for: record), isFailure: made == nil, for: record)
    }

    /// Returns the bytes to store, with the texts that name the file.
    private func named(_ made: Data?, for record: Record) -> Data {
        ThumbnailPNG.naming(record.entry, record.status, in: made ?? ThumbnailPNG.onePixel)
    }

    /// Removes the thumbnails of a file in all sizes, and the record of a failure.
    public func remove(for file: URL) async {
        _ = try? await BlockingCall.run { _ in
            guard let entry = entry(for: file) else { return }
            for folder in Size.allCases.map(\.directory) + [ThumbnailStore.failures] {
                try? files.remove(path(of: entry, in: folder))
            }
        }
    }

    // MARK: Entries

    private func entry(for file: URL) -> ThumbnailEntry? {
        guard file.isFileURL, let entry = ThumbnailEntry(path: file.path), !folder.isEmpty,
            !entry.path.hasPrefix(folder + "/")
        else { return nil }
        return entry
    }

    /// Returns the path for the thumbnail of a file, existing or not; `nil` for a file that has none.
    package func path(for file: URL, size: Size) -> String? {
        entry(for: file).map { path(of: $0, in: size.directory) }
    }

    private func path(of entry: ThumbnailEntry, in name: String) -> String { "\(folder)/\(name)/\(entry.name)" }

    /// Returns an intact entry for the current version of a file.
    ///
    /// - Parameters:
    ///   - pixels: the maximum of width and height.
    ///   - bytes: the maximum length.
    private func read(
        _ entry: ThumbnailEntry, _ status: FileStatus, in folder: String, pixels: Int, bytes: Int
    ) -> Data? {
        let path = path(of: entry, in: folder)
        guard (try? check(folder)) != nil, let data = try? files.read(path, first: bytes + 1), data.count <= bytes,
            let content = ThumbnailPNG.content(of: data), max(content.size.width, content.size.height) <= pixels,
            content.texts["Thumb::MTime"] == entry.modified(status),
            content.texts["Thumb::Size"].map({ $0 == "\(status.size)" }) ?? true,
            // Qt compresses long texts; the entry's name is the digest of the same address.
            [entry.address, ThumbnailPNG.compressed].contains(content.texts["Thumb::URI"])
        else { return nil }
        // A moved file keeps its modification time. Entries of other programs have only that.
        let isSame =
            content.texts[ThumbnailPNG.changed].map { $0 == "\(status.changed)" }
            ?? ((try? files.status(path)).map { $0.modified >= status.changed } ?? false)
        return isSame ? data : nil
    }

    private func write(_ data: Data, isFailure: Bool, for record: Record) throws(DataFileError) {
        guard (try? record.entry.status()) == record.status else {
            throw DataFileError("store a thumbnail", record.entry.path, code: DataFileError.changed)
        }
        let folder = isFailure ? ThumbnailStore.failures : record.size.directory
        try check(folder)
        try files.createDirectory("\(self.folder)/\(folder)")
        try OutputFile.replace(data, at: path(of: record.entry, in: folder), files: files)
    }

    /// Refuses another user's store: its content is not trustworthy, and that user's programs could not replace ours.
    private func check(_ folder: String) throws(DataFileError) {
        for path in [self.folder, "\(self.folder)/\(folder)"] {
            do throws(DataFileError) {
                _ = try files.checkPrivate(path, parts: [])
            } catch  where error.code == DataFileError.ownedByAnother { throw error } catch {}
        }
    }
}

/// A file with thumbnails: its address and its name in a store.
struct ThumbnailEntry: Sendable {
    let path: String
    let address: String
    /// The name of the thumbnails: the MD5 of the address.
    let name: String

    /// - Parameter path: an absolute path.
    init?(path: String) {
        guard path.hasPrefix("/") else { return nil }
        self.path = path
        address = ThumbnailEntry.address(of: path)
        name = MD5.hexadecimal(of: Array(address.utf8)) + ".png"
    }

    /// Returns the status of the file.
    ///
    /// - Throws: `DataFileError` if it does not exist or is not a regular file.
    func status() throws(DataFileError) -> FileStatus {
        let status = try LocalFileSystem().status(path)
        guard status.isRegular else { throw DataFileError("open", path, code: DataFileError.notRegular) }
        return status
    }

    /// Returns the modification time in whole seconds, as written in entries.
    func modified(_ status: FileStatus) -> String {
        let second: Int64 = 1_000_000_000
        // Also rounds down before 1970.
        return "\((status.modified - (status.modified % second + second) % second) / second)"
    }

    /// Returns the address of a path, escaped as in GLib: all programs must write the same bytes.
    ///
    /// - Source: GLib, `g_filename_to_uri`; RFC 2396, `pchar`.
    private static func address(of path: String) -> String {
        "file://" + PercentEncoding.encoded(SystemPath.bytes(path), keeping: "/!$&'()*+,:=@")
    }
}
