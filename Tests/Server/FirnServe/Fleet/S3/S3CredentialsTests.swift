import FoundationEssentials
import Testing

@testable import FirnServe

@Suite struct S3CredentialsTests {
    @Test func `keys and region come from the environment`() throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "HIDDEN", "AWS_SESSION_TOKEN": "TICKET",
            "AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-west-1",
        ]
        let credentials = try #require(try S3Credentials.read(environment))
        #expect(credentials.accessKey == "ID")
        #expect(credentials.secretKey == "HIDDEN")
        #expect(credentials.sessionToken == "TICKET")
        #expect(S3Credentials.region(environment) == "eu-west-1")
        #expect(try S3Credentials.read([:]) == nil)
    }

    @Test func `half of a pair is refused, and so is a key that is no header value`() {
        #expect(throws: ConfigurationError.self) { try S3Credentials.read(["AWS_ACCESS_KEY_ID": "ID"]) }
        #expect(throws: ConfigurationError.self) { try S3Credentials.read(["AWS_SECRET_ACCESS_KEY": "X"]) }
        #expect(throws: ConfigurationError.self) { try S3Credentials(accessKey: "a\r\nb", secretKey: "x") }
    }

    @Test func `no way of printing shows a secret`() throws {
        let credentials = try S3Credentials(accessKey: "IDENTITY", secretKey: "HIDDEN", sessionToken: "TICKET")
        var text = "\(credentials) \(String(reflecting: credentials)) \([credentials]) "
        dump(credentials, to: &text)
        for secret in ["IDENTITY", "HIDDEN", "TICKET"] { #expect(!text.contains(secret)) }
    }

    @Test func `keys of a container come with a token, are kept, and are renewed before they expire`() async throws {
        let server = try S3TestServer { request in
            guard request.head.contains("\r\nAuthorization: PASS\r\n") else { return .response(403) }
            let body = """
                {"AccessKeyId":"A\(request.number)","SecretAccessKey":"S","Token":"T",
                "Expiration":"2030-01-01T00:00:00Z"}
                """
            return .response(200, body: body)
        }
        let clock = TestClock(seconds: 1_893_455_000)
        let store = try S3CredentialStore(
            environment: [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:\(server.port)/keys",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "PASS",
            ], now: { clock.seconds })
        #expect(store.ready == nil)
        #expect(try await store.current().accessKey == "A0")
        #expect(try await store.current().accessKey == "A0")
        #expect(store.ready?.sessionToken == "T")
        // 250 seconds before the end.
        clock.seconds = 1_893_455_750
        #expect(try await store.current().accessKey == "A1")
        #expect(server.requests.count == 2)
    }

    @Test func `keys of an instance need a session with its service`() async throws {
        let server = try S3TestServer { request in
            if request.head.hasPrefix("PUT /latest/api/token ") { return .response(200, body: "SESSION") }
            guard request.head.contains("X-aws-ec2-metadata-token: SESSION") else { return .response(401) }
            guard request.head.contains("/security-credentials/role ") else { return .response(200, body: "role\n") }
            return .response(
                200,
                body: #"{"AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"2030-01-01T00:00:00Z"}"#)
        }
        let store = try S3CredentialStore(
            environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(server.port)"], now: { 0 })
        #expect(try await store.current().accessKey == "A")
        #expect(server.requests.count == 3)
    }

    @Test func `keys are not fetched without encryption from another machine`() {
        #expect(throws: ConfigurationError.self) {
            try S3CredentialStore(environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/keys"])
        }
    }

    @Test(arguments: ["", "{}", "[1]", #"{"AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"soon"}"#])
    func `a response without keys is an error`(text: String) {
        #expect(throws: S3Error.self) { try S3CredentialSource.read(Data(text.utf8)) }
    }
}
