# frozen_string_literal: true

require "socket"
require_relative "file_server"

# Serves the files of a folder over HTTP, one request a connection: ruby -I lib examples/file_server/server.rb FOLDER [PORT]
class Server
  REASONS = { 200 => "OK", 400 => "Bad Request", 403 => "Forbidden", 404 => "Not Found", 405 => "Method Not Allowed" }.freeze
  LINE_MAXIMUM = 8192

  def initialize(folder, port: 8080, **options)
    @files = FileServer.new(folder, **options)
    @socket = TCPServer.new("127.0.0.1", port)
  end

  def port = @socket.addr[1]

  def run
    loop { Thread.new(@socket.accept) { |connection| serve(connection) } }
  rescue IOError, Errno::EBADF
    nil         # the server was closed
  end

  def close = @socket.close

  private

  def serve(connection)
    method, target, = connection.gets("\n", LINE_MAXIMUM).to_s.split(" ", 3)
    nil until connection.gets("\n", LINE_MAXIMUM).to_s.strip.empty?
    return answer(connection, 405) unless %w[GET HEAD].include?(method)

    found = @files.find(target.to_s)
    return answer(connection, found) if found.is_a?(Integer)

    answer(connection, 200, File.binread(found), method == "GET")
  rescue SystemCallError
    nil         # the other side has gone
  ensure
    connection.close
  end

  def answer(connection, status, body = "#{REASONS.fetch(status)}\n", with_body = true)
    connection.write("HTTP/1.1 #{status} #{REASONS.fetch(status)}\r\nContent-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n")
    connection.write(body) if with_body
  end
end

if $PROGRAM_NAME == __FILE__
  folder, port = ARGV
  abort "usage: server.rb FOLDER [PORT]" unless folder
  server = Server.new(folder, port: Integer(port || 8080))
  puts "http://127.0.0.1:#{server.port}/"
  server.run
end
