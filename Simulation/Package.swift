// swift-tools-version: 6.2
import PackageDescription

// What proves the engine from outside, in release and under the thread sanitizer: a package of its own, so that it builds in a
// minute and needs no network. The modules are the repository's own, by links.

let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "FirnSimulation",
    products: [.executable(name: "firn-simulate", targets: ["firn-simulate"])],
    targets: [
        // The table's folder is compiled into the simulator itself, which makes it as fast as it is in the engine.
        .executableTarget(name: "firn-simulate", swiftSettings: rules)
    ]
)
