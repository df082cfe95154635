import Testing

@testable import FirnBinding
@testable import FirnPipeline

@Suite struct HandOverTests {
    private typealias Pool = ReleasedLoads<String, Int>

    private func pool(_ policy: ImageReusePolicy, limit: Int = 8) -> Pool { Pool(policy: policy, limit: limit) }

    @Test func `A request is taken over in the frame in which its view goes away`() {
        var pool = pool(.cancel)
        #expect(pool.add(1, key: "a", hasEnded: false).isEmpty)
        let claimed = pool.claim("a")
        #expect(claimed?.id == 1)
        #expect(claimed?.isPaused == false)
        #expect(pool.frameEnded().isEmpty)
        #expect(pool.isEmpty)
    }

    @Test(arguments: [
        (ImageReusePolicy.cancel, [ReleasedLoads<String, Int>.Action.cancel(1)], false), (.finish, [.lower(1)], true),
        (.pause, [.pause(1)], true),
    ])
    func `An unclaimed request is treated by the policy, and can be claimed later if it is kept`(
        policy: ImageReusePolicy, actions: [ReleasedLoads<String, Int>.Action], isKept: Bool
    ) {
        var pool = pool(policy)
        _ = pool.add(1, key: "a", hasEnded: false)
        #expect(pool.frameEnded() == actions)
        #expect(pool.frameEnded().isEmpty)
        let claimed = pool.claim("a")
        #expect((claimed != nil) == isKept)
        #expect(pool.isEmpty)
    }

    @Test func `A claimed request reports whether it is paused`() {
        var pool = pool(.pause)
        _ = pool.add(1, key: "a", hasEnded: false)
        _ = pool.frameEnded()
        #expect(pool.claim("a")?.isPaused == true)
    }

    @Test func `Two views that release equal requests leave one`() {
        var pool = pool(.finish)
        _ = pool.add(1, key: "a", hasEnded: false)
        #expect(pool.add(2, key: "a", hasEnded: false) == [.cancel(1)])
        #expect(pool.claim("a")?.id == 2)
        #expect(pool.isEmpty)
    }

    @Test func `The oldest paused requests are cancelled beyond the limit`() {
        var pool = pool(.pause, limit: 2)
        for id in 1...4 { _ = pool.add(id, key: "\(id)", hasEnded: false) }
        #expect(pool.frameEnded() == [.pause(1), .pause(2), .pause(3), .pause(4), .cancel(1), .cancel(2)])
        #expect(pool.count == 2)
        #expect(pool.claim("1") == nil)
        #expect(pool.claim("3")?.id == 3)
    }

    @Test func `A change of the policy applies to requests that were released before`() {
        var pool = pool(.pause)
        _ = pool.add(1, key: "a", hasEnded: false)
        _ = pool.frameEnded()
        _ = pool.add(2, key: "b", hasEnded: false)
        #expect(pool.setPolicy(.finish) == [.resume(1)])
        #expect(pool.frameEnded() == [.lower(2)])
        #expect(pool.setPolicy(.pause) == [.pause(1), .pause(2)])
        #expect(pool.setPolicy(.pause).isEmpty)
        #expect(pool.setPolicy(.cancel) == [.cancel(1), .cancel(2)])
        #expect(pool.isEmpty)
    }

    @Test func `A request that ends before its frame does is kept for a view that takes its image`() {
        var pool = pool(.finish)
        _ = pool.add(1, key: "a", hasEnded: false)
        #expect(pool.finish(1).isEmpty)
        #expect(pool.claim("a")?.id == 1)
        _ = pool.add(2, key: "b", hasEnded: false)
        _ = pool.frameEnded()
        #expect(pool.finish(2) == [.forget(2)])
        #expect(pool.claim("b") == nil)
    }

    @Test func `Ended requests do not count among the paused ones`() {
        var pool = pool(.pause, limit: 1)
        _ = pool.add(1, key: "a", hasEnded: false)
        _ = pool.add(2, key: "b", hasEnded: true)
        #expect(pool.frameEnded() == [.pause(1), .forget(2)])
        #expect(pool.count == 1)
    }
}
