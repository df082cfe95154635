public import FirnData

extension DataLoader {
    /// What a loader allows, and what it sends with every request.
    public struct Configuration: Sendable {
        /// How long making a connection may take, name look-up and TLS included. 10 s: what a slow mobile network
        /// needs to answer, and what a person waits.
        public var connectTimeout: Duration = .seconds(10)

        /// How long the source may send nothing: from the request to its answer, and from one piece of the body to
        /// the next. 30 s: longer than any pause of a living server. Time while a transfer is paused does not count.
        public var idleTimeout: Duration = .seconds(30)

        /// How long a whole transfer may take, from its start to its end. No limit by default: a large file on a slow
        /// line is not an error.
        public var totalTimeout: Duration?

        /// How many redirects are followed. 10: half of what browsers allow, more than any honest chain has.
        public var redirectLimit = 10

        /// The longest body in bytes, after decompression. 512 MiB: above any picture, below a machine's memory.
        public var sizeLimit = 512 << 20

        /// How many transfers run at once for one scheme, host and port; more wait their turn. 6: what browsers open
        /// to one HTTP/1.1 server.
        public var transfersPerHost = 6

        /// Header fields that are sent unless the request names them itself.
        public var headers = Configuration.standardHeaders

        /// Whether an answer of any status is delivered as it came, redirects included unless ``followsRedirects``. `false`:
        /// whoever wants a picture has no use for the page that says why there is none. Caches and proxies set it.
        public var acceptsAnyStatus = false

        /// Whether redirects are followed. `true`.
        public var followsRedirects = true

        /// Whether `gzip` and `deflate` are asked for and undone. `true`. Whoever passes bodies on with their fields sets it to `false`.
        public var decompresses = true

        /// The defaults.
        public init() {}

        /// `User-Agent`, and an `Accept` that prefers pictures: servers that hold one in several formats choose by it.
        public static let standardHeaders: HTTPFields = [
            "User-Agent": "Firn/0.1.0",
            "Accept": "image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5",
        ]

        var allowance: AnswerPolicy.Allowance {
            AnswerPolicy.Allowance(
                acceptsAnyStatus: acceptsAnyStatus, followsRedirects: followsRedirects, decompresses: decompresses)
        }

        func completed(_ request: DataRequest) -> DataRequest {
            var request = request
            for field in headers.fields where request.headers[field.name] == nil {
                request.headers.append(field.name, field.value)
            }
            return request
        }
    }
}
