// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // A newer GTK deprecates what the oldest supported one needs.
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// Whether the tools, benchmarks and tests of this repository are part of the package. The Makefile says so. A program
/// that depends on Firn does not, and then neither sees them nor fetches what only they need.
let isDevelopment = Context.environment["FIRN_DEVELOPMENT"] == "1"

/// A format that can be left out of a build, with the library that decodes it.
///
/// The trait defines `FIRN_…` for C, which then has the decoder, and for Swift, which then offers it. The C code is a
/// target of its own, so that a program that does not decode the format loads none of its libraries.
struct OptionalFormat {
    let trait: String
    let module: String
    let pkgConfig: String
    let apt: String
    let about: String
    /// Further libraries that the C code uses.
    var others: [Target.Dependency] = []

    var define: String { "FIRN_" + (trait == "JPEGXL" ? "JXL" : trait) }
    var library: Target { system(module, pkgConfig, apt) }
    var dependency: Target.Dependency { .target(name: module, condition: .when(traits: [trait])) }
    /// The folder of the C code.
    private static let folder = "Sources/CFirnCodecs/Formats"
    var excluded: String { "Formats/\(trait)" }
    var codec: Target {
        .target(
            name: "CFirnCodec\(trait)", dependencies: ["CFirnCodecs", dependency] + others,
            path: "\(OptionalFormat.folder)/\(trait)", publicHeadersPath: ".", cSettings: [cSetting],
            linkerSettings: [.linkedLibrary("m")])
    }
    var codecDependency: Target.Dependency { .target(name: "CFirnCodec\(trait)", condition: .when(traits: [trait])) }
    /// The program that decodes this format alone, from the sources of `firn-decoder`.
    var programName: String { "firn-decoder-\(trait == "JPEGXL" ? "jxl" : trait.lowercased())" }
    var program: Target { decoderProgram(programName, ["CFirnCodecs", codecDependency]) }
    var cSetting: CSetting { .define(define, .when(traits: [trait])) }
    var swiftSetting: SwiftSetting { .define(define, .when(traits: [trait])) }
}

/// Decodes the frames of HEIC sequences, which libheif before 1.20 does not read; libheif is built on it.
let hevc = Target.Dependency.target(name: "CFirnHEVC", condition: .when(traits: ["HEIC"]))

let optionalFormats = [
    OptionalFormat(
        trait: "AVIF", module: "CFirnAVIF", pkgConfig: "libavif", apt: "libavif-dev",
        about: "Decodes AVIF by libavif."),
    OptionalFormat(
        trait: "HEIC", module: "CFirnHEIF", pkgConfig: "libheif", apt: "libheif-dev",
        about: "Decodes HEIC by libheif, and HEIC sequences by libde265.", others: [hevc]),
    OptionalFormat(
        trait: "JPEGXL", module: "CFirnJXL", pkgConfig: "libjxl", apt: "libjxl-dev", about: "Decodes JPEG XL by libjxl."
    ),
    OptionalFormat(
        trait: "TIFF", module: "CFirnTIFF", pkgConfig: "libtiff-4", apt: "libtiff-dev",
        about: "Decodes TIFF by libtiff."),
    OptionalFormat(
        trait: "SVG", module: "CFirnRSVG", pkgConfig: "librsvg-2.0", apt: "librsvg2-dev",
        about: "Renders SVG by librsvg."),
]

/// Inflates PNG three times as fast as zlib, which serves without it.
let inflate = OptionalFormat(
    trait: "ISAL", module: "CFirnISAL", pkgConfig: "libisal", apt: "libisal-dev",
    about: "Decodes most PNG images by ISA-L in place of libpng and zlib.")

/// A program that decodes for others, in confined processes. The folders of all but one are links to it.
///
/// The program is C. The flags leave out the Swift runtime, which would only make it start later. SwiftPM refuses
/// flags in a package that another one depends on, which therefore gets the runtime.
func decoderProgram(_ name: String, _ codecs: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: codecs, cSettings: [.define("_GNU_SOURCE")],
        linkerSettings: isDevelopment ? [.unsafeFlags(["-nostartfiles", "-static-stdlib"])] : [])
}

/// The programs that decode one format, or JPEG, PNG and WebP, and so start several times as fast as `firn-decoder`,
/// which decodes all. A program that depends on them has them built, and links nothing of them.
let decoderNames = ["firn-decoder", "firn-decoder-basic"] + optionalFormats.map(\.programName)
let decoderPrograms: [Target.Dependency] = decoderNames.map { .target(name: $0) }
let decoderProducts: [Product] = decoderNames.map { .executable(name: $0, targets: [$0]) }

/// The C code of the formats that can be left out, by the traits that bring it in.
let codecs: [Target.Dependency] = optionalFormats.map(\.codecDependency)
let formatTargets: [Target] = optionalFormats.flatMap { [$0.library, $0.codec, $0.program] }

/// A library that Debian carries, found through pkg-config.
func system(_ name: String, _ pkgConfig: String, _ apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Whether the image server is part of the package: for this repository, and for programs that embed it, which are
/// built with `FIRN_SERVER=1`. Others do not fetch Hummingbird.
let hasServer = isDevelopment || Context.environment["FIRN_SERVER"] == "1"
/// `FIRN_GTK=0` says that the machine has no GTK: its product, the gallery and their tests are left out.
let hasGTK = Context.environment["FIRN_GTK"] != "0"

/// A product of another package that a trait of ours brings in. Without the trait the package is not even fetched.
func product(_ name: String, _ package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// The product `FirnGTK` needs the trait `GTK`, which links GTK.
let gtk = Target.Dependency.target(name: "CGTK4", condition: .when(traits: ["GTK"]))

/// The C library, by the one module that names it. Every target of ours may use it.
let cLibrary = Target.Dependency.target(name: "FirnSystem")

func module(
    _ name: String, path: String? = nil, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies + [cLibrary], path: path, swiftSettings: rules + settings)
}

func command(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies + [cLibrary], path: path, swiftSettings: rules)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + [cLibrary], path: "Tests/\(name)", swiftSettings: rules + settings)
}

let http = product("AsyncHTTPClient", "async-http-client", trait: "HTTP")
let nio = product("NIOCore", "swift-nio", trait: "HTTP")
let nioPosix = product("NIOPosix", "swift-nio", trait: "HTTP")
let nioHTTP = product("NIOHTTP1", "swift-nio", trait: "HTTP")
let nioTLS = product("NIOSSL", "swift-nio-ssl", trait: "HTTP")
let nioHTTP2 = product("NIOHTTP2", "swift-nio-http2", trait: "HTTP")
let nioCompression = product("NIOHTTPCompression", "swift-nio-extras", trait: "HTTP")
let logging = product("Logging", "swift-log", trait: "Telemetry")
let metrics = product("CoreMetrics", "swift-metrics", trait: "Telemetry")
let tracing = product("Tracing", "swift-distributed-tracing", trait: "Telemetry")
let inMemoryTracing = product("InMemoryTracing", "swift-distributed-tracing", trait: "Telemetry")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let lifecycle: [Target.Dependency] = [
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
]

/// What only tools and their tests need.
let developmentPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
]

/// What the image server needs.
let serverPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

let everything: [Target.Dependency] = [
    "FirnSync", "FirnImage", "FirnData", "FirnProcessing", "FirnCodecs", "FirnHTTP", "FirnCache", "FirnPipeline",
    "FirnAnimation", "FirnBinding", "Firn", "FirnTesting", "FirnMigration",
]

let gtkTargets: [Target] = [
    // Toolkits: what is special about one of them, and nothing of networks or formats.
    system("CGTK4", "gtk4", "libgtk-4-dev"),
    module("FirnGTK", ["FirnPipeline", "FirnAnimation", "FirnBinding", "FirnImage", "FirnData", "FirnSync", gtk]),
]

let gtkTools: [Target] = [
    command(
        "firn-gallery",
        ["Firn", "FirnGTK", "FirnReport", "FirnDemoServer", "FirnSync", arguments, gtk] + decoderPrograms),
    // What the tests look at, in a process of its own: GTK wants the main thread.
    command(
        "firn-gtk-scenes", path: "Tests/GTKScenes",
        [
            "Firn", "FirnGTK", "FirnPipeline", "FirnAnimation", "FirnBinding", "FirnImage", "FirnData", "FirnCache",
            "FirnTesting", "FirnSync", gtk,
        ]),
    tests("GTK", ["firn-gtk-scenes", "firn-gallery", "Firn", "FirnGTK", "FirnTesting", gtk]),
]

let serverTargets: [Target] = [
    .target(name: "CFirnReport"),
    module("FirnReport", ["FirnImage", "FirnData", "FirnCodecs", "FirnSync", "CFirnReport"]),
    // The image server: one pipeline behind HTTP, in imgproxy's language.
    module(
        "FirnServe",
        [
            "Firn", "FirnPipeline", "FirnCodecs", "FirnCache", "FirnProcessing", "FirnImage", "FirnData", "FirnHTTP",
            "FirnReport", "FirnTelemetry", "FirnSync", hummingbird, hummingbirdCore, httpTypes, nioHTTPTypes,
            configuration, logging, metrics, tracing, http, nio, nioPosix, nioHTTP, nioTLS, crypto,
        ] + lifecycle),
]

let tools: [Target] = [
    // Tools.
    command("firn", ["Firn", "FirnReport", "FirnTelemetry", "FirnSync", arguments] + decoderPrograms),
    // A program of its own, so that `firn` does not link an HTTP server.
    command("firn-serve", ["Firn", "FirnServe", "FirnReport", "FirnSync", logging, arguments] + decoderPrograms),
    // What the demo and the gallery's demo load: a server on loopback, and lines as slow as a phone's.
    module(
        "FirnDemoServer",
        ["Firn", "FirnData", "FirnImage", "FirnReport", "FirnSync", hummingbird, httpTypes, logging, nio]),
    command("firn-demo", ["Firn", "FirnReport", "FirnDemoServer", arguments]),
    // What our reading of GIF is measured against.
    system("CFirnGIF", "libgif", "libgif-dev"),
    .target(
        name: "CBareCodecs",
        dependencies: ["CFirnJPEG", "CFirnPNG", "CFirnWebP", "CFirnGIF"] + optionalFormats.map(\.dependency),
        path: "Benchmarks/CBareCodecs", cSettings: optionalFormats.map(\.cSetting),
        linkerSettings: [.linkedLibrary("webp")]),
    // What the bench keeps: figures, what is asked of them, their history and drawings.
    module("FirnFigures", path: "Benchmarks/FirnFigures", ["FirnReport"]),
    command(
        "firn-bench", path: "Benchmarks/firn-bench",
        [
            "Firn", "FirnFigures", "FirnReport", "FirnSync", "CBareCodecs", http, nio, nioPosix, nioHTTP,
            nioCompression,
        ] + decoderPrograms),

    // What the tests of the data cache start and kill.
    command(
        "firn-cache-torture", path: "Tests/CacheTorture", ["FirnCache", "FirnData", "FirnImage", "FirnProcessing"]),

    // What stands in for firn-decoder in tests, and lies.
    .executableTarget(
        name: "firn-lying-decoder", dependencies: ["CFirnCodecs"], path: "Tests/LyingDecoder",
        cSettings: [.define("_GNU_SOURCE")]),

    // Counts the calls of libraries in the tests' process.
    .target(name: "CLibraryCalls", path: "Tests/LibraryCalls", linkerSettings: [.linkedLibrary("dl")]),

    // Tests, by how they convince.
    tests(
        "Unit",
        everything + [
            "FirnFigures", "FirnReport", "FirnDemoServer", "FirnTelemetry", "CFirnCodecs", "CFirnZlib", nio, logging,
            metrics, tracing, inMemoryTracing,
        ],
        settings: optionalFormats.map(\.swiftSetting)),
    tests("Conformance", everything + ["FirnReport", "CFirnCodecs", "CLibraryCalls"] + decoderPrograms),
    tests(
        "Fault",
        everything + [
            "CFirnCodecs", "firn-lying-decoder", http, nio, nioPosix, nioHTTP, nioHTTP2, nioTLS, "firn-cache-torture",
        ] + decoderPrograms),
    tests("Simulation", ["FirnPipeline", "FirnBinding", "FirnTesting"]),
    // The code of the documentation, so that it compiles; some of it is run.
    tests(
        "Snippets", everything + ["FirnTelemetry", logging] + (hasGTK ? ["FirnGTK", gtk] : []),
        settings: hasGTK ? [.define("FIRN_GTK")] : []),
    tests(
        "Serve",
        [
            "FirnServe", "FirnImage", "FirnData", "FirnCodecs", "FirnHTTP", "FirnTesting", "FirnSync", "firn-serve",
            logging, nio, tracing, inMemoryTracing,
        ] + decoderPrograms),
    tests("EndToEnd", everything + ["FirnReport", "firn", "firn-demo"] + decoderPrograms),
]

let libraryNames = [
    "Firn", "FirnImage", "FirnData", "FirnProcessing", "FirnCodecs", "FirnHTTP", "FirnCache", "FirnPipeline",
    "FirnAnimation", "FirnBinding", "FirnTelemetry", "FirnTesting", "FirnMigration",
]
let gtkLibraryNames = hasGTK ? ["FirnGTK"] : []
let serverLibraryNames = hasServer ? ["FirnServe"] : []
let toolNames = isDevelopment ? ["firn", "firn-serve"] + (hasGTK ? ["firn-gallery"] : []) : []

let libraryProducts: [Product] = (libraryNames + gtkLibraryNames + serverLibraryNames).map {
    .library(name: $0, targets: [$0])
}
let toolProducts: [Product] = toolNames.map { .executable(name: $0, targets: [$0]) }

/// All but GTK are on by default.
let defaultTraits: [String] =
    optionalFormats.map(\.trait) + [inflate.trait, "HTTP", "Telemetry"] + (isDevelopment && hasGTK ? ["GTK"] : [])
let formatTraits: [Trait] = (optionalFormats + [inflate]).map { .trait(name: $0.trait, description: $0.about) }
let otherTraits: [Trait] = [
    .trait(
        name: "HTTP", description: "Loads over HTTP: FirnHTTP, and with it the loader of the standard pipeline."),
    .trait(name: "Telemetry", description: "Logs, metrics and spans: the product FirnTelemetry needs it."),
    .trait(name: "GTK", description: "Shows images in GTK 4 windows: the product FirnGTK needs it."),
    .default(enabledTraits: Set(defaultTraits)),
]

/// What the libraries need, unless a trait leaves it out.
let libraryPackages: [Package.Dependency] = [
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
]

let libraryTargets: [Target] = [
    // The bottom: the C library; the locks, and threads of our own with what they sleep on.
    .target(name: "FirnSystem", swiftSettings: rules),
    module("FirnSync"),

    // Vocabulary: what an image is; where bytes come from and are kept.
    module("FirnImage", ["FirnSync"]),
    // Names of hosts in other letters than ASCII.
    system("CIDN2", "libidn2", "libidn2-dev"),
    module("FirnData", ["FirnSync", "CIDN2"]),

    // Pure: image -> image. The inner loops are C, which can be compiled for two kinds of machine.
    .target(name: "CFirnProcessing"),
    module("FirnProcessing", ["FirnImage", "FirnSync", "CFirnProcessing"]),

    // Implementations: each knows its contract only.
    system("CFirnJPEG", "libjpeg", "libjpeg62-turbo-dev"),
    system("CFirnPNG", "libpng", "libpng-dev"),
    system("CFirnWebP", "libwebpmux", "libwebp-dev"),
    system("CFirnLCMS", "lcms2", "liblcms2-dev"),
    system("CFirnZlib", "zlib", "zlib1g-dev"),
    system("CFirnHEVC", "libde265", "libde265-dev"),
    .target(
        name: "CFirnCodecs",
        dependencies: ["CFirnJPEG", "CFirnPNG", "CFirnWebP", "CFirnLCMS", inflate.dependency],
        exclude: optionalFormats.map(\.excluded), cSettings: [inflate.cSetting],
        // zlib comes with libpng, which is built on it. Newer versions of pkg-config name only libwebpmux where
        // that is asked for, not the libwebp that it is built on.
        linkerSettings: [.linkedLibrary("z"), .linkedLibrary("webp"), .linkedLibrary("m")]),
    // The programs that decode for others.
    decoderProgram("firn-decoder", ["CFirnCodecs"] + codecs),
    decoderProgram("firn-decoder-basic", ["CFirnCodecs"]),
    // Swift 6.2 wants to be told that a span that is written to keeps its lifetime.
    module(
        "FirnCodecs", ["FirnImage", "FirnSync", "CFirnCodecs"] + codecs,
        settings: [.enableExperimentalFeature("Lifetimes")]),
    module(
        "FirnHTTP",
        ["FirnData", "FirnImage", "FirnSync", "CFirnZlib", http, nio, nioPosix, nioHTTP, nioHTTP2, nioTLS]),
    module("FirnCache", ["FirnImage", "FirnData", "FirnSync"]),

    // The engine: contracts and pure parts only.
    module("FirnPipeline", ["FirnImage", "FirnData", "FirnProcessing", "FirnSync"]),

    // Clients of the engine, for any toolkit: playing an animation, and keeping a view showing its image.
    module("FirnAnimation", ["FirnPipeline", "FirnImage", "FirnData", "FirnProcessing", "FirnSync"]),
    module("FirnBinding", ["FirnPipeline", "FirnImage", "FirnData", "FirnProcessing", "FirnSync"]),

    // The one place where all of it is wired together.
    module(
        "Firn",
        [
            "FirnPipeline", "FirnAnimation", "FirnBinding", "FirnCodecs", "FirnCache", "FirnProcessing",
            "FirnImage", "FirnData",
            .target(name: "FirnHTTP", condition: .when(traits: ["HTTP"])),
        ],
        settings: [.define("FIRN_HTTP", .when(traits: ["HTTP"]))]),

    // Names of Nuke's, for programs that are ported.
    module("FirnMigration", ["Firn", "FirnPipeline", "FirnImage", "FirnSync"]),

    // Observation of a pipeline: logs, metrics, spans, traces, reports.
    module("FirnTelemetry", ["FirnPipeline", "FirnData", "FirnSync", logging, metrics, tracing]),

    // Fakes that users may use in their own tests.
    module("FirnTesting", ["FirnPipeline", "FirnBinding", "FirnImage", "FirnData", "FirnSync"]),
]

// Of constants with types: Swift 6.2 does not check one long expression within its time.
let developmentTargets: [Target] = isDevelopment ? tools + (hasGTK ? gtkTools : []) : []
let optionalTargets: [Target] = (hasGTK ? gtkTargets : []) + (hasServer ? serverTargets : [])
let package = Package(
    name: "Firn",
    products: libraryProducts + decoderProducts + toolProducts,
    traits: Set(formatTraits + otherTraits),
    dependencies: libraryPackages + (isDevelopment ? developmentPackages : []) + (hasServer ? serverPackages : []),
    targets: libraryTargets + formatTargets + [inflate.library] + optionalTargets + developmentTargets
)
