// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "quick-start",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(name: "quick-start", dependencies: [.product(name: "Firn", package: "Firn")])
    ]
)
