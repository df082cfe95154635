// swift-tools-version: 6.2
import PackageDescription

let products: [Target.Dependency] = ["Firn", "FirnBinding"].map { .product(name: $0, package: "Firn") }

let package = Package(
    name: "own-view",
    // No traits: the images are local files. No package is fetched.
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "own-view", dependencies: ["TerminalViews"] + products),
        .target(name: "TerminalViews", dependencies: products),
    ]
)
