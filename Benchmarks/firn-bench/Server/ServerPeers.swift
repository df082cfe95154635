import FirnSystem
import FoundationEssentials

/// Starts our server and its peers, each with an empty cache, on ports that were free a moment ago.
struct ServerPeers {
    /// The places of caches, configurations and logs.
    let folder: String
    /// The folder of images.
    let images: String

    /// `firn-serve`, which lies beside this program.
    func firn() -> ServerProgram? {
        let port = ServerPeers.freePort()
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/firn-serve"
        return ServerProgram(
            [
                program, "serve", "--insecure", "--listen", "127.0.0.1:\(port)", "--local-root", images, "--cache",
                emptied("firn", mode: 0o700), "--set", "limits.per-client=1000",
            ], port: port, log: "\(folder)/firn.log")
    }

    /// thumbor with as many processes as cores, found on the path or in `.build/peers`.
    func thumbor() -> ServerProgram? {
        let port = ServerPeers.freePort()
        let configuration = """
            LOADER = 'thumbor.loaders.file_loader'
            FILE_LOADER_ROOT_PATH = '\(images)'
            STORAGE = 'thumbor.storages.no_storage'
            RESULT_STORAGE = 'thumbor.result_storages.file_storage'
            RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '\(emptied("thumbor"))'
            RESULT_STORAGE_STORES_UNSAFE = True
            """
        let own = ".build/peers/bin/thumbor"
        let program = FileManager.default.fileExists(atPath: own) ? own : "thumbor"
        return ServerProgram(
            [
                program, "-i", "127.0.0.1", "-p", "\(port)", "--processes", "2", "-c",
                written("thumbor.conf", configuration),
            ],
            port: port, log: "\(folder)/thumbor.log")
    }

    /// nginx, which keeps the responses of another server.
    func cache(of upstream: Int) -> ServerProgram? {
        nginx(
            """
            proxy_cache_path \(emptied("nginx")) keys_zone=z:10m;
            """,
            """
            location / {
                proxy_pass http://127.0.0.1:\(upstream);
                proxy_http_version 1.1;
                proxy_cache z;
                proxy_cache_lock on;
            }
            """)
    }

    /// nginx in front of the IIIF server `iipsrv`.
    func iipsrv() -> (server: ServerProgram, nginx: ServerProgram)? {
        let port = ServerPeers.freePort()
        guard
            let server = ServerProgram(
                ["/usr/lib/iipimage-server/iipsrv.fcgi", "--bind", "127.0.0.1:\(port)"], port: port,
                log: "\(folder)/iipsrv.log",
                environment: [
                    "FILESYSTEM_PREFIX": images + "/", "LOGFILE": "/dev/null", "MAX_IMAGE_CACHE_SIZE": "10",
                    "JPEG_QUALITY": "80",
                ]),
            let nginx = nginx(
                "",
                """
                location /iip {
                    fastcgi_pass 127.0.0.1:\(port);
                    fastcgi_keep_conn on;
                    fastcgi_param REQUEST_METHOD $request_method;
                    fastcgi_param QUERY_STRING $query_string;
                    fastcgi_param REQUEST_URI $request_uri;
                    fastcgi_param SCRIPT_NAME /iip;
                    fastcgi_param SERVER_PROTOCOL $server_protocol;
                    fastcgi_param HTTP_HOST $host;
                }
                """)
        else { return nil }
        return (server, nginx)
    }

    private func nginx(_ top: String, _ location: String) -> ServerProgram? {
        let port = ServerPeers.freePort()
        let text = """
            daemon off;
            worker_processes 2;
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx-error.log;
            events { worker_connections 1024; }
            http {
                access_log off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                keepalive_requests 1000000;
                \(top)
                server {
                    listen 127.0.0.1:\(port);
                    \(location)
                }
            }
            """
        return ServerProgram(
            ["nginx", "-p", folder, "-c", written("nginx-\(port).conf", text)], port: port,
            log: "\(folder)/nginx.log")
    }

    /// An empty folder. nginx's processes run as another user; our server keeps no cache where others can write.
    private func emptied(_ name: String, mode: mode_t = 0o777) -> String {
        let path = "\(folder)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, mode)
        return path
    }

    private func written(_ name: String, _ text: String) -> String {
        let path = "\(folder)/\(name)"
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
        return path
    }

    /// A port that the system chose, and that is free again.
    private static func freePort() -> Int {
        let socket = FirnSystem.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(socket, $0, length)
                getsockname(socket, $0, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
