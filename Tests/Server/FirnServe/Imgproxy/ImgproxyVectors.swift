import FirnImage
@testable import FirnServe

/// Signed paths of the documented language, with one key pair.
enum ImgproxyVectors {
    static let url = "http://example.com/a/b.jpg"

    static let all: [(signature: String, path: String, source: String)] = [
        ("uj4ff7LVAWP6lmz5nCRXZ8gSvGSEZMYYm7ndMhuAB_c", "/rs:fit:300:200/plain/" + url, url),
        ("RQgWSppxODwF7BbzpT0wMBrlcKe8VULbMTc9SfOVbHk", "/aHR0cDovL2V4YW1wbGUuY29tL2EvYi5qcGc.png", url),
        ("AK9JsBEqmz3rK9jos5cI6awq4DQNr90WCXx9MP6sjwo", "/w:100/aHR0cDovL2V4YW1w/bGUuY29tL2EvYi5qcGc", url),
        (
            "N8cFGG2BSPNBnYh73Pw-Q5DxkeZVY-gMYq7pvo7NfGY", "/plain/http://example.com/a%20b%3Fv=1.jpg",
            "http://example.com/a b?v=1.jpg"
        ),
        (
            "JG4kd8kNF_5Sa6noYhCfPb8ls6CTsUC_sOK7rMhjswE", "/plain/http://example.com/u%40home/x.jpg@avif",
            "http://example.com/u@home/x.jpg"
        ),
        ("57zEdyKJmOjMcft3bxqOX46F1DYlf13VH5l0b7wvXXI", "/fn:S8Okc2UuanBn:1/att:t/plain/" + url, url),
        ("dqXOfE96-W-DWubJKnjt562RPgaenxcgvYEYRt7I1wQ", "/crop:0.5:200:nowe:10:0.1/rot:90/plain/" + url, url),
        (
            "VIZLw5BKqB3IsyTzvUpuVcv-jrPY_I77qq6ZE4WglpM",
            "/g:fp:0.25:0.75/rs:fill:90:90/plain/local:///a/b.jpg", "local:///a/b.jpg"
        ),
        ("CvSkmO6YvI6PIeg1n_WTpyPfXDXJkHIb-_KkloXge5s", "/bg:f0a/pd:10:20/ex:1:no/s:80:60/plain/\(url)@jpg", url),
    ]

    /// The settings with the first pair, or with two.
    static func settings(pairs: Int = 1, size: Int = 32) -> ImgproxySettings {
        var settings = ImgproxySettings()
        settings.keyPairs = Array(
            (ImgproxyKeyPair.pairs(hexKeys: "736563726574,6b657932", hexSalts: "68656C6C6F,73616c7432") ?? [])
                .prefix(pairs))
        settings.signatureSize = size
        return settings
    }

    /// Parses options without keys, in front of a plain source.
    static func options(_ text: String, _ settings: ImgproxySettings? = nil) throws(ServeError) -> ImgproxyOptions {
        var settings = settings ?? ImgproxySettings()
        settings.isInsecure = true
        let separator = text.isEmpty ? "" : "/"
        return try ImgproxyParser(settings: settings)
            .parse(target: "/_/\(text)\(separator)plain/\(url)", now: 1000).options
    }

    /// Returns the status of a refusal, or nil if `body` succeeds.
    static func status(_ body: () throws(ServeError) -> Void) -> Int? {
        do throws(ServeError) {
            try body()
            return nil
        } catch { return error.status }
    }
}
