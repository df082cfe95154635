// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-loader",
    // The trait HTTP is left out, and with it every package.
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "own-loader", dependencies: [.product(name: "Firn", package: "Firn")])
    ]
)
