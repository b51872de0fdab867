# frozen_string_literal: true

require "fileutils"
require "socket"

# nginx as a store: it reads and writes below `folder`/www, and logs each request and its bytes to `folder`/access.log.
module Nginx
  PROGRAM = %w[/usr/sbin/nginx /usr/local/sbin/nginx].find { |path| File.executable?(path) }

  # @param more [String] directives of the location
  # @param largest [String] the size of the largest body that is taken
  # @param certificate [String, nil] the path of a certificate; its key lies beside it, as `.key`
  # @yield [String] the store's address
  def self.serve(folder, more = "", certificate: nil, largest: "64m")
    port = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }
    configuration = File.join(folder, "nginx.conf")
    File.write(configuration, text(folder, port, "client_max_body_size #{largest}; #{more}", certificate))
    FileUtils.mkdir_p(File.join(folder, "www"))
    pid = Process.spawn(PROGRAM, "-c", configuration, "-p", folder, %i[out err] => File.join(folder, "out"))
    wait_for(port)
    yield "#{certificate ? "https" : "http"}://127.0.0.1:#{port}/store"
  ensure
    if pid
      Process.kill(:TERM, pid)
      Process.wait(pid)
    end
  end

  # @return [Array<Array(String, String, Integer, Integer)>] method, path, status and bytes sent of each request
  def self.requests(folder)
    File
      .readlines(File.join(folder, "access.log"), chomp: true)
      .map do |line|
        method, path, status, bytes = line.split
        [method, path, status.to_i, bytes.to_i]
      end
  end

  def self.text(folder, port, more, certificate) = <<~CONF
    daemon off; master_process off; pid #{folder}/pid; error_log #{folder}/error.log;
    #{"user root;" if Process.uid.zero?}
    events { worker_connections 4096; }
    http {
      log_format counted '$request_method $uri $status $bytes_sent';
      access_log #{folder}/access.log counted;
      client_body_temp_path #{folder}/body; proxy_temp_path #{folder}/p; fastcgi_temp_path #{folder}/f;
      uwsgi_temp_path #{folder}/u; scgi_temp_path #{folder}/s;
      keepalive_requests 10000;
      server {
        listen 127.0.0.1:#{port} #{"ssl" if certificate} backlog=4096;
        #{"ssl_certificate #{certificate}; ssl_certificate_key #{certificate}.key;" if certificate}
        location / { root #{folder}/www; dav_methods PUT; create_full_put_path on; #{more} }
      }
    }
  CONF

  def self.wait_for(port)
    100.times do
      return TCPSocket.new("127.0.0.1", port).close
    rescue Errno::ECONNREFUSED
      sleep 0.05
    end
    raise "nginx does not begin"
  end

  private_class_method :text, :wait_for
end
