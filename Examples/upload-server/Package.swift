// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "upload-server",
    dependencies: [
        // The formats of uploads, without the trait HTTP: the server sends no requests.
        .package(name: "Firn", path: "../..", traits: ["AVIF", "HEIC"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "upload-server",
            dependencies: [
                .product(name: "FirnCodecs", package: "Firn"),
                // Decodes uploads in confined processes.
                .product(name: "firn-decoder", package: "Firn"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
