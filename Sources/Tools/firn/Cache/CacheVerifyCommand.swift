struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read and check every file of the cache.",
        discussion: """
            Prints a line for each file that is damaged, stray or foreign. If there is one, the exit status is 1.

            EXAMPLE
              firn cache verify --remove
            """)

    @Flag(help: "Remove damaged and stray files.")
    var remove = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let (problems, counts) = try target.use { stores in
            var problems: [CacheProblem] = []
            let counts = try stores.all.map { store in
                problems += try store.verify(removing: remove)
                return try store.statistics().count
            }
            return (problems, counts)
        }
        if target.json {
            let list = problems.map { ["path": $0.path, "reason": $0.reason, "removed": $0.isRemoved] as JSONValue }
            let fields = JSONValue.fields(["folder": target.folder, "problems": list])
            StandardOutput.line(JSONValue.object(fields + CacheStores.json(counts)).text)
        } else {
            for problem in problems { StandardOutput.line("\(problem)\(problem.isRemoved ? " (removed)" : "")") }
            let count = CountText.text(problems.count, "problem", "problems")
            StandardOutput.line("\(target.folder): \(CacheStores.text(counts)), \(count)")
        }
        if !problems.isEmpty { throw ExitCode.someFailed }
    }
}
