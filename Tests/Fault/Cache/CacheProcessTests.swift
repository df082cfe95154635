import FoundationEssentials
import Testing

/// Tests processes that share a cache's directory, and processes that are killed while they write. The long run is
/// `Scripts/kill-check`.
@Suite struct `Caches of several processes` {
    /// Runs the torture program in a directory of its own, without blocking a thread of Swift's pool.
    private func torment(_ words: [String]) async throws -> Int32 {
        let directory = try temporaryFolder("torture")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let program = BuiltProgram("firn-cache-torture")
        return await program.run([words[0], directory] + words.dropFirst())
    }

    @Test(.timeLimit(.minutes(5))) func `A writer killed at any time leaves intact entries or none (F11)`()
        async throws
    {
        #expect(try await torment(["kill", "60", "\(UInt32.random(in: 1...(.max)))"]) == 0)
    }

    @Test(.timeLimit(.minutes(5))) func `A builder of pyramids killed at any time leaves a whole pyramid or none`()
        async throws
    {
        #expect(try await torment(["kill-pyramids", "30", "\(UInt32.random(in: 1...(.max)))"]) == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [2, 8])
    func `Processes that share a directory read right bytes or none, and keep the limits together`(
        processes: Int
    ) async throws {
        let steps = 1_600 / processes
        #expect(try await torment(["crowd", "\(processes)", "\(steps)", "\(UInt16.random(in: 1...(.max)))"]) == 0)
    }
}
