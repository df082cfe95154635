import FirnSync
import FirnTesting
import Testing

@Suite struct `Recent values` {
    private let values = RecentValues<Int, String?>(capacity: 2)
    private let made = Counter()

    private func value(_ key: Int) -> String? {
        values.value(for: key) {
            made.add()
            return "\(key)"
        }
    }

    @Test func `A value is made once`() {
        #expect(value(1) == "1")
        #expect(value(1) == "1")
        #expect(made.count == 1)
    }

    @Test func `The value used longest ago makes room`() {
        for key in [1, 2, 1, 3] { _ = value(key) }
        #expect(made.count == 3)
        _ = value(1)
        #expect(made.count == 3)
        _ = value(2)
        #expect(made.count == 4)
    }

    @Test func `A value of nil is cached, too`() {
        for _ in 0..<2 {
            let none = values.value(for: 1) {
                made.add()
                return nil
            }
            #expect(none == nil)
        }
        #expect(made.count == 1)
    }

    @Test func `If a value is made twice at once, the first is cached`() {
        let outer = values.value(for: 1) {
            #expect(values.value(for: 1) { "first" } == "first")
            return "second"
        }
        #expect(outer == "first")
        #expect(value(1) == "first" && made.count == 0)
    }

    @Test func `Threads get the values of their keys`() async {
        await withTaskGroup(of: Bool.self) { group in
            for start in 0..<8 {
                group.addTask {
                    (0..<2000).allSatisfy { index in
                        let key = (start + index) % 5
                        return value(key) == "\(key)"
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
