import FirnSync
import Testing

@Suite struct IdleWorkersTests {
    @Test func `a worker that is still busy is called last, after new ones`() {
        var idle = IdleWorkers(maximum: 3)
        for _ in 0..<2 {
            _ = idle.call()
            idle.arrived()
        }
        idle.sleeps(0)
        idle.sleeps(1)
        var called: [String] = []
        let states: [(Int) -> Bool] = [{ $0 == 0 }, { _ in false }, { _ in false }, { _ in true }]
        for isFree in states {
            called.append("\(idle.call(isFree: isFree))")
            idle.arrived()
        }
        #expect(called == ["wake(0)", "start(2)", "wake(1)", "none"])
    }
}
