/// Three tasks and their limits: a setting in which all scripts are played.
struct ScriptSetting {
    struct Part {
        let key: Int
        let plan: Plan
        let level: Int
    }

    let name: String
    let parts: [Part]
    var slots = 1
    var perHost = 6
    var reserved = 0
    var sessions = 1
    var order = JobOrder.firstInFirstOut
    /// True if the fetches start with a transfer.
    var isTransfer = true
    /// Events before each script.
    var prologue: [ScriptEvent] = []

    static let all: [ScriptSetting] = [
        ScriptSetting(
            name: "three keys, three levels, one slot",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 1), Part(key: 1, plan: Plan([0]), level: 2),
                Part(key: 2, plan: Plan([0]), level: 4),
            ]),
        ScriptSetting(
            name: "one key, one way",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 1), Part(key: 0, plan: Plan([0]), level: 3),
                Part(key: 0, plan: Plan([0]), level: 0),
            ]),
        ScriptSetting(
            name: "one key, three ways",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 1), Part(key: 0, plan: Plan([0, 10]), level: 3),
                Part(key: 0, plan: Plan([1]), level: 2),
            ]),
        ScriptSetting(
            name: "one key, three ways, from the cache on the disk",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 1), Part(key: 0, plan: Plan([0, 10]), level: 3),
                Part(key: 0, plan: Plan(), level: 2),
            ], isTransfer: false),
        ScriptSetting(
            name: "two keys, two slots, one of them for what is seen, last in first out",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 0), Part(key: 0, plan: Plan([0, 10]), level: 1),
                Part(key: 1, plan: Plan([0]), level: 2),
            ], slots: 2, reserved: 1, order: .lastInFirstOut),
        ScriptSetting(
            name: "two keys, bytes arriving",
            parts: [
                Part(key: 0, plan: Plan([0]), level: 1), Part(key: 0, plan: Plan([1, 10]), level: 3),
                Part(key: 1, plan: Plan([0]), level: 2),
            ], slots: 2, perHost: 1, prologue: [.add(0), .next, .bytes(0)]),
    ]
}
