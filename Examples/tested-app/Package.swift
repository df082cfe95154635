// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "tested-app",
    dependencies: [.package(name: "Firn", path: "../..", traits: [])],
    targets: [
        .target(name: "AvatarLoader", dependencies: [.product(name: "Firn", package: "Firn")]),
        .testTarget(
            name: "AvatarLoaderTests", dependencies: ["AvatarLoader", .product(name: "FirnTesting", package: "Firn")]),
    ]
)
