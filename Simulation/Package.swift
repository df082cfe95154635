// swift-tools-version: 6.2
import PackageDescription

// What proves the engine from outside, in release and under the thread sanitizer: a package of its own, so that it
// builds in a minute and needs no network. The modules are the repository's own, by links.

let features = [
    "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
]
let rules =
    [SwiftSetting.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    + features.map { SwiftSetting.enableUpcomingFeature($0) }

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies + ["FirnSystem"], swiftSettings: rules)
}

let package = Package(
    name: "FirnSimulation",
    products: [
        .executable(name: "firn-simulate", targets: ["firn-simulate"]),
        .executable(name: "firn-stress", targets: ["firn-stress"]),
    ],
    targets: [
        // The table's folder is compiled into the simulator itself, which makes it as fast as it is in the engine.
        .executableTarget(name: "firn-simulate", dependencies: ["FirnSystem"], swiftSettings: rules),
        .target(name: "FirnSystem", swiftSettings: rules),
        module("FirnSync"),
        module("FirnImage", ["FirnSync"]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CXattr"),
        module("FirnData", ["FirnSync", "CIDN2", "CXattr"]),
        .target(name: "CFirnProcessing"),
        module("FirnProcessing", ["FirnImage", "CFirnProcessing"]),
        .systemLibrary(name: "CFirnZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        module("FirnCache", ["FirnImage", "FirnData", "FirnSync", "CFirnZlib"]),
        module("FirnPipeline", ["FirnCache", "FirnImage", "FirnData", "FirnProcessing", "FirnSync"]),
        .target(name: "CMemory"),
        // The public API from many threads.
        .executableTarget(
            name: "firn-stress",
            dependencies: [
                "FirnPipeline", "FirnCache", "FirnProcessing", "FirnImage", "FirnData", "FirnSync", "FirnSystem",
                "CMemory",
            ],
            swiftSettings: rules),
    ]
)
