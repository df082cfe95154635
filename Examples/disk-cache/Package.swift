// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "disk-cache",
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "disk-cache",
            dependencies: [.product(name: "FirnHTTP", package: "Firn")])
    ]
)
