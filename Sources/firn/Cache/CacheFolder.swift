import ArgumentParser
import Firn

/// The folder that a cache command works on.
struct CacheFolder: ParsableArguments {
    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"))
    var folder: String

    /// What may lie in the folder: originals, the first bytes of what still arrives, decoded images.
    struct Stores {
        let entries: DataCacheStore
        let partial: DataCacheStore
        let bitmaps: BitmapCacheStore

        init(folder: String) {
            entries = DataCacheStore(cache: DataCache(directory: folder), names: ("entry", "entries"))
            partial = DataCacheStore(
                cache: DataCache(directory: "\(folder)/partial", limits: .partialBodies),
                names: ("part of a body", "parts of bodies"))
            bitmaps = BitmapCacheStore(store: BitmapStore(directory: folder))
        }

        var all: [any CacheStore] { [entries, partial, bitmaps] }

        /// The counts of all stores in a line; the entries always, the others where there are some.
        func counted(_ counts: [Int]) -> String {
            zip(all, counts).enumerated().compactMap { place, each in
                place == 0 || each.1 > 0 ? each.0.counted(each.1) : nil
            }.joined(separator: ", ")
        }
    }

    /// Does something with what lies in the folder; what fails is told with the folder's name.
    func use<Output>(_ body: (Stores) throws(CacheFailure) -> Output) throws -> Output {
        let isFolder: Bool
        do throws(FileError) {
            isFolder = try LocalFileSystem().status(folder).isDirectory
        } catch {
            throw report("cannot \(error.call): \(error.reason)")
        }
        guard isFolder else { throw report("not a folder") }
        do throws(CacheFailure) {
            return try body(Stores(folder: folder))
        } catch {
            throw report(error.message)
        }
    }

    private func report(_ message: String) -> ExitCode {
        StandardError.line("firn: \(message.hasPrefix(folder) ? message : "\(folder): \(message)")")
        return .someFailed
    }
}
