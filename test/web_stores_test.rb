# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "support/nginx"
require_relative "support/store"
require_relative "support/web_server"
require_relative "../lib/warmstart/stores/http"

# Stores on web servers: one in this process that does everything wrong, and Debian's nginx.
class WebStoresTest < TestCase
  include Command
  include StoreCases

  Trouble = Warmstart::Stores::Trouble
  Wrong = Warmstart::Stores::Wrong

  def teardown = @servers.to_a.each(&:close)

  def server(&fault) = WebServer.new(&fault).tap { |server| (@servers ||= []) << server }

  def ask(address, seconds: 60, **environment)
    Warmstart::Stores::HTTP.new(address, seconds: seconds, environment: environment.transform_keys(&:to_s))
  end

  # A store with a file "x" in which a request for it meets the fault.
  def faulty(content = "content", **options, &fault)
    web =
      server do |request, socket|
        fault.call(request, socket) if request.path.end_with?("/x") && request.method == "GET"
      end
    web.files["/store/x"] = content
    [ask(web.address, **options), web]
  end

  def answer(...) = WebServer.answer(...)

  # ---- the protocol ----

  test "files are put, asked for and got over a few connections that stay open" do
    web = server
    store = ask(web.address("/a/b/"))
    assert_equal "#{web.address("/a/b")}", store.to_s
    Warmstart::Stores.in_parallel((1..60).to_a) { |number| store.write("pieces/#{number}", number.to_s * 1000) }
    assert_equal [60, "7" * 1000], [web.files.size, web.files["/a/b/pieces/7"]]
    assert_equal [true, false], [store.has?("pieces/7"), store.has?("pieces/61")]
    assert_equal ["7" * 1000, nil], [store.read("pieces/7", 1000), store.read("pieces/61", 10)]
    web.files["/a/b/empty"] = ""
    refute store.has?("empty")
    assert_match(/a file is larger than it can be/, assert_raises(Trouble) { store.read("pieces/7", 999) }.message)
    assert_match(/run 'warmstart prune' on the folder/, assert_raises(Trouble) { store.files }.message)
  end

  test "what may pass is tried again: a cut at any point, 5xx, nonsense; and is given up after some tries" do
    cuts = [
      ->(_) { :cut },
      ->(_) { 503 },
      ->(_) { 500 },
      ->(_) { 429 },
      ->(socket) { socket.write("HTTP/1.1 200 OK\r\nContent-Le") && :cut },
      ->(socket) { socket.write("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ncon") && :cut },
      ->(socket) { socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ncont") && :cut },
      ->(socket) { socket.write("nonsense\r\n\r\n") && :cut }
    ]
    cuts.each do |fault|
      count = 0
      store, = faulty { |_, socket| fault.call(socket) if (count += 1) < 3 }
      assert_equal ["content", 3], [store.read("x", 100), count]
    end
    count = 0
    store, = faulty { (count += 1) && 502 }
    assert_match(/\Ahttp\S+: the server says 502, 5 times\z/, assert_raises(Trouble) { store.read("x", 100) }.message)
    assert_equal 5, count
  end

  test "what will not pass is not tried again" do
    {
      401 => /refuses us \(401\); see WARMSTART_STORE_TOKEN/,
      403 => /refuses us \(403\)/,
      413 => /takes no file so large \(413\); nginx: client_max_body_size/,
      507 => /is full \(507\)/,
      400 => /says 400 to GET/,
      204 => nil
    }.each do |status, message|
      count = 0
      store, = faulty { (count += 1) && status }
      message ? assert_match(message, assert_raises(Trouble) { store.read("x", 9) }.message) : store.read("x", 9)
      assert_equal 1, count
    end
    nobody = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }
    assert_match(
      /: Connection refused/,
      assert_raises(Trouble) { ask("http://127.0.0.1:#{nobody}").read("x", 9) }.message
    )
    assert_raises(Trouble) { ask("http://no-such-host.invalid", seconds: 5).read("x", 9) }
  end

  test "a slow server, and one without an end, cost no more than the time and memory that they are given" do
    endless = ->(text) { ->(socket) { loop { socket.write(text) } } }
    {
      ->(_) { sleep } => /takes longer than 1 seconds \(--timeout\)/,
      ->(socket) do
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n") && loop { socket.write("c") && sleep(0.3) }
      end =>
        /takes longer than 1 seconds|has no end|larger/,
      ->(socket) { socket.write("HTTP/1.1 200 OK\r\n") && endless.call("X-Y: #{"z" * 1000}\r\n").call(socket) } =>
        /has no end/,
      endless.call("x" * 10_000) => /has no end/,
      ->(socket) { socket.write("HTTP/1.1 200 OK\r\n\r\n") && endless.call("x" * 10_000).call(socket) } =>
        /larger than it can be|has no end/,
      ->(socket) { answer(socket, 200, "x" * 1000) } => /larger than it can be/,
      ->(socket) { answer(socket, 500, "x" * 1_000_000) } => /has no end/
    }.each do |fault, message|
      store, = faulty(seconds: 1) { |_, socket| fault.call(socket) && :cut }
      assert_match(message, assert_raises(Trouble) { store.read("x", 100) }.message)
    end
    store, = faulty("x" * 8, seconds: 20) { |_, socket| answer(socket, 200, "content", "Content-Length" => 4) && :done }
    assert_equal "cont", store.read("x", 100)
  end

  test "redirects are followed for what is read, a few times, and the token is told to nobody else" do
    tokens = []
    other = server { |request, _| tokens << request.headers["authorization"] && nil }
    other.files["/elsewhere"] = "content"
    to = other.address("/elsewhere")
    store, web =
      faulty(WARMSTART_STORE_TOKEN: "secret") { |_, socket| answer(socket, 302, "", "Location" => to) && :done }
    assert_equal "content", store.read("x", 100)
    assert_equal [nil], tokens
    assert_equal "Bearer secret", web.requests.pop.headers["authorization"]
    count = 0
    five = ->(socket) { (count += 1) <= 5 && answer(socket, 303, "", "Location" => "/store/x") && :done }
    store, = faulty { |_, socket| five.call(socket) || nil }
    assert_equal ["content", 6], [store.read("x", 100), count]
    store, = faulty { |request, socket| answer(socket, 301, "", "Location" => request.path) && :done }
    assert_match(/redirects without end/, assert_raises(Trouble) { store.read("x", 100) }.message)
    store, = faulty { |_, socket| answer(socket, 302, "", "Location" => "file:///etc/passwd") && :done }
    assert_match(/redirects to file, which is no web address/, assert_raises(Trouble) { store.read("x", 100) }.message)
    web = server { |_, socket| answer(socket, 307, "", "Location" => to) && :done }
    assert_match(/redirects what is sent/, assert_raises(Trouble) { ask(web.address).write("y", "y") }.message)
    secure = ask("https://127.0.0.1:1/")
    message =
      assert_raises(Trouble) { secure.send(:redirected, Net::HTTP::Get, URI("https://127.0.0.1:1/x"), to) }.message
    assert_match(/redirects from https to http, which is not followed/, message)
  end

  test "who we are: a token from a variable or a file, a user in the address or in netrc" do
    folder = temporary_folder
    file = ->(name, text) { File.join(folder, name).tap { |path| File.write(path, text) } }
    basic = ->(text) { "Basic #{[text].pack("m0")}" }
    netrc =
      "# machine 127.0.0.1 login no password no\nmachine other login a password b\nmachine 127.0.0.1\n  login me password pass\ndefault login d password e\nmacdef init\n"
    {
      {} => nil,
      { WARMSTART_STORE_TOKEN: "abc" } => "Bearer abc",
      { WARMSTART_STORE_TOKEN_FILE: file.call("token", "def\n") } => "Bearer def",
      { NETRC: file.call("netrc", netrc) } => basic.call("me:pass"),
      { NETRC: file.call("default", "machine x login y password z default login d password e") } => basic.call("d:e"),
      { NETRC: file.call("broken", "machine 127.0.0.1 login") } => nil,
      { HOME: folder } => nil
    }.each do |environment, expected|
      web = server
      ask(web.address, **environment).read("x", 9)
      if expected
        assert_equal(expected, web.requests.pop.headers["authorization"])
      else
        assert_nil(web.requests.pop.headers["authorization"])
      end
    end
    web = server
    store = ask(web.address.sub("//", "//us%40er:pa%20ss@"))
    store.read("x", 9)
    assert_equal basic.call("us@er:pa ss"), web.requests.pop.headers["authorization"]
    refute_match(/ss/, store.to_s)
    { "a b" => /not one word/, "a\nb" => /not one word/ }.each do |token, message|
      assert_match(message, assert_raises(Wrong) { ask(web.address, WARMSTART_STORE_TOKEN: token) }.message)
    end
    assert_raises(Wrong) { ask(web.address, WARMSTART_STORE_TOKEN_FILE: "/dev/zero") }
    ["http://", "http:///x", "http://h/x?y", "http://h/#x", "http://h h/"].each do |address|
      assert_raises(Wrong, address) { ask(address) }
    end
  end

  # ---- the commands ----

  test "an image goes there and back, through faults; a proxy of the environment is asked" do
    faults = Hash.new(0)
    web = server { |request, _| 503 if (faults[[request.method, request.path]] += 1) == 1 }
    app = recorded
    run = push(app, to: web.address)
    assert_match(/\Apushed shop \S+ to #{web.address}: sent /, run.stdout)
    before = web.files.dup
    web.lines
    assert_match(/: sent \d+ B, 0 of \d+ pieces/, push(app, to: web.address).stdout)
    assert_equal [2, 0],
                 [web.lines.grep(/^PUT/).size, web.files.keys.grep(/pieces/).size - before.keys.grep(/pieces/).size]
    other = elsewhere(app)
    pull(other, from: web.address)
    assert_equal "hit", boot(other, env: cache(other)).last["lib/a.rb"]
    proxy = server { |_, socket| answer(socket, 404) && :done }
    run = pull(elsewhere(app), from: "http://store.invalid/x", env: { "http_proxy" => proxy.address("") }, status: 1)
    assert_complaint(%r{\Awarmstart: http://store.invalid/x has no image of shop}, run)
    assert_match(%r{\AGET http://store.invalid/x/images/}, proxy.lines.first)
    env = { "http_proxy" => proxy.address(""), "no_proxy" => "127.0.0.1" }
    pull(elsewhere(app), from: web.address, env: env)
    assert_equal [], proxy.lines
    asks = server { |_, socket| answer(socket, 407, "", "Proxy-Authenticate" => "Basic") && :done }
    run = pull(elsewhere(app), from: "http://store.invalid/x", env: { "http_proxy" => asks.address("") }, status: 1)
    assert_complaint(/\Awarmstart: .*407.*\n\z/, run)
    asks.lines
    run =
      pull(
        elsewhere(app),
        from: "https://store.invalid/x",
        env: {
          "https_proxy" => asks.address("").sub("//", "//us%40er:pass@")
        },
        status: 1
      )
    assert_complaint(/\Awarmstart: .*407.*\n\z/, run)
    asked = asks.requests.pop
    assert_equal ["CONNECT store.invalid:443", "Basic #{["us@er:pass"].pack("m0")}"],
                 ["#{asked.method} #{asked.path}", asked.headers["proxy-authorization"]]
    ["proxy.example:3128", "http://[::1"].each do |wrong|
      run = pull(elsewhere(app), from: "http://store.invalid/x", env: { "http_proxy" => wrong }, status: 2)
      assert_complaint(/\Awarmstart: the proxy of the environment is no address.*\n\z/, run)
    end
    run = pull(other, "--unsigned", trust: nil, from: web.address, status: 2)
    assert_complaint(/--unsigned is for a folder that only you can write to/, run)
    assert_complaint(/a web server cannot be asked what it has/, prune(app, from: web.address, status: 1))
  end

  test "a web server that lies costs a miss, and a deploy goes on" do
    web = server
    app = recorded
    push(app, to: web.address)
    name = web.files.keys.grep(/pieces/).max_by { |key| web.files[key].bytesize }
    good = web.files[name]
    [good[0..-2], good.reverse, ""].each do |content|
      web.files[name] = content
      other = elsewhere(app)
      assert_complaint(/is damaged; push the image again with --force\n\z/, pull(other, from: web.address, status: 1))
      assert_equal [], Dir.children(other.cache)
    end
    address = web.address
    @servers.pop.close
    run = pull(elsewhere(app), "--optional", from: address)
    assert_complaint(/\Awarmstart: \S+: Connection refused.*; going on without an image \(--optional\)\n\z/, run)
  end

  # ---- nginx ----

  def nginx(folder, more = "", **options, &)
    missing("nginx") unless Nginx::PROGRAM
    Nginx.serve(folder, more, **options, &)
  end

  # A certificate for 127.0.0.1, signed by itself.
  def certificate(path)
    key = OpenSSL::PKey::EC.generate("prime256v1")
    certificate = OpenSSL::X509::Certificate.new
    certificate.version = 2
    certificate.serial = 1
    certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=127.0.0.1")
    certificate.public_key = key
    certificate.not_before = Time.now - 86_400
    certificate.not_after = Time.now + 86_400
    extensions = OpenSSL::X509::ExtensionFactory.new(certificate, certificate)
    certificate.add_extension(extensions.create_extension("subjectAltName", "IP:127.0.0.1"))
    certificate.add_extension(extensions.create_extension("basicConstraints", "CA:TRUE", true))
    certificate.sign(key, OpenSSL::Digest.new("SHA256"))
    File.write(path, certificate.to_pem)
    File.write("#{path}.key", key.to_pem)
    path
  end

  test "nginx with its dav module is a store, which prune cleans in its folder" do
    app = recorded
    nginx(folder = temporary_folder) do |address|
      push(app, to: address)
      assert_match(/0 of \d+ pieces/, push(app, to: address).stdout)
      other = elsewhere(app)
      pull(other, from: address)
      assert_equal "hit", boot(other, env: cache(other)).last["lib/a.rb"]
      piece = Dir[File.join(folder, "www/store/pieces/*/*")].max_by { |path| File.size(path) }
      File.truncate(piece, 10)
      assert_complaint(/is damaged/, pull(elsewhere(app), from: address, status: 1))
      assert_match(/\Aremoved 1 image/, prune(app, "--max-size", "0", from: File.join(folder, "www/store")).stdout)
      assert_complaint(/has no image of shop/, pull(elsewhere(app), from: address, status: 1))
    end
  end

  test "nginx redirects what is read, and what is sent is not sent elsewhere" do
    app = recorded
    nginx(folder = temporary_folder) do |address|
      push(app, to: address)
      moved = "302 #{address.delete_suffix("/store")}$request_uri"
      nginx(temporary_folder, "return #{moved};") do |other|
        pull(fetched = elsewhere(app), from: other)
        assert_equal "hit", boot(fetched, env: cache(fetched)).last["lib/a.rb"]
      end
      before = Dir.glob("**/*", base: folder).grep_v(/\.log/)
      app.write("lib/a.rb", "A = 'changed'\n")
      sleep Program::AGEING
      boot(app, env: cache(app))
      nginx(temporary_folder, "return #{moved.sub("302", "307")};") do |other|
        assert_complaint(/redirects what is sent/, push(app, to: other, status: 1))
      end
      assert_equal before, Dir.glob("**/*", base: folder).grep_v(/\.log/)
    end
  end

  test "a push that is cut in the middle of a body leaves nothing in nginx's folder, and the next one goes on" do
    app = recorded
    nginx(folder = temporary_folder) do |address|
      puts = 0
      # What is between the two sends half of a file, and hangs up.
      between =
        server do |request, socket|
          next forward(address, request, socket) unless request.method == "PUT" && (puts += 1) > 2

          cut(address, request) && :cut
        end
      assert_complaint(/\Awarmstart: \S+ .*\n\z/, push(app, "--timeout", "20", to: between.address, status: 1))
      www = File.join(folder, "www/store")
      assert_equal [], Dir.glob("images/*/*/*", base: www).grep(/\h{16}\z/)
      Dir.glob("pieces/*/*", base: www).each { |name| Zlib.inflate(File.binread(File.join(www, name))) }
      assert_operator push(app, to: address).stdout[/, (\d+) of/, 1].to_i, :>, 0
      pull(other = elsewhere(app), from: address)
      assert_exit 0, warmstart(other, "verify", env: cache(other))
    end
  end

  # Asks nginx the same, and passes its answer on.
  def forward(address, request, socket)
    uri = URI(address)
    Net::HTTP.start(uri.host, uri.port) do |http|
      asked = Net::HTTPGenericRequest.new(request.method, !request.body.empty?, request.method != "HEAD", request.path)
      asked.content_type = "application/octet-stream"
      answer = http.request(asked, request.body.empty? ? nil : request.body)
      more = request.method == "HEAD" ? { "Content-Length" => answer["content-length"] } : {}
      WebServer.answer(socket, answer.code, answer.body.to_s, more)
    end
    :done
  end

  def cut(address, request)
    uri = URI(address)
    socket = TCPSocket.new(uri.host, uri.port)
    length = request.body.bytesize
    socket.write("PUT #{request.path} HTTP/1.1\r\nHost: x\r\nContent-Length: #{length}\r\n\r\n")
    socket.write(request.body.byteslice(0, length / 2))
    socket.close
    true
  end

  test "over https the server's certificate must be trusted" do
    app = recorded
    folder = temporary_folder
    path = certificate(File.join(folder, "certificate"))
    nginx(folder, certificate: path) do |address|
      run = push(app, to: address, status: 1)
      assert_complaint(/\Awarmstart: https:\S+: .*certificate verify failed.*\n\z/, run)
      push(app, to: address, env: { "SSL_CERT_FILE" => path })
      pull(other = elsewhere(app), from: address, env: { "SSL_CERT_FILE" => path })
      assert_equal "hit", boot(other, env: cache(other)).last["lib/a.rb"]
    end
  end

  test "nginx refuses: without a password, a body that is too large, no room on its disk" do
    app = recorded
    folder = temporary_folder
    File.write(File.join(folder, "users"), "me:{PLAIN}pass\n")
    nginx(folder, "auth_basic x; auth_basic_user_file #{folder}/users;") do |address|
      assert_complaint(/refuses us \(401\)/, push(app, to: address, status: 1))
      push(app, to: address.sub("//", "//me:pass@"))
      app.write("netrc", "machine 127.0.0.1 login me password pass\n")
      pull(elsewhere(app), from: address, env: { "NETRC" => app.path("netrc") })
    end
    nginx(temporary_folder, "limit_except GET { deny all; }") do |address|
      assert_complaint(/refuses us \(403\)/, push(app, to: address, status: 1))
    end
    nginx(temporary_folder, largest: "1k") do |address|
      line = /takes no file so large \(413\); nginx: client_max_body_size\n\z/
      assert_complaint(line, push(app, to: address, status: 1))
    end
    small = temporary_folder
    on_small_disk(small, kilobytes: 40) do
      nginx(small) { |address| assert_complaint(/says 500, 5 times|is full/, push(app, to: address, status: 1)) }
    end
  end
end
