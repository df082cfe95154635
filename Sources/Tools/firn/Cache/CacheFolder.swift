import ArgumentParser
import Firn
import FirnReport

struct CacheFolder: ParsableArguments {
    @Flag(help: "Print one JSON object.")
    var json = false

    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"), completion: .directory)
    var folder: String

    @Flag(help: "Use the folder although other users can write to it.")
    var sharedCache = false

    /// Runs `body` with the stores of the folder. Reports errors with the folder's name.
    func use<Output>(_ body: (CacheStores) throws -> Output) throws -> Output {
        let isFolder: Bool
        do throws(DataFileError) {
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
        } catch let error as BitmapStoringError {
            throw report(error.message)
        }
    }

    private func report(_ message: String) -> ExitCode {
        StandardError.line("firn: \(message.hasPrefix(folder) ? message : "\(folder): \(message)")")
        return .someFailed
    }
}
