// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "upload-server",
    dependencies: [
        // The formats that uploads may have, and no trait HTTP: nothing here sends requests.
        .package(name: "Firn", path: "../..", traits: ["AVIF", "HEIC", "JPEGXL", "TIFF", "SVG"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "upload-server",
            dependencies: [
                .product(name: "FirnCodecs", package: "Firn"),
                .product(name: "FirnImage", package: "Firn"),
                .product(name: "FirnProcessing", package: "Firn"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ])
    ]
)
