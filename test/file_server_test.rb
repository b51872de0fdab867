# frozen_string_literal: true

require_relative "test_helper"
require "socket"
$LOAD_PATH.unshift(File.join(Program::REPOSITORY, "lib"))
require_relative "../examples/file_server/server"

# The worked example of docs/windows_and_files.md: no request leaves the root, or shows what is hidden in it.
class FileServerTest < TestCase
  WINDOWS = Warmstart::Path.rules == Warmstart::Path::Windows

  def setup
    @outside = File.realpath(temporary_folder)
    @root = File.join(@outside, "public")
    FileUtils.mkdir_p(File.join(@root, "docs"))
    {
      "secret.txt" => "outside",
      "public/page.html" => "page",
      "public/docs/A long name.html" => "long",
      "public/template.rhtml" => "hidden",
      "public/docs/n\u00E9.txt" => "accent",
      "public/.htpasswd" => "hidden",
      "public2.txt" => "outside"
    }.each { |name, text| File.write(File.join(@outside, name), text) }
    @files = FileServer.new(@root, hidden: %w[.* *.rhtml])
  end

  # What is served, as text; or the status.
  def served(target)
    found = @files.find(target)
    found.is_a?(String) ? File.read(found) : found
  end

  test "files are served under their names" do
    assert_equal "page", served("/page.html")
    assert_equal "page", served("//page.html?a=/../b#c")
    assert_equal "long", served("/docs/A%20long%20name.html")
    assert_equal "accent", served("/docs/n%C3%A9.txt")
    assert_equal File.join(Warmstart::Path.canonical(@root), "page.html"), @files.find("/page.html")
    assert_equal [404, 404, 404, 404], %w[/ /docs /none /~root].map { |target| served(target) }
  end

  test "dots, however they are written, lead nowhere" do
    [
      "/../secret.txt",
      "/docs/../../secret.txt",
      "/%2e%2e/secret.txt",
      "/%2E./secret.txt",
      "/..%2fsecret.txt",
      "/docs/%2e%2e%2f%2e%2e%2fsecret.txt",
      "/./page.html",
      "/docs/..",
      "/docs/.../page.html",
      "/.. /secret.txt",
      "/..%20/secret.txt",
      "/.%20./secret.txt"
    ].each { |target| assert_equal 400, served(target), target }
  end

  test "backslashes, drives and shares are no names" do
    [
      "/..\\secret.txt",
      "/..%5csecret.txt",
      "/%5c..%5csecret.txt",
      "/docs%5C..%5Cpage.html",
      "/C:/windows/win.ini",
      "/C:",
      "/c%3a%5cwindows",
      "/%5c%5chost%5cshare",
      "page.html",
      "http://host/page.html",
      ""
    ].each { |target| assert_equal 400, served(target), target }
    assert_equal 404, served("//host/share/x")
  end

  test "bytes that are no characters, NUL and control characters" do
    [
      "/%c0%ae%c0%ae/secret.txt",
      "/%c0%af..%c0%afsecret.txt",
      "/%e0%80%ae./secret.txt",
      "/%ff",
      "/%ed%a0%80",
      "/page.html%00",
      "/page.html%00.txt",
      "/%00",
      "/a%0d%0ab",
      "/%",
      "/%2",
      "/%zz",
      "/n\u00E9",
      "/\xFF"
    ].each { |target| assert_equal 400, served(target), target.inspect }
    assert_equal 404, served("/%252e%252e/secret.txt"), "decoded once only: a name with percent signs in it"
  end

  test "what Windows takes for another name is refused everywhere" do
    %w[
      /page.html.
      /page.html%20
      /page.html..
      /page.html.%20.
      /docs./A%20long%20name.html
      /page.html::$DATA
      /page.html:stream
      /docs::$INDEX_ALLOCATION/A%20long%20name.html
      /nul
      /NUL.html
      /con
      /aux.txt
      /docs/com1
      /prn%20
      /page%3Ehtml
      /p*
    ].each { |target| assert_equal 400, served(target), target }
  end

  test "hidden names are hidden under every name" do
    assert_equal [404, 404], [served("/template.rhtml"), served("/.htpasswd")]
    refute_equal "hidden", served("/TEMPLATE.RHTML")
    link = File.join(@root, "innocent.html")
    skip "no links here" unless make_link("template.rhtml", link)
    assert_equal 404, served("/innocent.html")
  end

  test "links that leave the root lead nowhere, links inside do" do
    unless make_link(File.join(@outside, "secret.txt"), File.join(@root, "out.txt")) &&
             make_link(@outside, File.join(@root, "up"))
      skip "no links here"
    end
    File.symlink("loop", File.join(@root, "loop"))
    File.symlink("docs", File.join(@root, "papers"))
    assert_equal [404, 404, 404, 404], %w[/out.txt /up/secret.txt /up/public2.txt /loop].map { |target| served(target) }
    assert_equal "page", served("/up/public/page.html"), "a link back into the root is canonical in there"
    assert_equal "long", served("/papers/A%20long%20name.html")
  end

  test "a folder whose name begins like the root's is outside" do
    FileUtils.mkdir_p("#{@root}-private")
    File.write("#{@root}-private/x", "outside")
    skip "no links here" unless make_link("#{@root}-private", File.join(@root, "neighbour"))
    assert_equal 404, served("/neighbour/x")
  end

  test "a root that is reached through a link" do
    skip "no links here" unless make_link(@root, File.join(@outside, "alias"))
    assert_equal "page", File.read(FileServer.new(File.join(@outside, "alias")).find("/page.html"))
    assert_raises(Errno::ENOENT) { FileServer.new(File.join(@outside, "none")) }
  end

  test "Windows: short names, case and junctions" do
    skip "this is not Windows" unless WINDOWS
    if (short = short_name("docs", "A"))
      assert_equal "long", served("/docs/#{short}")
    end
    if (short = short_name(".", "TEMP"))
      assert_equal 404, served("/#{short}")
    end
    assert_equal [404, "page"], [served("/TEMPLATE.RHTML"), served("/PAGE.HTML")]
    system(
      "cmd",
      "/c",
      "mklink",
      "/J",
      File.join(@root, "junction").tr("/", "\\"),
      @outside.tr("/", "\\"),
      out: File::NULL,
      err: File::NULL
    )
    assert_equal 404, served("/junction/secret.txt")
  end

  test "over the wire" do
    server = Server.new(@root, port: 0)
    thread = Thread.new { server.run }
    assert_equal ["HTTP/1.1 200 OK", "page"], ask(server, "GET /page.html HTTP/1.1")
    assert_equal ["HTTP/1.1 200 OK", ""], ask(server, "HEAD /page.html HTTP/1.1")
    assert_equal ["HTTP/1.1 400 Bad Request", "Bad Request\n"], ask(server, "GET /%2e%2e/secret.txt HTTP/1.1")
    assert_equal "HTTP/1.1 404 Not Found", ask(server, "GET /none HTTP/1.1").first
    assert_equal "HTTP/1.1 405 Method Not Allowed", ask(server, "PUT /page.html HTTP/1.1").first
    assert_equal "HTTP/1.1 405 Method Not Allowed", ask(server, "").first
  ensure
    server&.close
    thread&.join
  end

  # The 8.3 name that begins so, where the volume has such names.
  def short_name(folder, beginning)
    `cmd /c dir /x "#{File.join(@root, folder).tr("/", "\\")}"`.b[/(?<=\s)#{beginning}\S*~\S+/n]
  end

  def ask(server, line)
    TCPSocket.open("127.0.0.1", server.port) do |socket|
      socket.write("#{line}\r\nHost: x\r\n\r\n")
      head, body = socket.read.split("\r\n\r\n", 2)
      [head.lines.first.chomp, body]
    end
  end

  def make_link(target, path)
    File.symlink(target, path)
    File.exist?(path)
  rescue NotImplementedError, SystemCallError
    false
  end
end
