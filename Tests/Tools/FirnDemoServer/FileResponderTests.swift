import FirnData
import Foundation
import Testing

@testable import FirnDemoServer
@testable import FirnTesting

/// Tests what the demonstration's server responds.
@Suite struct FileResponderTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/firn-responder-\(UUID().uuidString)"
    private let responder: FileResponder

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("0123456789".utf8).write(to: URL(filePath: folder + "/a.png"))
        responder = FileResponder(files: ["/0/a.png": folder + "/a.png", "/1/gone.png": folder + "/gone.png"])
    }

    private func respond(
        _ path: String, _ fields: HTTPHeaderFields = [:], method: String = "GET"
    ) -> (status: Int, body: String, fields: HTTPHeaderFields) {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let response = responder.response(
            to: ScriptedServer.Request(method: method, path: path, headers: fields, connection: 1))
        let body = response.body.map { step in
            if case .bytes(let data) = step { String(decoding: data, as: UTF8.self) } else { "?" }
        }
        return (response.status, body.joined(), response.headers)
    }

    @Test func `A listed file is whole, with its type and a strong tag`() {
        let response = respond("/0/a.png?copy=3")
        #expect(response.status == 200 && response.body == "0123456789")
        #expect(response.fields["Content-Type"] == "image/png" && response.fields["ETag"]?.hasPrefix("\"") == true)
    }

    @Test(arguments: [
        ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-1", "9", "bytes 9-9/10"),
    ])
    func `A range is a part`(_ range: String, _ body: String, _ place: String) {
        let response = respond("/0/a.png", ["Range": range])
        #expect(response.status == 206 && response.body == body && response.fields["Content-Range"] == place)
    }

    @Test func `A range after the end is refused`() {
        let refused = respond("/0/a.png", ["Range": "bytes=10-"])
        #expect(refused.status == 416 && refused.fields["Content-Range"] == "bytes */10")
    }

    @Test func `A range of another version is the whole file`() {
        let whole = respond("/0/a.png", ["Range": "bytes=2-4", "If-Range": "\"other\""])
        #expect(whole.status == 200 && whole.body == "0123456789")
    }

    @Test func `A file that the client has is not sent`() throws {
        let tag = FileResponder.entityTag(of: try LocalFileSystem().status(folder + "/a.png"))
        let response = respond("/0/a.png", ["If-None-Match": tag])
        #expect(response.status == 304 && response.body.isEmpty)
    }

    @Test(arguments: [("/1/gone.png", "GET", 404), ("/etc/passwd", "GET", 404), ("/0/a.png", "POST", 405)])
    func `Nothing else is served`(_ path: String, _ method: String, _ status: Int) {
        #expect(respond(path, method: method).status == status)
    }
}
