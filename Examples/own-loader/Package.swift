// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-loader",
    // Without the trait HTTP, and therefore without any package.
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "own-loader", dependencies: [.product(name: "Firn", package: "Firn")])
    ]
)
