import Firn
import FirnHTTP
import FirnSystem
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// A caching proxy on loopback for tests of HTTP caches: `firn-cache-proxy PORT ORIGIN cache|pipeline private|shared
/// [FOLDER]`.
///
/// Serves from an `HTTPCache`, or by `ImagePipeline.data(for:)`, over the same loader. With FOLDER what is stored is on
/// disk, otherwise in memory.
@main
struct CacheProxy {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4 || arguments.count == 5, let port = Int(arguments[0]), (0...65535).contains(port)
        else {
            print("usage: firn-cache-proxy PORT ORIGIN cache|pipeline private|shared [FOLDER]")
            exit(2)
        }
        let (origin, isPipeline, isShared) = (arguments[1], arguments[2] == "pipeline", arguments[3] == "shared")
        let store: any DataCaching = arguments.count == 5 ? DataCache(directory: arguments[4]) : MemoryStore()
        let cache = isPipeline ? pipeline(store, isShared) : httpCache(store, isShared)
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
        print("listening on port \(server.localAddress?.port ?? port)")
        fflush(nil)
        try server.closeFuture.wait()
    }

    private static func httpCache(_ store: any DataCaching, _ isShared: Bool) -> any DataLoading {
        var policy = HTTPCachePolicy()
        policy.isShared = isShared
        // The client's requests are sent as they are; nothing is added.
        var loader = DataLoader.Configuration()
        loader.headers = HTTPHeaderFields()
        loader.transfersPerHost = 64
        return HTTPCache(configuration: loader, store: store, policy: policy)
    }

    /// The pipeline as programs get it, except for the limit of transfers of one host, and a decoder that takes the
    /// bodies of the tests, which are texts, for images: the data cache keeps nothing else.
    private static func pipeline(_ store: any DataCaching, _ isShared: Bool) -> any DataLoading {
        let delegate = FieldsOfClients()
        let pipeline = ImagePipeline(delegate: delegate) { configuration in
            var loader = DataLoader.Configuration()
            loader.transfersPerHost = 64
            configuration.dataLoader = DataLoader(configuration: loader)
            configuration.decoders = [AnythingDecoder()]
            configuration.dataCache = store
            configuration.httpCachePolicy?.isShared = isShared
            configuration.scheduling.transferLimit = 64
            configuration.scheduling.transferLimitPerHost = 64
        }
        return PipelineLoader(pipeline: pipeline, delegate: delegate)
    }
}

/// The pipeline's requests for bytes, as a loader.
private struct PipelineLoader: DataLoading {
    let pipeline: ImagePipeline
    let delegate: FieldsOfClients

    private struct Transfer: DataTransfer {
        let task: Task<Void, Never>

        func cancel() { task.cancel() }
        func pause() {}
        func resume() {}
    }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        var image = ImageRequest(
            dataRequest: DataRequest(url: request.url, method: request.method, body: request.body))
        image.userInfo[FieldsOfClients.key] = request.headers
        let asked = image
        return Transfer(
            task: Task {
                do throws(ImageLoadingError) {
                    let (data, response) = try await pipeline.data(for: asked)
                    var head = response ?? DataResponse(url: request.url, status: 200)
                    head.expectedLength = data.count
                    receive(.response(head))
                    if !data.isEmpty, request.method != "HEAD" { receive(.chunk(data)) }
                } catch {
                    receive(
                        .response(DataResponse(url: request.url, status: error.statusCode ?? 502, expectedLength: 0)))
                }
                receive(.end(nil))
            })
    }
}

/// Adds the fields of the client as they are sent, so that they are not part of a request's identity.
private final class FieldsOfClients: ImagePipeline.Delegate {
    static let key: ImageContainer.UserInfoKey = "fields"

    func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest {
        var sent = dataRequest
        guard let fields = request.userInfo[Self.key] as? HTTPHeaderFields else { return sent }
        for field in fields { sent.headers[field.name] = nil }
        for field in fields { sent.headers.append(field.name, field.value) }
        return sent
    }
}

/// Recognizes every content, and decodes none.
private struct AnythingDecoder: ImageDecoding {
    func recognizes(_ head: Data) -> ImageFormat? { .png }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        ImageDecoders.standard[0].makeSession(limits: limits, cancellation: cancellation)
    }
}
