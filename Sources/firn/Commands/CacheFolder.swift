import ArgumentParser
import Firn

/// The folder that a cache command works on.
struct CacheFolder: ParsableArguments {
    @Argument(help: ArgumentHelp("The cache's folder.", valueName: "dir"))
    var folder: String

    /// Does something with the cache; what fails is told with the folder's name.
    func use<Output>(_ body: (DataCache) throws(DataCachingError) -> Output) throws -> Output {
        let isFolder: Bool
        do throws(FileError) {
            isFolder = try LocalFileSystem().status(folder).isDirectory
        } catch {
            throw tell("cannot \(error.call): \(error.reason)")
        }
        guard isFolder else { throw tell("not a folder") }
        do throws(DataCachingError) {
            return try body(DataCache(directory: folder))
        } catch {
            throw tell(error.message)
        }
    }

    private func tell(_ message: String) -> ExitCode {
        StandardError.line("firn: \(message.hasPrefix(folder) ? message : "\(folder): \(message)")")
        return .someFailed
    }
}
