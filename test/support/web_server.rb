# frozen_string_literal: true

require "socket"

# A small web server in a thread: keeps what is put, and gives it back. For each request a block may do something else:
# it gets the request and the socket, and returns a status to answer with, :cut to close the connection, :done if it has
# answered itself, or nil.
class WebServer
  Request = Struct.new(:method, :path, :headers, :body)

  attr_reader :files, :requests

  def initialize(&fault)
    @files = {}
    @requests = Queue.new
    @fault = fault
    @server = TCPServer.new("127.0.0.1", 0)
    @threads = []
    @accepting = Thread.new { loop { @threads << Thread.new(@server.accept) { |socket| serve(socket) } } }
    @accepting.report_on_exception = false
  end

  def port = @server.addr[1]

  def address(path = "/store") = "http://127.0.0.1:#{port}#{path}"

  # All requests so far: ["GET /store/x", ...]
  def lines = Array.new(@requests.size) { @requests.pop }.map { |request| "#{request.method} #{request.path}" }

  def close
    @accepting.kill
    @server.close
    @threads.each(&:kill)
  end

  def self.answer(socket, status, body = "", headers = {})
    headers = { "Content-Length" => body.bytesize, **headers }.compact
    socket.write("HTTP/1.1 #{status} X\r\n#{headers.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n", body)
  end

  private

  def serve(socket)
    loop do
      request = read(socket) or break
      @requests << request
      answer = @fault&.call(request, socket)
      break if answer == :cut
      next if answer == :done

      respond(request, socket, answer)
    end
  rescue SystemCallError, IOError
    nil
  ensure
    socket.close
  end

  def read(socket)
    method, path, = socket.gets.to_s.split
    return unless method

    headers = {}
    while (line = socket.gets("\r\n").to_s.chomp) && !line.empty?
      name, value = line.split(": ", 2)
      headers[name.downcase] = value
    end
    Request.new(method, path, headers, socket.read(headers["content-length"].to_i))
  end

  def respond(request, socket, status)
    return WebServer.answer(socket, status) if status

    case request.method
    when "PUT"
      @files[request.path] = request.body
      WebServer.answer(socket, 201)
    when "GET", "HEAD"
      body = @files[request.path] or return WebServer.answer(socket, 404)

      if request.method == "GET"
        WebServer.answer(socket, 200, body)
      else
        WebServer.answer(socket, 200, "", "Content-Length" => body.bytesize)
      end
    else
      WebServer.answer(socket, 405)
    end
  end
end
