// swift-tools-version: 6.2
import PackageDescription

// Products are the parts that programs choose from: libraries, and the programs that decode for them. Tools, benchmarks
// and tests are targets only (`swift build --product firn`), so a program that depends on Firn fetches no packages for
// them.

let libraries = [
    "Firn", "FirnCodecs", "FirnHTTP", "FirnBinding", "FirnGTK", "FirnTesting", "FirnMigration", "FirnTelemetry",
]
/// The formats behind traits. libheif before 1.20 does not read frames of sequences; its decoder libde265 does. SwiftPM
/// warns about flags of libavif, libjxl and librsvg in pkg-config, so the compiler finds their headers in its folders.
let formats = [
    Format(trait: "AVIF", name: "avif", by: "libavif", linked: ["avif"]),
    Format(trait: "HEIC", name: "heic", by: "libheif and libde265", libraries: ["CFirnHEIF", "CFirnHEVC"]),
    Format(trait: "JPEGXL", name: "jxl", by: "libjxl", linked: ["jxl"]),
    Format(trait: "TIFF", name: "tiff", by: "libtiff", libraries: ["CFirnTIFF"]),
    Format(
        trait: "SVG", name: "svg", by: "librsvg", libraries: ["CFirnCairo", "CFirnGObject"], linked: ["rsvg-2"],
        headers: ["Headers"]),
]
let codecs = formats.map(\.codec)
/// The decoder programs: for all formats; for JPEG, PNG and WebP; and for one optional format each.
let decoders = ["firn-decoder", "firn-decoder-basic"] + formats.map(\.decoder)

/// The packages required by traits, tools and tests, with the products that targets name.
let packages: [(owner: String, name: String, from: Version, products: [String])] = [
    ("apple", "swift-nio", "2.101.2", ["NIOCore", "NIOPosix", "NIOHTTP1"]),
    ("apple", "swift-nio-ssl", "2.37.6", ["NIOSSL"]),
    ("apple", "swift-nio-http2", "1.46.0", ["NIOHTTP2"]),
    ("apple", "swift-nio-extras", "1.35.2", ["NIOHTTPTypes"]),
    ("apple", "swift-log", "1.16.2", ["Logging"]),
    ("apple", "swift-metrics", "2.13.0", ["CoreMetrics"]),
    ("apple", "swift-distributed-tracing", "1.7.3", ["Tracing", "InMemoryTracing"]),
    ("apple", "swift-argument-parser", "1.8.2", ["ArgumentParser"]),
    ("hummingbird-project", "hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore"]),
    ("apple", "swift-http-types", "1.8.0", ["HTTPTypes"]),
    ("swift-server", "swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
]

let package = Package(
    name: "Firn",
    products: libraries.map { .library(name: $0, targets: $0 == "FirnCodecs" ? [$0] + codecs : [$0]) }
        + decoders.map { .executable(name: $0, targets: [$0]) },
    traits: Set(formats.map { .trait(name: $0.trait, description: "Decodes \($0.trait) by \($0.by).") }).union([
        .trait(name: "ISAL", description: "Decodes most PNG images by ISA-L, three times as fast as by zlib."),
        .trait(name: "HTTP", description: "Loads over HTTP: FirnHTTP, and the loader of the standard pipeline."),
        .trait(name: "Telemetry", description: "Adds swift-log, swift-metrics and tracing to FirnTelemetry."),
        .trait(name: "GTK", description: "Shows images in GTK 4 windows: FirnGTK is empty without it."),
        .default(enabledTraits: Set(formats.map(\.trait)).union(["ISAL", "HTTP"])),
    ]),
    dependencies: packages.map { .package(url: "https://github.com/\($0.owner)/\($0.name)", from: $0.from) })

/// Dependencies shared by several targets.
let engine = ["FirnPipeline", "FirnProcessing", "FirnImage", "FirnData"]
let everything =
    engine + ["FirnCache", "FirnAnimation", "FirnSync"]
    + libraries.filter { !["FirnGTK", "FirnTelemetry"].contains($0) }
let program = ["Firn", "FirnReport", "FirnSync", "ArgumentParser"]
let telemetry = ["Logging", "CoreMetrics", "Tracing", "InMemoryTracing"]
let network = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOSSL", "NIOHTTP2"]

/// The settings of every Swift target. Newer GTK versions deprecate functions that the oldest supported one needs.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"), .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

// MARK: Libraries and programs, from the bottom up. Each target sees only its declared dependencies.

package.targets += [
    // The C library; locks, threads and parking; images; sources and stores of bytes.
    .target(name: "FirnSystem", path: "Sources/System/FirnSystem", swiftSettings: rules),
    module("Core/FirnSync"),
    module("Core/FirnImage", ["FirnSync"]),
    module("Core/FirnData", ["FirnSync", "CIDN2", "CXattr"]),
    // Image to image. The inner loops are in C, which can be compiled for two instruction sets.
    .target(name: "CFirnProcessing", path: "Sources/Core/CFirnProcessing"),
    module("Core/FirnProcessing", ["FirnImage", "FirnSync", "CFirnProcessing"]),
    // Implementations: each knows only its contract.
    module("Codecs/FirnCodecs", ["FirnImage", "FirnData", "FirnProcessing", "FirnSync", "CFirnCodecs"]),
    // The only target that sees libcurl's header.
    .target(
        name: "CFirnCurl", dependencies: ["CCurl"], path: "Sources/Core/CFirnCurl",
        cSettings: [.define("_GNU_SOURCE")]),
    module("Core/FirnCache", ["FirnImage", "FirnData", "FirnSync", "CFirnZlib"]),
    module("Core/FirnHTTP", ["FirnCache", "FirnData", "FirnImage", "FirnSync", "CFirnZlib", "CFirnCurl"]),
    // The engine; its toolkit-independent clients, which play animations and keep views showing their images.
    module("Core/FirnPipeline", ["FirnCache", "FirnImage", "FirnData", "FirnProcessing", "FirnSync"]),
    module("Views/FirnAnimation", engine + ["FirnSync"]),
    module("Views/FirnBinding", engine + ["FirnSync"]),
    // Composition root; links the formats' libraries. A program that depends on it has the decoder programs built
    // beside it, but links nothing for them.
    module(
        "Firn",
        engine + ["FirnAnimation", "FirnCodecs", "FirnCache", "firn-decoder", "firn-decoder-basic"] + codecs
    ).when("HTTP", ["FirnHTTP"]).when(formats) { [$0.decoder] },
    // A toolkit; observation of a pipeline; fakes for tests; Nuke's names for ported programs.
    module("Views/FirnGTK", engine + ["Firn", "FirnAnimation", "FirnBinding", "FirnSync"]).when("GTK", ["CGTK4"]),
    module("Extras/FirnTelemetry", ["FirnPipeline", "FirnData", "FirnSync"])
        .when("Telemetry", ["Logging", "CoreMetrics", "Tracing"]),
    module("Extras/FirnTesting", ["FirnPipeline", "FirnBinding", "FirnImage", "FirnData", "FirnSync"]),
    module("Extras/FirnMigration", ["Firn", "FirnPipeline", "FirnImage", "FirnSync"]),

    // Formats. Those behind a trait are separate targets, so that a program without the trait loads none of its
    // libraries.
    .target(
        name: "CFirnCodecs", dependencies: ["CFirnJPEG", "CFirnPNG", "CFirnWebP", "CFirnLCMS"],
        path: "Sources/Codecs/CFirnCodecs", exclude: formats.map { "Formats/\($0.trait)" },
        cSettings: [.define("FIRN_ISAL", .when(traits: ["ISAL"]))],
        // zlib comes with libpng, which depends on it. Newer versions of pkg-config return only the requested
        // libwebpmux, not the libwebp that it depends on.
        linkerSettings: [.linkedLibrary("z"), .linkedLibrary("webp"), .linkedLibrary("m")]
    ).when("ISAL", ["CFirnISAL"]),
    decoder("Codecs/decoder/firn-decoder", formats), decoder("Codecs/decoder/firn-decoder-basic", []),
    // Programs, and modules for programs only: starting, printing, and hashes.
    module("Extras/FirnDigest", ["FirnImage", "FirnData", "COpenSSL"]),
    .target(name: "CFirnStart", path: "Sources/Extras/CFirnStart", cSettings: [.define("_GNU_SOURCE")]),
    module(
        "Extras/FirnReport", ["FirnImage", "FirnData", "FirnCodecs", "FirnSync", "CXattr", "CFirnStart"],
        resources: [.embedInCode("Labels/letters.png")]),
    command("Tools/firn", program + ["FirnDigest", "FirnTelemetry"]),
    command("Tools/firn-thumbnailer", ["FirnCodecs", "FirnData", "FirnReport"]),
    // The server of the demo and the gallery's demo: on loopback, with connections as slow as a phone's.
    module("Tools/FirnDemoServer", engine + ["Firn", "FirnHTTP", "FirnReport", "FirnSync", "FirnTesting"]),
    command("Tools/firn-demo", ["Firn", "FirnData", "FirnReport", "FirnTesting", "FirnDemoServer"]),
    // The image server: one pipeline behind HTTP, in imgproxy's language. `firn` starts it but does not link it.
    module(
        "Server/FirnServe",
        engine + network + [
            "Firn", "FirnCodecs", "FirnCache", "FirnHTTP", "FirnReport", "FirnTelemetry", "FirnSync", "Hummingbird",
            "HummingbirdCore", "HTTPTypes", "NIOHTTPTypes", "Logging", "FirnDigest", "ServiceLifecycle",
            "UnixSignals", "CFirnZlib",
        ]),
    command("Server/firn-serve", program + ["FirnServe", "Logging"]),
    command("Tools/firn-gallery", program + ["FirnGTK", "FirnTesting", "FirnDemoServer"]).when(
        "GTK", ["CGTK4", "CFirnAdwaita"]),
    // Measurements, the bare libraries for comparison, and the recorded figures.
    .target(
        name: "CBareCodecs", dependencies: ["CFirnJPEG", "CFirnPNG", "CFirnWebP", "CFirnGIF"],
        path: "Benchmarks/CBareCodecs", cSettings: formats.map(\.setting),
        linkerSettings: [.linkedLibrary("webp")] + formats.flatMap(\.links)
    ).when(formats, \.libraries),
    .target(name: "CBareCurl", dependencies: ["CCurl"], path: "Benchmarks/CBareCurl"),
    .executableTarget(name: "bare-curl", dependencies: ["CBareCurl"], path: "Benchmarks/bare-curl"),
    module("Benchmarks/FirnFigures", ["FirnData", "FirnReport"]),
    command(
        "Benchmarks/firn-bench",
        program + ["FirnBinding", "FirnFigures", "CBareCodecs", "CBareCurl", "bare-curl"]),
]
package.targets += formats.flatMap { format in
    [
        .target(
            name: format.codec, dependencies: ["CFirnCodecs"],
            path: "Sources/Codecs/CFirnCodecs/Formats/\(format.trait)", publicHeadersPath: ".",
            cSettings: [format.setting] + format.headers.map { .headerSearchPath($0) },
            linkerSettings: [.linkedLibrary("m")] + format.links
        ).when(format.trait, format.libraries),
        decoder("Codecs/decoder/\(format.decoder)", [format]),
    ]
}

// MARK: Tests: of each module, in the order of Sources; then of all together, by how they convince

/// Each module is tested by a target named after it. Files that several need are links in its folder Shared. All tests
/// may use TestSupport: fakes that are of no use to other programs.
let units: [(folder: String, needs: [String])] = [
    ("Core/FirnSync", ["FirnTesting", "CTestWidth"]),
    ("Core/FirnImage", ["FirnCodecs", "FirnData", "FirnSync", "FirnTesting"]),
    ("Core/FirnData", ["FirnPipeline", "FirnTesting"]),
    ("Core/FirnProcessing", ["FirnImage", "FirnCodecs", "FirnSync", "FirnTesting", "CFirnProcessing"]),
    (
        "Codecs/FirnCodecs",
        engine + ["Firn", "FirnCache", "FirnDigest", "FirnSync", "FirnTesting", "CFirnCodecs", "CFirnZlib"]
    ),
    ("Core/FirnCache", engine + ["FirnCodecs", "FirnHTTP", "FirnSync", "FirnTesting"]),
    ("Core/FirnHTTP", ["FirnData", "FirnImage", "FirnTesting"]),
    ("Core/FirnPipeline", engine + ["Firn", "FirnCache", "FirnCodecs", "FirnHTTP", "FirnSync", "FirnTesting"]),
    ("Views/FirnAnimation", engine + ["FirnCache", "FirnCodecs", "FirnSync", "FirnTesting"]),
    ("Views/FirnBinding", engine + ["FirnCache", "FirnCodecs", "FirnHTTP", "FirnSync", "FirnTesting"]),
    ("Extras/FirnTelemetry", engine + telemetry + ["FirnCache", "FirnCodecs", "FirnSync", "FirnTesting"]),
    ("Extras/FirnTesting", ["FirnPipeline", "FirnData", "FirnImage", "FirnSync"]),
    ("Extras/FirnMigration", engine + ["Firn", "FirnSync", "FirnTesting"]),
    ("Extras/FirnReport", ["FirnPipeline", "FirnCodecs", "FirnData", "FirnImage", "CXattr"]),
    ("Extras/FirnDigest", ["FirnData"]),
    ("Tools/FirnFigures", []),
    ("Tools/FirnDemoServer", ["FirnData", "FirnImage", "FirnSync", "FirnTesting"]),
]
let windows = ["Views/FirnGTK", "Tools/firn-gallery"]
let others = [
    "Conformance", "EndToEnd", "Fault", "Simulation", "Snippets", "Snippets.package", "Programs", "Samples", "Server",
    "TestSupport",
]
package.targets += units.map { unit in
    .testTarget(
        name: "\(name(of: unit.folder))Tests",
        dependencies: needs(Set(unit.needs).union([name(of: unit.folder), "TestSupport"]).sorted()),
        path: "Tests/\(unit.folder)", swiftSettings: rules)
}
package.targets += [
    test(
        "GTK", ["firn-gtk-scenes", "firn-gallery", "Firn", "FirnGTK", "FirnTesting", "CFirnZlib"], in: windows,
        not: units.map(\.folder)
    ).when("GTK", ["CGTK4"]),
    test("Server", everything + ["FirnServe", "firn-serve", "HTTPTypes", "NIOCore"] + telemetry),
    test(
        "EndToEnd",
        everything + [
            "FirnDigest", "FirnReport", "firn", "firn-demo", "firn-first-image", "firn-thumbnailer", "ArgumentParser",
        ]),
    test("Fault", everything + ["CFirnCodecs", "CRefusedCalls", "firn-lying-decoder", "firn-cache-torture"] + network),
    test("Simulation", ["FirnPipeline", "FirnBinding", "FirnTesting"]),
    test("Conformance", everything + ["FirnDigest", "FirnReport", "CFirnCodecs", "CLibraryCalls"]),
    // The code of the documentation, to check that it compiles; some of it runs.
    test("Snippets", everything + ["FirnTelemetry", "FirnGTK"]).when("GTK", ["CGTK4"]).when("Telemetry", telemetry),
    module("Tests/TestSupport", ["FirnTesting", "FirnBinding", "FirnImage", "FirnData", "FirnSync"]),
    // Programs that tests start: GTK requires the main thread; writers of a data cache are killed; a program ends as
    // soon as it has its image; a decoder lies.
    command("Tests/Programs/firn-gtk-scenes", everything + ["FirnGTK", "FirnReport", "TestSupport"])
        .when("GTK", ["CGTK4"]),
    command("Tests/Programs/firn-cache-torture", engine + ["FirnCache"]),
    command("Tests/Programs/firn-first-image", ["Firn"]),
    // Both HTTP caches as a proxy: Scripts/check-http-cache.
    command("Tests/Programs/firn-cache-proxy", ["Firn", "FirnHTTP", "NIOCore", "NIOPosix", "NIOHTTP1"]),
    decoder("Tests/Programs/firn-lying-decoder", []),
    // Starts programs as on systems that lack a call.
    .target(name: "CRefusedCalls", path: "Tests/Programs/RefusedCalls"),
    // Limits how many tests run at once, however they are started.
    .target(name: "CTestWidth", path: "Tests/Programs/TestWidth"),
    // Counts library calls in the test process.
    .target(name: "CLibraryCalls", path: "Tests/Programs/LibraryCalls", linkerSettings: [.linkedLibrary("dl")]),
]

// MARK: System libraries, found through pkg-config: their packages in Debian and Ubuntu, and in Fedora and Red Hat

package.targets += [
    .systemLibrary(name: "CXattr", path: "Sources/System/CXattr"),
    // They come with librsvg.
    .systemLibrary(name: "CFirnCairo", path: "Sources/System/CFirnCairo", pkgConfig: "cairo"),
    .systemLibrary(name: "CFirnGObject", path: "Sources/System/CFirnGObject", pkgConfig: "gobject-2.0"),
    system("CIDN2", "libidn2", "libidn2-dev", "libidn2-devel"), system("CFirnZlib", "zlib", "zlib1g-dev", "zlib-devel"),
    system("CFirnJPEG", "libjpeg", "libjpeg-dev", "libjpeg-turbo-devel"),
    system("CFirnPNG", "libpng", "libpng-dev", "libpng-devel"),
    system("CFirnWebP", "libwebpmux", "libwebp-dev", "libwebp-devel"),
    system("CFirnLCMS", "lcms2", "liblcms2-dev", "lcms2-devel"),
    system("CFirnISAL", "libisal", "libisal-dev", "isa-l-devel"),
    system("CFirnHEIF", "libheif", "libheif-dev", "libheif-devel"),
    system("CFirnHEVC", "libde265", "libde265-dev", "libde265-devel"),
    system("CFirnTIFF", "libtiff-4", "libtiff-dev", "libtiff-devel"),
    system("CFirnGIF", "libgif", "libgif-dev", "giflib-devel"), system("CGTK4", "gtk4", "libgtk-4-dev", "gtk4-devel"),
    system("CFirnAdwaita", "libadwaita-1", "libadwaita-1-dev", "libadwaita-devel"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev", "libcurl-devel"),
    system("COpenSSL", "libcrypto", "libssl-dev", "openssl-devel"),
]

// MARK: Kinds of targets

/// `trait` is also the folder of the C code, for which `FIRN_NAME` is defined. `firn-decoder-NAME` decodes only this
/// format.
struct Format {
    let trait, name, by: String
    /// The modules of its libraries, and the libraries that have none.
    var libraries: [String] = []
    var linked: [String] = []
    /// The folders of headers that those of the library need.
    var headers: [String] = []
    var codec: String { "CFirnCodec\(trait)" }
    var decoder: String { "firn-decoder-\(name)" }
    var links: [LinkerSetting] { linked.map { .linkedLibrary($0, .when(traits: [trait])) } }
    var setting: CSetting { .define("FIRN_\(name.uppercased())", .when(traits: [trait])) }
}

/// A module or program, named after its folder.
func module(_ folder: String, _ names: [String] = [], resources: [Resource]? = nil) -> Target {
    .target(
        name: name(of: folder), dependencies: needs(names), path: path(of: folder), resources: resources,
        swiftSettings: rules)
}
func command(_ folder: String, _ names: [String]) -> Target {
    .executableTarget(name: name(of: folder), dependencies: needs(names), path: path(of: folder), swiftSettings: rules)
}
func name(of folder: String) -> String { folder.split(separator: "/").last.map(String.init) ?? folder }
func path(of folder: String) -> String {
    ["Benchmarks/", "Tests/"].contains { folder.hasPrefix($0) } ? folder : "Sources/\(folder)"
}

/// Tests from the folder of Tests with the target's name, or from several; SwiftPM requires a list of the others.
func test(_ name: String, _ names: [String], in folders: [String]? = nil, not rest: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: needs(names + ["TestSupport"]), path: folders == nil ? "Tests/\(name)" : "Tests",
        exclude: folders == nil ? [] : others + rest, sources: folders, swiftSettings: rules)
}

/// A decoder program in C, whose main.c includes its other files. All folders but one are links to that one.
func decoder(_ folder: String, _ formats: [Format]) -> Target {
    .executableTarget(
        name: name(of: folder), dependencies: (["CFirnCodecs"] + formats.map(\.codec)).map { dependency($0) },
        path: path(of: folder), sources: ["main.c"], cSettings: [.define("_GNU_SOURCE")])
}
func system(_ name: String, _ pkgConfig: String, _ apt: String, _ yum: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .yum([yum])])
}

/// Every Swift target may use the C library, through the one module that names it.
func needs(_ names: [String]) -> [Target.Dependency] { (names + ["FirnSystem"]).map { dependency($0) } }
func dependency(_ name: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
    packages.first { $0.products.contains(name) }.map { .product(name: name, package: $0.name, condition: condition) }
        ?? .target(name: name, condition: condition)
}

extension Target {
    /// Adds a dependency only if a trait is on. Packages behind a trait are not fetched without it.
    func when(_ trait: String, _ names: [String]) -> Target {
        dependencies += names.map { dependency($0, .when(traits: [trait])) }
        return self
    }
    func when(_ formats: [Format], _ names: (Format) -> [String]) -> Target {
        formats.reduce(self) { $0.when($1.trait, names($1)) }
    }
}
