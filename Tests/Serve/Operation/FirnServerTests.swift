import FirnServe
import FirnSync
import FoundationEssentials
import Testing

@Suite("The image server in a program", .timeLimit(.minutes(3)))
struct FirnServerTests {
    @Test("serves with options by their names until it is cancelled")
    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/firn-embedded-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'/>".utf8)
            .write(to: URL(filePath: folder + "/a.svg"))
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = try FirnServer(
            options: ["listen": "127.0.0.1:0", "insecure": "true", "local-root": folder, "isolation": "none"],
            environment: ["FIRN_MAX_AGE": "77"], logger: ServeFixture.quiet, onListening: { listening.yield($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await ports.first { _ in true })
            let response = try await RawClient(port: port).get("/_/w:16/plain/local:///a.svg@png")
            #expect(response.status == 200 && response["Cache-Control"] == "max-age=77, public")
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
    }

    @Test(
        "says which option is wrong",
        arguments: [
            (["insecure": "true", "nothing": "1"], "nothing: there is no such option"),
            (["insecure": "yes"], "insecure: the value has the wrong kind"),
            (["insecure": "true", "limits.seconds": "0"], "limits.seconds: is not a number from 1 to 600"),
            ([:], "there are no keys"),
        ])
    func refused(_ options: [String: String], _ reason: String) throws {
        let error = #expect(throws: FirnServer.OptionError.self) {
            try FirnServer(options: options, logger: ServeFixture.quiet)
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
