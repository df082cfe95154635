struct CacheFolder: ParsableArguments {
    @Flag(help: "Print one JSON object.")
    var json = false

    @Argument(
        help: ArgumentHelp("The cache's folder. Default: that of all runs of 'firn'.", valueName: "dir"),
        completion: .directory)
    var named: String?

    @Flag(help: "Use the folder although other users can write to it.")
    var sharedCache = false

    /// The given folder, or the user's; empty for a user without a home.
    var folder: String { named ?? LoadEnvironment.userFolder ?? "" }

    /// Runs `body` with the stores of the folder, and reports errors with the name of the folder. Creates the user's
    /// folder if it is missing.
    func use<Output>(_ body: (CacheStores) throws -> Output) throws -> Output {
        if folder.isEmpty { throw ExitCode.reported("no place for a cache; name a folder, or set HOME") }
        let isFolder: Bool
        do throws(DataFileError) {
            if named == nil { try LocalFileSystem.caches.createDirectory(folder) }
            isFolder = try LocalFileSystem().status(folder).isDirectory
        } catch {
            throw report("cannot \(error.call): \(error.reason)")
        }
        guard isFolder else { throw report("not a folder") }
        try LoadEnvironment.check(folder, isShared: sharedCache)
        do {
            return try body(CacheStores(folder: folder, isShared: sharedCache))
        } catch let error as DataCachingError {
            throw report(error.message)
        }
    }

    private func report(_ message: String) -> ExitCode {
        .reported(message.hasPrefix(folder) ? message : "\(folder): \(message)")
    }
}

protocol CacheStore {
    func statistics() throws -> CacheStatistics
    /// Checks every file; see `DataCache.verify(removing:)`.
    func verify(removing: Bool) throws -> [CacheProblem]
    func removeAll() throws
    /// Removes the entries for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed entries.
    func removeAll(where isUnwanted: (CacheRecord) -> Bool) throws -> Int
}

extension DataCache: CacheStore {}
extension BitmapStore: CacheStore {}

/// The stores in a cache folder: originals, partial bodies, decoded images.
struct CacheStores {
    let entries: DataCache
    let partial: DataCache
    let bitmaps: BitmapStore

    init(folder: String, isShared: Bool) {
        entries = DataCache(directory: folder, isShared: isShared)
        partial = entries.partialBodies
        bitmaps = .disk(path: folder, isShared: isShared)
    }

    var all: [any CacheStore] { [entries, partial, bitmaps] }

    /// Returns the counts of all stores in one line. Leaves out stores without content, except that of entries.
    static func text(_ counts: [Int]) -> String {
        let nouns = [("entry", "entries"), ("part of a body", "parts of bodies"), ("bitmap", "bitmaps")]
        return zip(nouns, counts).enumerated().compactMap { place, each in
            place == 0 || each.1 > 0 ? CountText.text(each.1, each.0.0, each.0.1) : nil
        }.joined(separator: ", ")
    }

    static func json(_ counts: [Int]) -> JSONValue.Fields {
        zip(["entries", "parts", "bitmaps"], counts).map { (name: $0, value: .int($1)) }
    }
}
