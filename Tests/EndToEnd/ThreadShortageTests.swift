import FirnSystem
import FoundationEssentials
import Testing

/// Tests a system that starts no more threads: work goes on with those that are there; without any, it fails.
@Suite(.timeLimit(.minutes(5))) final class ThreadShortageTests: CommandSuite {
    /// A start is tried three times.
    private static let tries = 3

    private static let commands = [
        ["decode", "a.png"], ["decode", "a.png", "--isolation", "none"],
        ["thumbnail", "a.png", "-s", "64", "-o", "t.png"],
        ["load", "a.png", "--no-cache", "-s", "64", "-o", "l"], ["convert", "a.png", "-s", "64", "-o", "c.webp"],
        ["info", "a.png"],
    ]

    @Test(arguments: 1...6)
    func `a command goes on or fails if the system refuses one of its threads`(_ number: Int) throws {
        let library = try prepare()
        for words in ThreadShortageTests.commands {
            let run = try run(words, library, refusing: number...(number + ThreadShortageTests.tries - 1))
            #expect(run.status == 0 || (run.status == 1 && run.errors.contains("starts no thread")), "\(words): \(run)")
        }
    }

    @Test func `a command that gets no thread fails, and names the cause`() throws {
        let library = try prepare()
        for words in ThreadShortageTests.commands {
            let run = try run(words, library, refusing: 1...10_000)
            #expect(run.status == 1, "\(words): \(run)")
            #expect(run.errors.contains("starts no thread"), "\(words): \(run)")
        }
    }

    private func run(_ words: [String], _ library: String, refusing numbers: ClosedRange<Int>) throws
        -> BuiltCommand.Outcome
    {
        try firn.run(
            words, in: scratch,
            shell: "export LD_PRELOAD='\(library)' FIRN_REFUSE_FROM=\(numbers.lowerBound) "
                + "FIRN_REFUSE_TO=\(numbers.upperBound)", limit: "-k 5 30")
    }

    /// Compiles the library that refuses threads, by the compiler that comes with Swift.
    private func prepare() throws -> String {
        try scratch.write("a.png", Images.png(300, 200))
        let source =
            #filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex)
            + "/../Programs/FewThreads/few_threads.c"
        let compile = """
            "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -O1 -shared -fPIC -o few_threads.so '\(source)' -ldl
            """
        let run = try BuiltCommand(at: "/bin/sh").run(["-c", compile], in: scratch)
        try #require(run.status == 0, "\(run.errors)")
        return scratch.path("few_threads.so")
    }
}
