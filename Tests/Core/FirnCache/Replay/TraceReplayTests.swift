import FirnTesting
import Testing

@testable import FirnCache

/// Replays traces of requests against the memory cache's policy, least recently used, and the optimum.
@Suite struct TraceReplayTests {
    /// Returns the hash of an image's key.
    private static func bits(_ image: Int32) -> UInt64 {
        var random = SeededGenerator(seed: UInt64(UInt32(bitPattern: image)))
        return random.next()
    }

    /// Returns the hits of the memory cache's policy.
    ///
    /// - Parameter cores: the number of cores that make the requests, in random order. Each records its uses, of which
    ///   the policy learns as in the cache. 0: the policy learns of each use at once.
    private static func hits(_ trace: Trace, cores: Int = 0) -> Int {
        var table = AdaptiveTable(capacity: trace.capacity)
        var slots: [Int32: Int32] = [:]
        var images: [Int32: Int32] = [:]
        var random = SeededGenerator(seed: 1)
        var cores = [RecordedUses](repeating: RecordedUses(), count: cores)
        var uses: [RecordedUses.Use] = []
        var hits = 0
        for (moment, image) in trace.requests.enumerated() {
            if let slot = slots[image] {
                hits += 1
                guard let core = cores.indices.randomElement(using: &random) else {
                    table.touch(slot)
                    continue
                }
                if cores[core].record(slot, now: { Int64(moment) * 100 }) {
                    cores[core].settle { core in
                        core.drain { table.touch($0.slot) }
                        return true
                    }
                }
                continue
            }
            for core in cores.indices { cores[core].drain { uses.append($0) } }
            table.touch(&uses)
            let cost = trace.sizes[Int(image)]
            let slot = table.insert(bits: bits(image), cost: cost, born: 0)
            (slots[image], images[slot]) = (slot, image)
            var passed = SlotList.none
            while table.cost > trace.capacity, let victim = table.nextVictim(after: passed) {
                if victim == slot {
                    passed = slot
                } else {
                    table.take(victim)
                    if let evicted = images.removeValue(forKey: victim) { slots[evicted] = nil }
                }
            }
        }
        return hits
    }

    /// Returns the hits of plain LRU.
    private static func hitsByRecency(_ trace: Trace) -> Int {
        var index = DiskIndex()
        var hits = 0
        for image in trace.requests {
            let id = EntryID(high: UInt64(UInt32(bitPattern: image)), low: bits(image))
            let file = DiskIndex.File(id: id, size: trace.sizes[Int(image)], used: 0, created: 0)
            if index.contains(id) {
                hits += 1
                index.use(file, isPartial: false)
                continue
            }
            index.insert(file)
            let none = EntryID(high: .max, low: 0)
            while index.bytes > trace.capacity, let oldest = index.leastRecent(except: none) { index.remove(oldest) }
        }
        return hits
    }

    @Test func `Replayed traces have nine tenths of the optimum's hits, and nowhere fewer than the order of use`() {
        let traces = TraceCatalog.all(length: 8_000)
        var part = 0.0
        for trace in traces {
            let hits = TraceReplayTests.hits(trace)
            let recent = TraceReplayTests.hitsByRecency(trace)
            let point = Double(trace.requests.count) / 100
            #expect(Double(hits) >= Double(recent) - point, "\(trace.name): \(hits) hits, by use alone \(recent)")
            part += Double(hits) / Double(Belady(trace).hits) / Double(traces.count)
        }
        #expect(part >= 0.9, "\(part) of the optimum")
    }

    @Test(arguments: [1, 2, 16]) func `Uses that cores record cost at most half a hit in a hundred`(cores: Int) {
        for trace in TraceCatalog.all(length: 8_000) {
            let (hits, exact) = (TraceReplayTests.hits(trace, cores: cores), TraceReplayTests.hits(trace))
            #expect(hits * 200 >= exact * 200 - trace.requests.count, "\(trace.name): \(hits) hits, exact \(exact)")
        }
    }

    @Test func `No policy has more hits than the bound`() {
        for trace in TraceCatalog.all(length: 2_000) {
            let bound = FlowBound(trace, rounds: 60).hits
            #expect(Double(Belady(trace).hits) <= bound + 0.5, "\(trace.name)")
            #expect(Double(TraceReplayTests.hits(trace)) <= bound + 0.5, "\(trace.name)")
        }
    }
}
