import FoundationEssentials
import Testing

@testable import FirnServe

/// The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's API reference of S3.
@Suite struct S3SignerTests {
    private func signature(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], payload: String = ""
    ) throws -> String {
        let credentials = try S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        var message = S3Message(method: method, host: "examplebucket.s3.amazonaws.com", path: path)
        message.headers = headers
        let fields = S3Signer(credentials: credentials, region: "us-east-1").headers(
            for: message, payloadHash: HexadecimalDigest.text(of: Data(payload.utf8)),
            at: 1_369_353_600)
        let proof = try #require(fields.last { $0.name == "Authorization" })
        return String(proof.value.suffix(64))
    }

    @Test func `the documented GET has its signature`() throws {
        let signature = try signature("GET", "/test.txt", headers: [("Range", "bytes=0-9")])
        #expect(signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `the documented PUT has its signature`() throws {
        let signature = try signature(
            "PUT", "/test%24file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], payload: "Welcome to Amazon S3.")
        #expect(signature == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `a session token is sent and signed`() throws {
        let credentials = try S3Credentials(accessKey: "A", secretKey: "B", sessionToken: "TOKEN")
        let fields = S3Signer(credentials: credentials, region: "r").headers(
            for: S3Message(method: "GET", host: "h", path: "/"), payloadHash: S3Signer.emptyHash,
            at: 0)
        #expect(fields.contains { $0.name == "x-amz-security-token" && $0.value == "TOKEN" })
        let signed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
        #expect(fields.contains { $0.name == "Authorization" && $0.value.contains(signed) })
    }

    @Test(arguments: [
        (0, "19700101T000000Z"), (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
        (1_369_353_600, "20130524T000000Z"), (4_107_542_399, "21000228T235959Z"), (4_107_542_400, "21000301T000000Z"),
        (-5, "19700101T000000Z"), (Int64.max, "99991231T235959Z"),
    ])
    func `a time is written in UTC`(seconds: Int64, text: String) throws {
        let credentials = try S3Credentials(accessKey: "A", secretKey: "B")
        let fields = S3Signer(credentials: credentials, region: "r").headers(
            for: S3Message(method: "GET", host: "h", path: "/"), payloadHash: S3Signer.emptyHash, at: seconds)
        #expect(fields.contains { $0.name == "x-amz-date" && $0.value == text })
    }
}
