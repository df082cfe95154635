public import FirnData

extension ScriptedServer {
    /// A request as it arrived.
    public struct Request: Sendable {
        /// The method.
        public let method: String
        /// The path with its query, as requested.
        public let path: String
        /// Header fields.
        public let headers: HTTPHeaderFields
        /// Number of its connection, from 1.
        public let connection: Int
    }

    /// The requests and connections of a server so far.
    public struct Record: Sendable {
        /// Every request, in the order of their arrival.
        public internal(set) var requests: [Request] = []
        /// The number of opened connections.
        public internal(set) var connections = 0
        /// The number of open connections.
        public internal(set) var open = 0
        /// Paths whose response was sent to its scripted end.
        public internal(set) var completed: [String] = []
        /// Paths during whose response the client closed the connection.
        public internal(set) var abandoned: [String] = []
        /// Bytes of bodies that the system accepted from the server, with framing.
        public internal(set) var bytesSent = 0
        /// The number of times that a client received nothing for another ``ScriptedServer/stallTime``.
        public internal(set) var stalledWrites = 0
        /// The number of requests with running responses.
        public internal(set) var active = 0
        /// The largest number of running responses at one time.
        public internal(set) var peak = 0
    }
}
