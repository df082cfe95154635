/// The number of tasks that wait for a job at each of the five levels, so that the highest is known at once.
struct PriorityCount {
    private var counts: (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)

    mutating func add(_ level: Int) { change(level, by: 1) }
    mutating func remove(_ level: Int) { change(level, by: -1) }

    /// The highest level of a waiting task; `nil` if no task waits.
    var highest: Int? {
        if counts.4 > 0 { return 4 }
        if counts.3 > 0 { return 3 }
        if counts.2 > 0 { return 2 }
        if counts.1 > 0 { return 1 }
        return counts.0 > 0 ? 0 : nil
    }

    private mutating func change(_ level: Int, by amount: Int32) {
        switch level {
        case 0: counts.0 += amount
        case 1: counts.1 += amount
        case 2: counts.2 += amount
        case 3: counts.3 += amount
        default: counts.4 += amount
        }
    }
}
