import FirnHTTP
import Testing

@Suite struct `Parts of responses` {
    private typealias Part = ResponseOrder.Part
    private static let parts: [(name: Character, part: Part)] = [
        ("i", .head(status: 103)), ("h", .head(status: 200)), ("0", .head(status: 0)), ("b", .body), ("e", .end),
        ("s", .end),
    ]

    private func isFailure(_ verdict: ResponseOrder.Verdict) -> Bool {
        if case .fail = verdict { true } else { false }
    }

    @Test func `Every order of parts passes as a head, its body and its end, or fails`() {
        // Every sequence of five parts; "s" is a request that is sent.
        for code in 0..<7_776 {
            var order = ResponseOrder()
            var passed = ""
            var hasFailed = false
            var rest = code
            for _ in 0..<5 {
                let (name, part) = Self.parts[rest % 6]
                rest /= 6
                if name == "s" {
                    order.sent()
                    passed.append("s")
                    continue
                }
                switch order.take(part) {
                case .pass:
                    #expect(!hasFailed)
                    passed.append(name)
                case .drop: #expect(hasFailed || name == "i")
                case .fail:
                    #expect(!hasFailed, "fails once")
                    hasFailed = true
                }
            }
            let responses = passed.filter { $0 != "s" }.split(separator: "e", omittingEmptySubsequences: false)
            #expect(responses.dropLast().allSatisfy { $0.first == "h" && $0.dropFirst().allSatisfy { $0 == "b" } })
            #expect((responses.last?.first ?? "h") == "h")
            #expect(passed.count { $0 == "h" } <= passed.count { $0 == "s" }, "\(passed)")
        }
    }

    @Test(arguments: [-1, 0, 1, 99, 101, 1000, Int.max])
    func `A status that HTTP does not have fails`(status: Int) {
        var order = ResponseOrder()
        order.sent()
        #expect(isFailure(order.take(.head(status: status))))
        #expect(order.take(.end) == .drop)
    }

    @Test func `Interim responses are dropped, up to a hundred of them`() {
        var order = ResponseOrder()
        for _ in 0..<3 {
            order.sent()
            for _ in 0..<ResponseOrder.interimLimit { #expect(order.take(.head(status: 103)) == .drop) }
            #expect(order.take(.head(status: 204)) == .pass)
            #expect(order.take(.end) == .pass)
        }
        order.sent()
        for _ in 0..<ResponseOrder.interimLimit { _ = order.take(.head(status: 100)) }
        #expect(isFailure(order.take(.head(status: 100))))
    }
}
