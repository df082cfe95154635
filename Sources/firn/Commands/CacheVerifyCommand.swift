import ArgumentParser
import Firn

/// `firn cache verify`: proves every entry.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read and prove every entry of the cache.",
        discussion: """
            Prints a line for each file that is damaged, left behind or none of the cache's, and then ends with
            status 1.

            EXAMPLE
              firn cache verify ~/.cache/firn --remove
            """)

    @Flag(help: "Remove what is damaged or left behind.")
    var remove = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let (problems, count) = try target.use { cache throws(DataCachingError) in
            (try cache.verify(removing: remove), try cache.statistics().count)
        }
        for problem in problems {
            StandardOutput.line("\(problem)\(problem.isRemoved ? " (removed)" : "")")
        }
        StandardOutput.line("\(target.folder): \(count) entries, \(problems.count) problems")
        if !problems.isEmpty { throw ExitCode.someFailed }
    }
}
