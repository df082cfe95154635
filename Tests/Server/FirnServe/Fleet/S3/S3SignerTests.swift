import FirnData
import FoundationEssentials
import Testing

@testable import FirnServe

/// The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's API reference of S3.
@Suite struct S3SignerTests {
    private func request(
        _ method: String, _ key: String, headers: [(String, String)] = [], payload: Data? = nil,
        _ credentials: S3Credentials, at seconds: Int64
    ) throws -> DataRequest {
        try S3Address("s3://examplebucket?endpoint=https://s3.amazonaws.com&style=virtual")
            .request(method, key, headers: headers, payload: payload, credentials, at: seconds)
    }

    private func signature(
        _ method: String, _ key: String, headers: [(String, String)] = [], payload: String? = nil
    ) throws -> String {
        let credentials = try S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        let request = try request(
            method, key, headers: headers, payload: payload.map { Data($0.utf8) }, credentials, at: 1_369_353_600)
        return String(try #require(request.headers["Authorization"]).suffix(64))
    }

    @Test func `the documented GET has its signature`() throws {
        let signature = try signature("GET", "test.txt", headers: [("Range", "bytes=0-9")])
        #expect(signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `the documented PUT has its signature`() throws {
        let signature = try signature(
            "PUT", "test$file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], payload: "Welcome to Amazon S3.")
        #expect(signature == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `a session token is sent and signed`() throws {
        let credentials = try S3Credentials(accessKey: "A", secretKey: "B", sessionToken: "TOKEN")
        let fields = try request("GET", "x", credentials, at: 0).headers
        #expect(fields["x-amz-security-token"] == "TOKEN")
        let signed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
        #expect(fields["Authorization"]?.contains(signed) == true)
    }

    @Test(arguments: [
        (0, "19700101T000000Z"), (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
        (1_369_353_600, "20130524T000000Z"), (4_107_542_399, "21000228T235959Z"), (4_107_542_400, "21000301T000000Z"),
        (-5, "19700101T000000Z"), (Int64.max, "99991231T235959Z"),
    ])
    func `a time is written in UTC`(seconds: Int64, text: String) throws {
        let credentials = try S3Credentials(accessKey: "A", secretKey: "B")
        #expect(try request("GET", "x", credentials, at: seconds).headers["x-amz-date"] == text)
    }
}
