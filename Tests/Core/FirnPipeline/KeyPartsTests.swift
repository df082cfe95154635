import FirnData
import FirnImage
import FirnProcessing
import FirnTesting
import Testing

@testable import FirnPipeline

/// Tests that no two different requests have one key.
@Suite struct KeyPartsTests {
    private func processors(_ names: [String]) -> [any ImageProcessing] {
        names.map { name in ImageProcessors.Anonymous(id: name) { $0 } }
    }

    private func request(_ id: String?, _ names: [String] = [], side: Int? = nil) -> ImageRequest {
        var request = ImageRequest(
            url: "https://a/x", processors: processors(names),
            targetSize: side.map { TargetSize($0) })
        request.imageID = id
        return request
    }

    private func differ(_ a: ImageRequest, _ b: ImageRequest) -> Bool {
        a.imageCacheKey != b.imageCacheKey && a.processedDataCacheKey != b.processedDataCacheKey
            && Set(a.processedImages.map(\.key)).isDisjoint(with: b.processedImages.filter(\.isFinal).map(\.key))
    }

    @Test func `Identifiers of processors do not run together`() {
        #expect(differ(request(nil, ["a|b"]), request(nil, ["a", "b"])))
        #expect(differ(request(nil, ["a|", "b"]), request(nil, ["a", "|b"])))
        #expect(differ(request(nil, ["a\u{1}1b"]), request(nil, ["a|b"])))
        #expect(differ(request(nil, ["size=20x20,fit"]), request(nil, [], side: 20)))
        var opaque = request(nil)
        opaque.pixelFormat = .rgb8
        #expect(differ(request(nil, ["rgb8"]), opaque))
    }

    @Test func `An image's name is separated from the names of its processors`() {
        #expect(differ(request("x|p"), request("x", ["p"])))
        #expect(differ(request("y|size=20x20,fit"), request("y", [], side: 20)))
        #expect(request("x|p").dataCacheKey != request("x").dataCacheKey + "|p")
        #expect(request("https://a/y%7C").dataCacheKey == "https://a/y%7C")
    }

    @Test func `Identifiers in a composition do not run together`() {
        func name(_ names: [String]) -> String { ImageProcessors.Composition(processors(names)).identifier }
        #expect(name(["a][b", "c"]) != name(["a", "b", "c"]))
        #expect(name(["a][b", "c"]) != name(["a", "b][c"]))
        #expect(name(["a", "b"]) == "firn/composition?[a][b]")
    }

    @Test func `Revisions of an address share nothing, whatever the processors are called`() {
        func revised(_ revision: Int, _ names: [String] = [], fields: HTTPHeaderFields = [:]) -> ImageRequest {
            var request = DataRequest(url: "https://a/x", headers: fields)
            request.revision = revision
            return ImageRequest(dataRequest: request, processors: processors(names))
        }
        for fields in [[:], ["a": "b"]] as [HTTPHeaderFields] {
            let (one, two) = (revised(1, fields: fields), revised(2, fields: fields))
            #expect(one.identities.resource != two.identities.resource && one.dataCacheKey != two.dataCacheKey)
            #expect(differ(one, two) && one.pyramidKey != two.pyramidKey && one.dataRequest != two.dataRequest)
        }
        #expect(revised(0).identities.resource == request(nil).identities.resource)
        #expect(differ(revised(0, ["revision=1"]), revised(1)))
    }

    @Test func `Fields of a request do not run together, nor with options`() {
        func key(_ fields: HTTPHeaderFields, _ options: ImageRequest.Options = []) -> ResourceKey {
            ImageRequest(dataRequest: DataRequest(url: "https://a/x", headers: fields), options: options)
                .identities.resource
        }
        #expect(key(["a": "1\nb: 2"]) != key(["a": "1", "b": "2"]))
        #expect(key(["a: b": "c"]) != key(["a": "b: c"]))
        let options = ImageRequest.Options.disableDiskCacheReads
        #expect(key(["a": "1|options=\(options.rawValue)"]) != key(["a": "1"], options))
    }
}
