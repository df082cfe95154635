public import FirnData

extension ScriptedLoader {
    /// What a loader was asked to do so far. Addresses are in the order of the calls.
    public struct Record: Sendable {
        /// Every request, in the order of their starts.
        public internal(set) var requests: [DataRequest] = []
        /// Addresses of transfers that were cancelled before their end.
        public internal(set) var cancelled: [String] = []
        /// Addresses of transfers that were told to pause, a call an entry.
        public internal(set) var paused: [String] = []
        /// Addresses of transfers that were told to resume, a call an entry.
        public internal(set) var resumed: [String] = []
        /// What transfers under way were told of their priority, in order.
        public internal(set) var priorities: [DataPriority] = []
        /// Addresses of transfers whose `end` was delivered.
        public internal(set) var ended: [String] = []
        /// The most transfers that were under way at one time.
        public internal(set) var peak = 0

        /// How many transfers are under way.
        public internal(set) var active = 0

        /// How often an address was asked for.
        public func count(_ url: String) -> Int { requests.count { $0.url == url } }
    }

    enum Change {
        case cancelled(String)
        case paused(String)
        case resumed(String)
        case priority(DataPriority)
        case ending
        case ended(String)
    }
}

extension ScriptedLoader.Record {
    mutating func note(_ change: ScriptedLoader.Change) {
        switch change {
        case .cancelled(let url): cancelled.append(url)
        case .paused(let url): paused.append(url)
        case .resumed(let url): resumed.append(url)
        case .priority(let priority): priorities.append(priority)
        case .ending: active -= 1
        case .ended(let url): ended.append(url)
        }
    }
}
