import ArgumentParser
import Firn
import FirnReport

/// `firn cache verify`: checks every file of a cache.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read and check every entry, partial body and bitmap of the cache.",
        discussion: """
            Prints a line for each file that is damaged, stray or foreign. If there is one, the exit status is 1.

            EXAMPLE
              firn cache verify ~/.cache/firn --remove
            """)

    @Flag(help: "Remove damaged and stray files.")
    var remove = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let (problems, counts) = try target.use { stores throws(CacheFailure) in
            var problems: [CacheProblem] = []
            var counts: [Int] = []
            for store in stores.all {
                problems += try store.verify(removing: remove)
                counts.append(try store.size().count)
            }
            return (problems, stores.counted(counts))
        }
        for problem in problems {
            StandardOutput.line("\(problem)\(problem.isRemoved ? " (removed)" : "")")
        }
        let found = CountText.text(problems.count, "problem", "problems")
        StandardOutput.line("\(target.folder): \(counts), \(found)")
        if !problems.isEmpty { throw ExitCode.someFailed }
    }
}
