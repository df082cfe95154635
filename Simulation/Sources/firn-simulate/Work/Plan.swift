/// The steps of a task, or the steps that are done once a job has ended: up to four steps, one byte each.
struct Plan: JobSteps, Hashable {
    private var packed: UInt32 = 0
    private var length: UInt8 = 0

    init(_ steps: [UInt8] = []) { for step in steps.prefix(4) { append(step) } }

    var count: Int { Int(length) }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: packed >> UInt32(index * 8)) }

    func adding(_ step: UInt8) -> Plan {
        var plan = self
        plan.append(step)
        return plan
    }

    func starts(with other: Plan) -> Bool {
        guard other.length <= length else { return false }
        let mask = other.length == 4 ? UInt32.max : (1 << UInt32(other.length * 8)) - 1
        return packed & mask == other.packed
    }

    /// Returns whether a step decodes; the other steps process.
    static func decodes(_ step: UInt8) -> Bool { step < 10 }

    private mutating func append(_ step: UInt8) {
        packed |= UInt32(step) << UInt32(length * 8)
        length += 1
    }
}
