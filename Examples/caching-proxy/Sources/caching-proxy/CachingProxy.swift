import FirnHTTP
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A caching reverse proxy on loopback: `caching-proxy PORT ORIGIN [DIRECTORY] [--private]`.
///
/// Listens on 127.0.0.1:PORT (0 chooses a free port, which is printed) and serves from an `HTTPCache` in front of
/// ORIGIN, a URL like `http://127.0.0.1:8000`. The cache is stored in DIRECTORY if given, otherwise in memory. It is a
/// shared cache (RFC 9111), or with `--private` a private one.
@main
struct CachingProxy {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isPrivate = arguments.contains("--private")
        arguments.removeAll { $0 == "--private" }
        guard arguments.count == 2 || arguments.count == 3, let port = Int(arguments[0]), (0...65535).contains(port)
        else {
            print("usage: caching-proxy PORT ORIGIN [DIRECTORY] [--private]")
            exit(2)
        }
        var address = arguments[1]
        while address.hasSuffix("/") { address.removeLast() }
        let origin = address

        var policy = HTTPCachePolicy()
        policy.isShared = !isPrivate
        // Forwards only the client's fields.
        var loader = DataLoader.Configuration()
        loader.headers = HTTPHeaderFields()
        loader.transfersPerHost = 64
        let store: any DataCaching = arguments.count == 3 ? DataCache.disk(path: arguments[2]) : MemoryStore()
        let cache = HTTPCache(configuration: loader, store: store, policy: policy)

        let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 256)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(ProxyHandler(cache: cache, origin: origin))
                }
            }
            .bind(host: "127.0.0.1", port: port).wait()
        print("listening on http://127.0.0.1:\(server.localAddress?.port ?? port), in front of \(origin)")
        fflush(nil)
        try server.closeFuture.wait()
    }
}
