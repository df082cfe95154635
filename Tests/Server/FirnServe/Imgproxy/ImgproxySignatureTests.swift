import FirnImage
@testable import FirnServe
import Testing

@Suite struct ImgproxySignatureTests {
    let parser = ImgproxyParser(settings: ImgproxyVectors.settings())

    func status(_ target: String, _ settings: ImgproxySettings = ImgproxyVectors.settings()) -> Int? {
        ImgproxyVectors.status { () throws(ServeError) in
            _ = try ImgproxyParser(settings: settings).parse(target: target, now: 1000)
        }
    }

    @Test func everyVectorIsSignedAndParsed() throws {
        for vector in ImgproxyVectors.all {
            #expect(ImgproxySigner(settings: parser.settings).sign(path: vector.path) == vector.signature)
            let request = try parser.parse(target: "/\(vector.signature)\(vector.path)?x", now: 1000)
            #expect(request.source == vector.source)
        }
    }

    @Test func `a flipped byte is refused`() {
        for vector in ImgproxyVectors.all {
            let target = Array("/\(vector.signature)\(vector.path)".utf8)
            for index in 1..<target.count {
                var changed = target
                changed[index] ^= 1
                #expect(status(String(decoding: changed, as: UTF8.self)) != nil, "byte \(index) of \(vector.path)")
            }
            for index in 1...vector.signature.utf8.count {
                var changed = target
                changed[index] ^= 1
                if changed[index] != UInt8(ascii: "?"), changed[index] != UInt8(ascii: "/") {
                    #expect(status(String(decoding: changed, as: UTF8.self)) == 403)
                }
            }
        }
    }

    @Test func otherLengthsAndSpellingsAreRefused() {
        let (signature, path, _) = ImgproxyVectors.all[0]
        let lengths = [2, 42, 44, 1_398_102].map { String(repeating: "A", count: $0) }
        for other in lengths + [signature + "=", signature + "%2F", String(signature.dropLast()) + "d"] {
            #expect(status("/\(other)\(path)") == 403)
        }
        #expect(status("/\(signature)/\(path)") == 403)
        #expect(status("/\(signature)\(path)/") == 403)
        #expect(status("//\(signature)\(path)") == 404)
        #expect(status("/\(signature)") == 404)
    }

    @Test func `a signature has the set size, and any key pair may sign`() {
        let path = ImgproxyVectors.all[0].path
        #expect(status("/uj4ff7LVAWM\(path)", ImgproxyVectors.settings(size: 8)) == nil)
        #expect(status("/uj4ff7LVAWP6lmz5nCRXZw\(path)", ImgproxyVectors.settings(size: 16)) == nil)
        #expect(status("/uj4ff7LVAWP6lmz5nCRXZw\(path)") == 403)
        let second = "/pTOTpVRh4eui5evljhx0nMOxvbBetz9DAvbLWrv3fIo\(path)"
        #expect(status(second) == 403)
        #expect(status(second, ImgproxyVectors.settings(pairs: 2)) == nil)
    }

    @Test func `without keys nothing passes unless insecure or trusted`() {
        let path = ImgproxyVectors.all[0].path
        var settings = ImgproxySettings()
        #expect(status("/x\(path)", settings) == 403)
        settings.trustedSignatures = ["friend"]
        #expect(status("/friend\(path)", settings) == nil)
        settings.isInsecure = true
        #expect(status("/x\(path)", settings) == nil)
        #expect(status("/w:1\(path)", settings) == 403)
    }

    @Test func repairedPathsPass() throws {
        let escaped = "/w%3A100/aHR0cDovL2V4YW1w/bGUuY29tL2EvYi5qcGc"
        #expect(try parser.parse(target: "/\(ImgproxyVectors.all[2].signature)\(escaped)", now: 1).options.width == 100)
        let local = "/g:fp:0.25:0.75/rs:fill:90:90/plain/local:/a/b.jpg"
        let request = try parser.parse(target: "/\(ImgproxyVectors.all[7].signature)\(local)", now: 1)
        #expect(request.source == "local:///a/b.jpg")
        #expect(try ImgproxyPath.signedPath(target: "/s/plain/http:/x/y") == "/plain/http://x/y")
    }

    @Test func `an expired vector is not found`() {
        let path = "/iAY2dzugbFuC24efZt8ixfo90ri-0yq4ZS3HNkb61Xc/exp:1/plain/" + ImgproxyVectors.url
        #expect(status(path) == 404)
    }
}
