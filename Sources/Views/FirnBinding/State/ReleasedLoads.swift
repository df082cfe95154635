/// Holds released requests. Until the frame ends, the next view with the same request can take one over; then the
/// list's policy applies.
///
/// A value: takes events and returns actions. `Key` identifies the content, `ID` the request.
///
/// Invariants: an id is in at most one state; a key has at most one id, the latest; at most `limit` are paused.
struct ReleasedLoads<Key: Hashable, ID: Hashable & Sendable> {
    enum Action: Equatable, Sendable {
        case cancel(ID)
        /// Continues it with a lower priority.
        case lower(ID)
        case pause(ID)
        case resume(ID)
        /// Drops it: it has ended, and no view took its image.
        case forget(ID)
    }

    private enum Stay { case handed, ended, finishing, paused }

    private struct Entry {
        let id: ID
        let key: Key
        var stay: Stay
        let order: Int
    }

    private var entries: [ID: Entry] = [:]
    private var ids: [Key: ID] = [:]
    private var order = 0
    private(set) var policy: ImageReusePolicy
    /// The maximum number of paused requests; the oldest are cancelled first.
    let limit: Int

    init(policy: ImageReusePolicy, limit: Int) {
        self.policy = policy
        self.limit = max(0, limit)
    }

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// True if requests are kept until the end of the frame.
    private(set) var hasHanded = false

    /// Adds a released request, which may have ended without delivering its result.
    mutating func add(_ id: ID, key: Key, hasEnded: Bool) -> [Action] {
        var actions: [Action] = []
        if let former = ids[key], former != id {
            // Two views released requests for the same image; one is enough.
            remove(former)
            actions.append(.cancel(former))
        }
        order += 1
        entries[id] = Entry(id: id, key: key, stay: hasEnded ? .ended : .handed, order: order)
        ids[key] = id
        hasHanded = true
        return actions
    }

    /// Removes and returns the request for a key, for a view that needs it.
    ///
    /// - Returns: the request, and whether it is paused; `nil` if there is none.
    mutating func claim(_ key: Key) -> (id: ID, isPaused: Bool)? {
        guard let id = ids[key], let entry = entries[id] else { return nil }
        remove(id)
        return (id, entry.stay == .paused)
    }

    /// Records that a request has ended. It is kept until the frame ends, for a view that needs its image.
    mutating func finish(_ id: ID) -> [Action] {
        guard let stay = entries[id]?.stay else { return [] }
        if stay == .handed || stay == .ended {
            entries[id]?.stay = .ended
            return []
        }
        remove(id)
        return [.forget(id)]
    }

    /// Applies the policy to the requests that no view took over in this frame.
    mutating func frameEnded() -> [Action] {
        guard hasHanded else { return [] }
        hasHanded = false
        return settle { $0 == .handed || $0 == .ended }
    }

    /// Changes the policy, including for requests already held.
    mutating func setPolicy(_ new: ImageReusePolicy) -> [Action] {
        guard new != policy else { return [] }
        policy = new
        return settle { $0 == .finishing || $0 == .paused }
    }

    /// Applies the policy to the requests in some states, oldest first.
    private mutating func settle(_ isMeant: (Stay) -> Bool) -> [Action] {
        let meant = entries.values.filter { isMeant($0.stay) }.sorted { $0.order < $1.order }
        let actions = meant.compactMap { apply(to: $0.id, $0.stay) }
        return actions + trim()
    }

    private mutating func apply(to id: ID, _ stay: Stay) -> Action? {
        switch (stay, policy) {
        case (.ended, _):
            remove(id)
            return .forget(id)
        case (_, .cancel):
            remove(id)
            return .cancel(id)
        case (_, .finish):
            entries[id]?.stay = .finishing
            return stay == .handed ? .lower(id) : stay == .paused ? .resume(id) : nil
        case (_, .pause):
            entries[id]?.stay = .paused
            return stay == .paused ? nil : .pause(id)
        }
    }

    private mutating func trim() -> [Action] {
        let paused = entries.values.filter { $0.stay == .paused }.sorted { $0.order < $1.order }
        return paused.prefix(max(0, paused.count - limit)).map { entry in
            remove(entry.id)
            return .cancel(entry.id)
        }
    }

    private mutating func remove(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if ids[entry.key] == id { ids[entry.key] = nil }
    }
}
