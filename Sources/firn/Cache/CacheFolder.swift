import ArgumentParser
import Firn
import FirnReport

/// The folder of a cache command.
struct CacheFolder: ParsableArguments {
    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"), completion: .directory)
    var folder: String

    @Flag(help: "Use the folder although other users can write to it.")
    var sharedCache = false

    /// The stores in the folder: originals, first bytes of partial bodies, decoded images.
    struct Stores {
        let entries: DataCacheStore
        let partial: DataCacheStore
        let bitmaps: BitmapCacheStore

        init(folder: String, isShared: Bool) {
            entries = DataCacheStore(
                cache: DataCache(directory: folder, isShared: isShared), names: ("entry", "entries"))
            partial = DataCacheStore(
                cache: DataCache(directory: folder, isShared: isShared).partialCache,
                names: ("part of a body", "parts of bodies"))
            bitmaps = BitmapCacheStore(store: BitmapStore(directory: folder, isShared: isShared))
        }

        var all: [any CacheStore] { [entries, partial, bitmaps] }

        /// Returns the counts of all stores in one line. Entries are always listed, other stores if they have some.
        func counted(_ counts: [Int]) -> String {
            zip(all, counts).enumerated().compactMap { place, each in
                place == 0 || each.1 > 0 ? each.0.counted(each.1) : nil
            }.joined(separator: ", ")
        }

        /// Returns the counts of all stores as fields of a JSON object.
        static func json(_ counts: [Int]) -> [(name: String, value: JSONValue)] {
            zip(["entries", "parts", "bitmaps"], counts).map { (name: $0, value: .int($1)) }
        }
    }

    /// Runs `body` with the stores of the folder. Reports errors with the folder's name.
    func use<Output>(_ body: (Stores) throws(CacheFailure) -> Output) throws -> Output {
        let isFolder: Bool
        do throws(DataFileError) {
            isFolder = try LocalFileSystem().status(folder).isDirectory
        } catch {
            throw report("cannot \(error.call): \(error.reason)")
        }
        guard isFolder else { throw report("not a folder") }
        try LoadEnvironment.check(folder, isShared: sharedCache)
        do throws(CacheFailure) {
            return try body(Stores(folder: folder, isShared: sharedCache))
        } catch {
            throw report(error.message)
        }
    }

    private func report(_ message: String) -> ExitCode {
        StandardError.line("firn: \(message.hasPrefix(folder) ? message : "\(folder): \(message)")")
        return .someFailed
    }
}
