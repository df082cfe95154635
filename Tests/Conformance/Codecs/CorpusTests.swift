import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Compares the decoders with the results of other decoders, on a corpus of images from other projects.
@Suite(.enabled(if: Corpus.found != nil, Comment(rawValue: Corpus.absence)))
struct CorpusTests {
    /// Only every twentieth of the larger images is decoded, because a debug build hashes a few megabytes a second.
    private static let decodedPixels = 40_000

    /// The corpus's formats that are in this build.
    private static let formats = Corpus.found.map { corpus in
        corpus.formats.filter { format in
            guard let first = corpus.sound(format).first else { return false }
            do {
                _ = try ImageJudge.session(first.path).properties()
            } catch {
                return (error as? ImageError)?.fault != .unsupported && !(error is ImageJudge.UnknownFormat)
            }
            return true
        }
    }

    @Test(arguments: formats ?? [])
    func `images equal those of other decoders except for known differences`(format: String) async throws {
        let images = try #require(Corpus.found).sound(format)
        #expect(!images.isEmpty)
        for (index, image) in images.enumerated() {
            // Other tests get the thread between two files.
            await Task.yield()
            let judgment = ImageJudge.judge(image, comparesPixels: CorpusTests.isDecoded(image, at: index))
            for miss in judgment.misses where miss.reason == nil {
                Issue.record("\(miss.file): \(miss.what): \(miss.expected) expected, \(miss.got) got")
            }
        }
    }

    @Test(arguments: formats ?? [])
    func `hostile files end in an image or an error`(format: String) async throws {
        var limits = ImageLimits()
        limits.maximumPixels = 1 << 22
        for image in try #require(Corpus.found).hostile(format) {
            await Task.yield()
            guard let data = try? Data(contentsOf: URL(filePath: image.path)),
                let decoder = ImageJudge.decoder(data)
            else { continue }
            let session = decoder.makeSession(limits: limits, cancellation: CancellationFlag())
            do {
                try session.append(data)
                session.finish()
                let bitmap = try session.decode(DecodingOptions())
                #expect(bitmap.cost <= limits.maximumResultBytes)
            } catch {
                #expect(!error.message.isEmpty && error.fault != .cancelled, "\(image.path)")
            }
        }
    }

    /// Judges every image as a whole and writes the results. Takes minutes, so it runs only on request.
    @Test(.enabled(if: ConformanceDocument.destination != nil, "FIRN_WRITE_CONFORMANCE is not 1"))
    func `the document of differences is written`() async throws {
        let corpus = try #require(Corpus.found)
        var judged: [String: [ImageJudgment]] = [:]
        try await withThrowingTaskGroup(of: (String, [ImageJudgment]).self) { group in
            for format in CorpusTests.formats ?? [] {
                group.addTask {
                    (format, corpus.sound(format).map { ImageJudge.judge($0, comparesPixels: true) })
                }
            }
            for try await (format, judgments) in group { judged[format] = judgments }
        }
        var document = ConformanceDocument()
        for (format, judgments) in judged.sorted(by: { $0.key < $1.key }) { document.add(format, judgments) }
        let destination = try #require(ConformanceDocument.destination)
        try Data(document.text.utf8).write(to: URL(filePath: destination), options: .atomic)
    }

    private static func isDecoded(_ image: Corpus.Image, at index: Int) -> Bool {
        let area = (Int(image["width"]) ?? 0) * (Int(image["height"]) ?? 0)
        let frames = max(Int(image["frames"]) ?? 1, 1)
        return area * frames <= decodedPixels || (index % 20 == 0 && area * frames <= 50 * decodedPixels)
    }
}
