// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-client",
    dependencies: [
        // Without the trait HTTP: the program uses its own client.
        .package(name: "Firn", path: "../..", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "own-client",
            dependencies: [
                .product(name: "Firn", package: "Firn"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ])
    ]
)
