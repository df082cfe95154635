// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-view",
    // No traits: the images are local files. No package is fetched.
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "own-view", dependencies: ["TerminalViews", .product(name: "Firn", package: "Firn")]),
        .target(name: "TerminalViews", dependencies: [.product(name: "Firn", package: "Firn")]),
    ]
)
