import FirnData
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("The configuration of the image server")
struct ConfigurationTests {
    private static let key = "0123456789abcdef"

    /// Loads layers with a file of this text.
    private func load(
        file: String? = nil, environment: [String: String] = [:],
        flags: [String: OptionValue] = ["insecure": .flag(true)]
    ) throws -> LoadedConfiguration {
        var layers = ConfigurationLayers()
        layers.environment = environment
        layers.flags = flags
        guard let file else { return try layers.load() }
        let path = FileManager.default.temporaryDirectory.path + "/firn-configuration-\(UUID().uuidString).json"
        try Data(file.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        layers.file = path
        return try layers.load()
    }

    private func message(_ body: () throws -> LoadedConfiguration) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `flags win over the environment, which wins over the file`() throws {
        let file = #"{"quality": 10, "max-age": 20, "limits": {"seconds": 30, "requests": 40, "transfers": 50}}"#
        let loaded = try load(
            file: file, environment: ["FIRN_QUALITY": "11", "FIRN_LIMITS_SECONDS": "31", "FIRN_MAX_AGE": ""],
            flags: ["insecure": .flag(true), "limits.seconds": .number(32)])
        let settings = loaded.configuration.settings
        #expect(settings.imgproxy.quality == 11 && loaded.origins["quality"] == "environment FIRN_QUALITY")
        #expect(settings.timeLimit == .seconds(32) && loaded.origins["limits.seconds"] == "flag --limits-seconds")
        #expect(settings.imgproxy.timeToLive == 20 && loaded.origins["max-age"]?.hasSuffix(".json") == true)
        #expect(settings.admission.total == 40 && settings.admission.perClient == 64)
        #expect(settings.admission.transfers == 50)
        #expect(loaded.rows.first { $0.name == "limits.per-client" }?.origin == "default")
    }

    @Test func `OpenTelemetry's variables set what the server's own variables leave open`() throws {
        let loaded = try load(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/", "OTEL_SERVICE_NAME": "images",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20a%3D1, x-team=b", "OTEL_TRACES_SAMPLER_ARG": "0.25",
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        ])
        let tracing = loaded.configuration.settings.tracing
        #expect(tracing.endpoint == "http://collector:4318/v1/traces" && tracing.service == "images")
        #expect(tracing.sampled == 0.25)
        #expect(tracing.headers == ["Authorization": "Bearer a=1", "x-team": "b"])
        #expect(loaded.origins["tracing.endpoint"] == "environment OTEL_EXPORTER_OTLP_ENDPOINT")
        #expect(loaded.rows.first { $0.name == "tracing.headers" }?.value == "(set)")
        let own = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/x",
            "FIRN_TRACING_SAMPLED": "0.5", "OTEL_TRACES_SAMPLER": "parentbased_always_off",
        ]
        #expect(try load(environment: own).configuration.settings.tracing.endpoint == "http://b/x")
        #expect(try load(environment: own).configuration.settings.tracing.sampled == 0.5)
        for (sampler, sampled) in [("always_off", 0.0), ("parentbased_always_on", 1), ("other", 0.25)] {
            let environment = ["OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0.25"]
            #expect(try load(environment: environment).configuration.settings.tracing.sampled == sampled)
        }
        for off in [["OTEL_SDK_DISABLED": "TRUE"], ["OTEL_TRACES_EXPORTER": "none"]] {
            let loaded = try load(environment: own.merging(off) { $1 })
            #expect(loaded.configuration.settings.tracing.endpoint == nil)
        }
    }

    @Test(arguments: [
        (["FIRN_TRACING_ENDPOINT": "collector:4318"], "is not an http or https address"),
        (["FIRN_TRACING_SAMPLED": "1.5"], "'1.5' is not a number from 0 to 1"),
        (["FIRN_TRACING_SAMPLED": "nan"], "'nan' is not a number from 0 to 1"),
        (["OTEL_EXPORTER_OTLP_HEADERS": "hidden"], "tracing.headers: is not a list of NAME=VALUE"),
    ])
    func `an invalid option of traces is refused`(_ environment: [String: String], _ expected: String) {
        let found = message { try load(environment: environment) }
        #expect(found.contains(expected) && !found.contains("hidden"), "\(found)")
    }

    @Test func `lists come from JSON arrays and from variables with commas`() throws {
        let loaded = try load(
            file: #"{"presets": ["small=rs:fit:10:10", "default=q:50"], "formats": ["webp"]}"#,
            environment: ["FIRN_ALLOW": "a.example, *.b.example:8080"])
        let settings = loaded.configuration.settings
        #expect(settings.imgproxy.presets == ["small": "rs:fit:10:10", "default": "q:50"])
        #expect(settings.imgproxy.automaticFormats == [.webp])
        #expect(settings.allowedHosts.map(\.pattern) == ["a.example", "*.b.example"])
        #expect(settings.allowedHosts.map(\.port) == [nil, 8080])
    }

    @Test(arguments: [
        (#"{"qualty": 10}"#, "qualty: there is no such option"),
        (#"{"limits": {"secs": 1}}"#, "limits.secs: there is no such option"),
        (#"{"limits": 5}"#, "limits: there is no such option"),
        (#"{"quality": {"a": 1}}"#, "quality.a: there is no such option"),
        (#"{"quality": "high"}"#, "quality: is not a whole number"), (#"{"listen": 80}"#, "listen: is not a text"),
        (#"{"allow": "a.example"}"#, "allow: is not a list of texts"),
        (#"{"quality": 101}"#, "quality: is not a number from 1 to 100"),
        (#"{"webp-effort": 7}"#, "webp-effort: is not a number from 0 to 6"),
        (#"{"limits": {"seconds": 9223372036854775807}}"#, "limits.seconds: is not a number from"),
        (#"{"listen": "8080"}"#, "is not HOST:PORT"), (#"{"listen": "a:99999"}"#, "is not HOST:PORT"),
        (#"{"allow": ["http://a"]}"#, "is not a host"), (#"{"isolation": "some"}"#, "is not one of"),
        (#"{"presets": ["a"]}"#, "is not NAME=OPTIONS"), (#"{"presets": ["a=zz:1"]}"#, "presets: a: zz: unknown"),
        (#"{"formats": ["bmp"]}"#, "is not one of webp, avif, jxl"), (#"{"quality": 10"#, "is not valid JSON"),
        ("[1]", "is not a JSON object"), ("", "is not valid JSON"),
        (#"{"allow": ["a", 1]}"#, "allow: is not a list of texts"),
        (#"{"log": {"level": "loud"}}"#, "log.level: is not one of"),
        (#"{"limits": {"response-seconds": 15}}"#, "limits.response-seconds: is not more than limits.seconds"),
    ])
    func `an invalid option in a file is refused by name`(_ file: String, _ expected: String) {
        let found = message { try load(file: file) }
        #expect(found.contains(expected) && found.contains(".json"), "\(found)")
    }

    @Test func `a file that is missing, and a variable of the wrong kind, are refused`() {
        var layers = ConfigurationLayers()
        layers.file = "/nonexistent/firn.json"
        #expect(throws: ConfigurationError("/nonexistent/firn.json: cannot be read")) { try layers.load() }
        let found = message { try load(environment: ["FIRN_INSECURE": "maybe"], flags: [:]) }
        #expect(found == "environment FIRN_INSECURE: insecure: is not true or false")
    }

    @Test func `fields of sources and responses are read, and a wrong one is not shown`() throws {
        let loaded = try load(
            file: #"{"source-fields": ["*.a.example Authorization: Bearer b,c", "a.example:8080 Cookie"]}"#,
            environment: ["FIRN_RESPONSE_FIELDS": "X-Rights, X-Served-By: firn"])
        let settings = loaded.configuration.settings
        #expect(
            settings.sourceFields.map(\.name) == ["Authorization", "Cookie"] && settings.clientFields == ["Cookie"])
        #expect(settings.sourceFields.map(\.value) == ["Bearer b,c", nil])
        #expect(settings.responseFields.map(\.description) == ["X-Rights", "X-Served-By: firn"])
        #expect(loaded.rows.first { $0.name == "source-fields" }?.value == "(set)")
        for text in [
            "Cookie: secret", "a.example Host: secret", "a.example Range: secret", "a.example TE: secret",
            "a.example X:", "a.example X Y: secret", "a.example X: secret\\r\\nY: z", "a.example", "a.example  ",
        ] {
            let found = message { try load(file: #"{"source-fields": ["\#(text)"]}"#) }
            #expect(found.contains("source-fields: an entry is not HOST NAME: VALUE"), "\(text): \(found)")
            #expect(!found.contains("secret"))
        }
        for name in ["Set-Cookie", "ETag", "Content-Type", "Vary", "Connection"] {
            let found = message { try load(environment: ["FIRN_RESPONSE_FIELDS": name]) }
            #expect(found.contains("response-fields: an entry is not NAME: VALUE"), "\(name)")
        }
        let found = message {
            try load(file: #"{"source-fields": ["a.example Authorization"], "secret": "b"}"#)
        }
        #expect(found.contains("source-fields: Authorization has the secret of this server"))
    }

    @Test func `fields that begin with '_' are comments`() throws {
        #expect(try load(file: #"{"_a": {"b": ["c"]}, "_": 1, "log": {"_level": "x"}}"#).origins.count == 1)
    }

    @Test func `keys belong together, and none of them is shown`() throws {
        let loaded = try load(flags: ["key": .text(ConfigurationTests.key), "salt": .text("00ff")])
        #expect(loaded.configuration.settings.imgproxy.keyPairs.count == 1)
        #expect(!"\(loaded.rows)".contains(ConfigurationTests.key) && !"\(loaded.rows)".contains("00ff"))
        #expect(loaded.rows.first { $0.name == "key" }?.value == "(set)")
        for flags: [String: OptionValue] in [
            ["key": .text(ConfigurationTests.key)], ["key": .text(ConfigurationTests.key + "z"), "salt": .text("00")],
            ["key": .text("\(ConfigurationTests.key),00"), "salt": .text("00")],
        ] {
            let found = message { try load(flags: flags) }
            #expect(found.contains("key, salt: give as many") && !found.contains(ConfigurationTests.key))
        }
    }

    @Test func `without keys there is no configuration, but for an insecure one on loopback`() throws {
        #expect(message { try load(flags: [:]) }.hasPrefix("there are no keys"))
        let open: [String: OptionValue] = ["insecure": .flag(true), "listen": .text("0.0.0.0:80")]
        #expect(message { try load(flags: open) }.contains("loopback addresses only"))
        for listen in ["127.0.0.1:0", "[::1]:0", "localhost:80"] {
            _ = try load(flags: ["insecure": .flag(true), "listen": .text(listen)])
        }
    }

    @Test func `the example loads, and has other keys each time`() throws {
        let (one, other) = (ConfigurationExample.text(), ConfigurationExample.text())
        #expect(one != other)
        let loaded = try load(file: one, flags: [:])
        #expect(loaded.configuration.settings.imgproxy.keyPairs.first?.key.count == 32)
        #expect(loaded.configuration.settings.imgproxy.presets["thumbnail"] != nil)
    }

    @Test func `the page of the server names each option, and has a valid example of each`() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../../Documentation/Serve.md").standardized
        let page = try String(contentsOf: file, encoding: .utf8)
        // The names in the first column of the table, and others, which are not options.
        let cells = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "|").first?.split(separator: "`") }
        let named = Set(cells.flatMap { cell in cell.indices.filter { $0 % 2 == 1 }.map { String(cell[$0]) } })
        for option in ServeOption.all { #expect(named.contains(option.name), "\(option.name)") }
        var examples = [ConfigurationExample.text()]
        for block in page.components(separatedBy: "```json\n").dropFirst() {
            examples.append(try #require(block.components(separatedBy: "```").first))
        }
        // A response of a purge.
        examples.removeAll { $0.hasPrefix("{\"number\"") }
        // The images of the examples are read.
        let folder = FileManager.default.temporaryDirectory.path + "/firn-page-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["logo.png", "missing.png"] {
            try ServeFixture.image(PixelSize(width: 4, height: 4), .png).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        var loaded: Set<String> = []
        for example in examples {
            let file = example.replacing("/srv/images/", with: folder + "/")
            let rows = try load(file: file, flags: file.contains("insecure") ? [:] : ["insecure": .flag(true)]).rows
            loaded.formUnion(rows.filter { $0.origin.hasSuffix(".json") }.map(\.name))
        }
        for option in ServeOption.all { #expect(loaded.contains(option.name), "\(option.name) has no example") }
    }

    @Test func `each option accepts its own default, and has a name of its own`() throws {
        var configuration = ServeConfiguration()
        for option in ServeOption.all {
            guard let value = option.read(configuration) else { continue }
            try option.write(&configuration, value)
            #expect(option.read(configuration) == value, "\(option.name)")
        }
        #expect(Set(ServeOption.all.map(\.variable)).count == ServeOption.all.count)
        #expect(ServeOption["limits.source-mebibytes"]?.variable == "FIRN_LIMITS_SOURCE_MEBIBYTES")
    }
}
