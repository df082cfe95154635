import FirnTelemetry
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A trace` {
    /// The content that a viewer reads.
    private struct Content: Decodable {
        struct Entry: Decodable {
            let name: String
            let ph: String
            let ts: Double
            let dur: Double?
            let pid: Int
            let tid: Int
            let id: Int?
        }
        let traceEvents: [Entry]
    }

    private func entries() async throws -> [Content.Entry] {
        let recorder = TimelineRecorder()
        _ = try await MadeUpEvents.record([recorder])
        return try JSONDecoder().decode(Content.self, from: recorder.trace()).traceEvents
    }

    @Test func `Has a named lane for every slice`() async throws {
        let entries = try await entries()
        let named = Set(entries.filter { $0.name == "thread_name" }.map(\.tid))
        let slices = entries.filter { $0.ph == "X" }
        #expect(Set(slices.map(\.name)).isSuperset(of: ["asked", "transfer", "decode"]))
        #expect(slices.allSatisfy { named.contains($0.tid) && ($0.dur ?? -1) >= 0 && $0.ts >= 0 })
    }

    @Test func `Has an arrow for each request, from where it was asked along its stages`() async throws {
        let entries = try await entries()
        let arrows = Dictionary(grouping: entries.filter { "stf".contains($0.ph) }) { $0.id ?? -1 }
        #expect(arrows.count == 3)
        for (_, steps) in arrows {
            let ordered = steps.sorted { $0.ts < $1.ts }
            #expect(ordered.first?.ph == "s" && ordered.last?.ph == "f")
            #expect(steps.filter { $0.ph == "f" }.count == 1)
            // An arrow must end inside a slice of its lane, or viewers drop it.
            for step in steps where step.ph != "s" {
                #expect(
                    entries.contains {
                        $0.ph == "X" && $0.tid == step.tid && $0.ts <= step.ts && step.ts <= $0.ts + ($0.dur ?? 0)
                    })
            }
        }
    }

    @Test func `Begins and ends every request once`() async throws {
        let entries = try await entries()
        let begins = entries.filter { $0.ph == "b" }.compactMap(\.id)
        let ends = entries.filter { $0.ph == "e" }.compactMap(\.id)
        #expect(Set(begins).count == 3 && begins.sorted() == ends.sorted())
    }

    @Test func `Is a valid file without events`() throws {
        let data = try TimelineRecorder().trace()
        #expect(try JSONDecoder().decode(Content.self, from: data).traceEvents.allSatisfy { $0.ph == "M" })
    }
}
