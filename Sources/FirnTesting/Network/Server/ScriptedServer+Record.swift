public import FirnData

extension ScriptedServer {
    /// A request as it arrived.
    public struct Request: Sendable {
        /// The method.
        public let method: String
        /// The path with its query, as asked for.
        public let path: String
        /// Header fields.
        public let headers: HTTPHeaderFields
        /// Number of the connection it came on, from 1.
        public let connection: Int
    }

    /// What a server saw so far.
    public struct Record: Sendable {
        /// Every request, in the order of their arrival.
        public internal(set) var requests: [Request] = []
        /// How many connections were opened.
        public internal(set) var connections = 0
        /// How many connections are open.
        public internal(set) var open = 0
        /// Paths whose answer was sent to its scripted end.
        public internal(set) var answered: [String] = []
        /// Paths in whose answer the client closed the connection.
        public internal(set) var abandoned: [String] = []
        /// Bytes of bodies that the system took from the server, framing included.
        public internal(set) var bytesSent = 0
        /// How often a client took nothing for another ``ScriptedServer/stallTime``.
        public internal(set) var stalledWrites = 0
        /// How many requests are being answered.
        public internal(set) var active = 0
        /// The most requests that were being answered at one time.
        public internal(set) var peak = 0
    }
}
