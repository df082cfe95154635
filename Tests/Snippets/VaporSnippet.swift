import Firn
import FoundationEssentials

// The code of the article on uploads for Vapor, checked against stand-ins: the package is not among those that are
// fetched for the tests. The stand-ins have what the code uses, as Vapor 4.99 declares it.

enum VaporSnippet {
    struct Bytes: Sendable { var readableBytesView: [UInt8] }
    enum HTTPMethod { case POST }
    enum BodyStream { case collect, stream }
    typealias HTTPHeaders = [String: String]

    struct HTTPResponseStatus {
        static let ok = HTTPResponseStatus(statusCode: 200)
        init(statusCode: Int) {}
    }

    struct Abort: Error {
        init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], reason: String? = nil) {}
    }

    struct Request: Sendable { let body: AsyncStream<Bytes> }

    struct Response {
        struct Body { init(data: Data) {} }
        init(status: HTTPResponseStatus, headers: HTTPHeaders, body: Body) {}
    }

    struct Application {
        func on<Answer>(
            _ method: HTTPMethod, _ path: String..., body: BodyStream = .collect,
            use closure: @Sendable @escaping (Request) async throws -> Answer
        ) {}
    }

    static func routes(_ app: Application) throws {
        // snippet.vapor-upload
        let converter = try ImageConverter(.upload)
        app.on(.POST, "images", body: .stream) { request async throws -> Response in
            do {
                let result = try await converter.convert(
                    request.body.map(\.readableBytesView), to: .webp, targetSize: 1600)
                return Response(
                    status: .ok, headers: ["Content-Type": result.mediaType],
                    body: .init(data: result.data))
            } catch let error as ImageError {
                throw Abort(.init(statusCode: error.responseStatus), reason: error.message)
            }
        }
        // snippet.end
    }
}
