/// What connections may cost.
package struct ConnectionLimits: Sendable, Equatable {
    /// The most that are open. Above it, the connection that was idle for longest is closed. Default: 4,096.
    package var most = 4096
    /// How long a new connection may take to send the head of its first request. Default: 10 seconds.
    package var firstRequest = Duration.seconds(10)
    /// How long a connection is kept between requests. Default: 60 seconds.
    package var idle = Duration.seconds(60)
    /// How long a request may take until the client has read its response. Default: two minutes.
    package var response = Duration.seconds(120)
    /// The most bytes of the head of a request. Default: 32 KiB.
    package var headBytes = 32 << 10
    /// The most header fields. Default: 100.
    package var fields = 100

    package init() {}
}
