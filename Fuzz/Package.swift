// swift-tools-version: 6.2
import PackageDescription

// The decoders alone, so that a build with the fuzzer's instruments takes a minute and needs no network. The modules
// are the repository's own, by links.

let features = [
    "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
]
let rules =
    [SwiftSetting.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    + features.map { SwiftSetting.enableUpcomingFeature($0) }

func system(_ name: String, _ pkgConfig: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig)
}

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies + ["FirnSystem"], swiftSettings: rules)
}

/// The formats that the repository's package can leave out, by what defines them; here all are built in.
let optionalFormats = ["FIRN_AVIF", "FIRN_HEIC", "FIRN_JXL", "FIRN_TIFF", "FIRN_SVG", "FIRN_ISAL"]
let libraries: [Target.Dependency] = [
    "CFirnJPEG", "CFirnPNG", "CFirnWebP", "CFirnLCMS", "CFirnHEIF", "CFirnHEVC", "CFirnTIFF",
    "CFirnCairo", "CFirnGObject", "CFirnISAL",
]

let package = Package(
    name: "FirnFuzz",
    products: [.executable(name: "firn-fuzz", targets: ["firn-fuzz"])],
    targets: [
        .target(name: "FirnSystem", path: "Sources/System/FirnSystem", swiftSettings: rules),
        module("FirnSync"),
        module("FirnImage", ["FirnSync"]),
        system("CIDN2", "libidn2"),
        .systemLibrary(name: "CXattr", path: "Sources/System/CXattr"),
        module("FirnData", ["FirnSync", "CIDN2", "CXattr"]),
        .target(name: "CFirnProcessing"),
        module("FirnProcessing", ["FirnImage", "FirnSync", "CFirnProcessing"]),
        system("CFirnJPEG", "libjpeg"),
        system("CFirnPNG", "libpng"),
        system("CFirnWebP", "libwebpmux"),
        system("CFirnLCMS", "lcms2"),
        system("CFirnHEIF", "libheif"),
        system("CFirnHEVC", "libde265"),
        system("CFirnTIFF", "libtiff-4"),
        system("CFirnCairo", "cairo"),
        system("CFirnGObject", "gobject-2.0"),
        system("CFirnISAL", "libisal"),
        .target(
            name: "CFirnCodecs", dependencies: libraries,
            cSettings: optionalFormats.map { .define($0) } + [.headerSearchPath("Formats/SVG/Headers")],
            linkerSettings: ["z", "webp", "avif", "jxl", "rsvg-2"].map { .linkedLibrary($0) }),
        .target(
            name: "FirnCodecs",
            dependencies: ["FirnImage", "FirnData", "FirnProcessing", "FirnSync", "CFirnCodecs", "FirnSystem"],
            swiftSettings: rules + [.enableExperimentalFeature("Lifetimes")]),
        module("FuzzTargets", ["FirnImage", "FirnCodecs"]),
        // C, and with a main that gives way to the fuzzer's: a Swift executable's main cannot.
        .executableTarget(name: "firn-fuzz", dependencies: ["FuzzTargets"]),
    ]
)
