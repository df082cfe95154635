import Testing

@testable import FirnServe

@Suite struct S3AddressTests {
    @Test func `a bucket alone is at AWS, by its host`() throws {
        let address = try S3Address("s3://photos", region: "eu-central-1")
        #expect(address.url(of: "a b/ü.jpg") == "https://photos.s3.eu-central-1.amazonaws.com/a%20b/%C3%BC.jpg")
        #expect(try S3Address("s3://photos").region == "us-east-1")
        #expect(try S3Address("s3://photos?region=cn-north-1").host == "photos.s3.cn-north-1.amazonaws.com.cn")
    }

    @Test func `an endpoint has the path style unless told otherwise`() throws {
        let address = try S3Address("s3://photos/small?endpoint=http://127.0.0.1:9000&region=garage")
        #expect(address.prefix == "small/")
        #expect(address.region == "garage")
        #expect(address.url(of: "x") == "http://127.0.0.1:9000/photos/x")
        let virtual = try S3Address("s3://photos?endpoint=https://minio.example:443/&style=virtual")
        #expect(virtual.url(of: "x") == "https://photos.minio.example/x")
        #expect(try S3Address("s3://photos?endpoint=http://[::1]:9000").host == "[::1]:9000")
    }

    @Test func `another server is named by the address, by its option, or by the environment`() throws {
        let named = try S3Address("http://127.0.0.1:9000/photos/small?region=garage")
        #expect(named.url(of: "x") == "http://127.0.0.1:9000/photos/x" && named.prefix == "small/")
        #expect(named.region == "garage")
        #expect(try S3Address("https://minio.example/photos").url(of: "x") == "https://minio.example/photos/x")
        let other = try S3Address("s3://photos", server: "http://127.0.0.1:9000")
        #expect(other.url(of: "x") == "http://127.0.0.1:9000/photos/x")
        let own = try S3Address("s3://photos?endpoint=http://10.0.0.1", server: "http://127.0.0.1:9000")
        #expect(own.host == "10.0.0.1")
    }

    @Test func `a bucket with a dot is in the path, since certificates do not have it`() throws {
        #expect(try S3Address("s3://my.photos").url(of: "x") == "https://s3.us-east-1.amazonaws.com/my.photos/x")
    }

    @Test(arguments: [
        "http://photos", "s3://", "s3://ab", "s3://Photos", "s3://-photos", "s3://a..b", "s3://photos/../x",
        "s3://photos?style=other", "s3://photos?endpoint=ftp://x", "s3://photos?endpoint=http://u@x",
        "s3://photos?endpoint=http://x/path", "s3://photos?endpoint=http://x:0", "s3://photos?endpoint=http://x:99999",
        "s3://photos?region=", "s3://photos?region=A B", "s3://photos?region=a&region=b", "s3://photos?other=1",
        "s3://photos?endpoint=http://127.0.0.1&style=virtual", "s3://photos/a\nb",
    ])
    func `a malformed address is refused in one line that shows it`(text: String) {
        let error = #expect(throws: ConfigurationError.self) { try S3Address(text) }
        #expect(error?.description.hasPrefix("'\(text.prefix(4))") ?? false)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `the key of a source stands as it is, and its URL is encoded`() throws {
        let location = try #require(S3Location(source: "s3://photos/a b/100%?x#y.jpg"))
        #expect(location.key == "a b/100%?x#y.jpg")
        #expect(location.url == "s3://photos/a%20b/100%25%3Fx%23y.jpg")
        #expect(S3Location(url: location.url) == location)
        #expect(S3Location(url: "s3://photos/a b") == nil)
        #expect(S3Location(url: "s3://photos/%61") == nil)
    }

    @Test(arguments: [
        "s3://photos", "s3://photos/", "s3://ph/x", "s3://photos/../x", "s3://photos/a/./b", "s3://photos/a\u{0}b",
        "S3://photos/x", "s3:///x", "s3://u@photos/x",
    ])
    func `a malformed source is refused`(text: String) {
        #expect(S3Location(source: text) == nil)
    }

    @Test func `only keys below the prefix of an allowed bucket are sources`() throws {
        let sources = [try S3Address("s3://photos/public"), try S3Address("s3://other")]
        #expect(sources.source("s3://photos/public/a.jpg")?.url == "s3://photos/public/a.jpg")
        #expect(sources.source("s3://photos/publicity/a.jpg") == nil)
        #expect(sources.source("s3://photos/private/a.jpg") == nil)
        #expect(sources.source("s3://other/a.jpg")?.bucket == "other")
        #expect(sources.source("s3://third/a.jpg") == nil)
        #expect([S3Address]().source("s3://other/a.jpg") == nil)
    }
}
