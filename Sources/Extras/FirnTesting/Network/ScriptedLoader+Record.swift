public import FirnData

extension ScriptedLoader {
    /// The calls of a loader so far. Addresses are in the order of the calls.
    public struct Record: Sendable {
        /// Every request, in the order of their starts.
        public internal(set) var requests: [DataRequest] = []
        /// Addresses of transfers that were cancelled before their end.
        public internal(set) var cancelled: [String] = []
        /// Addresses of calls of `pause`, one entry for each call.
        public internal(set) var paused: [String] = []
        /// Addresses of calls of `resume`, one entry for each call.
        public internal(set) var resumed: [String] = []
        /// The priorities that running transfers received, in order.
        public internal(set) var priorities: [DataPriority] = []
        /// Addresses of transfers whose `end` was delivered.
        public internal(set) var ended: [String] = []
        /// The largest number of transfers at one time.
        public internal(set) var peak = 0

        /// The number of running transfers.
        public internal(set) var active = 0

        /// The number of requests for an address.
        public func count(_ url: String) -> Int { requests.count { ScriptedLoader.isSame($0.url, url) } }
    }
}
