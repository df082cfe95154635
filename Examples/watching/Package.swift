// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "watching",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(
            name: "watching",
            dependencies: [
                .product(name: "Firn", package: "Firn"), .product(name: "FirnTelemetry", package: "Firn"),
            ])
    ]
)
