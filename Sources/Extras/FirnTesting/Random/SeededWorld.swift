/// A model that a seed drives through random events and that checks its invariants after each of them.
package protocol SeededWorld {
    /// The violations so far.
    var problems: [String] { get }
    /// Performs one random event.
    mutating func step()
    /// Lets all work end.
    mutating func drain()
}

extension SeededWorld {
    /// Performs events and lets all work end. Stops at the first violation.
    ///
    /// - Returns: the first violation and its step; `nil` if there is none.
    package mutating func run(steps: Int) -> String? {
        for number in 0..<steps {
            step()
            if let problem = problems.first { return "step \(number): \(problem)" }
        }
        drain()
        return problems.first.map { "while draining: \($0)" }
    }
}
