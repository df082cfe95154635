// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "caching-proxy",
    dependencies: [
        .package(name: "Firn", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "caching-proxy",
            dependencies: [
                .product(name: "FirnHTTP", package: "Firn"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ])
    ]
)
