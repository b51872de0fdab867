# frozen_string_literal: true

# A store in a bucket: the gem aws-sdk-s3 and s3rver, a server in JavaScript, on this machine. bin/deep runs it, because
# both have to be installed (into tmp/stores; npm and rubygems.org must be reachable the first time).
#
#   ruby test/stores/s3.rb

FOLDER = File.expand_path("../../tmp/stores", __dir__)
GEMS = File.join(FOLDER, "gems-#{RUBY_VERSION[/\d+\.\d+/]}")
SERVER = File.join(FOLDER, "node_modules/.bin/s3rver")
GEM_VERSION, SERVER_VERSION = "1.239.0", "3.7.1"

require "fileutils"
require "rbconfig"
FileUtils.mkdir_p(FOLDER)
gem = [RbConfig.ruby, "-S", "gem", "install", "aws-sdk-s3", "-v", GEM_VERSION, "--no-document", "--install-dir", GEMS]
unless File.directory?(File.join(GEMS, "gems/aws-sdk-s3-#{GEM_VERSION}"))
  system(*gem, out: File::NULL) or abort "s3: aws-sdk-s3 cannot be installed"
end
unless File.exist?(SERVER)
  system("npm", "install", "--no-audit", "--no-fund", "s3rver@#{SERVER_VERSION}", chdir: FOLDER, out: File::NULL) or
    abort "s3: s3rver cannot be installed"
end
ENV["GEM_PATH"] = [GEMS, *Gem.path].join(":")
Gem.paths = ENV

require "minitest/autorun"
require "uri"
require "net/http"
require "socket"
require_relative "../test_helper"
require_relative "../support/command"
require_relative "../support/store"
require_relative "../support/web_server"

class S3StoresTest < TestCase
  include Command
  include StoreCases

  def teardown
    @servers.to_a.each(&:close)
    return unless @pid

    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  end

  # The environment of a client of s3rver.
  def service(folder = temporary_folder)
    port = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }
    @folder = folder
    words = ["-d", @folder, "-p", port.to_s, "--configure-bucket", "team"]
    @pid = Process.spawn(SERVER, *words, %i[out err] => File::NULL)
    200.times do
      TCPSocket.new("127.0.0.1", port).close
      break
    rescue Errno::ECONNREFUSED
      sleep 0.05
    end
    client("http://127.0.0.1:#{port}")
  end

  def client(address)
    {
      "AWS_ENDPOINT_URL_S3" => address,
      "AWS_ACCESS_KEY_ID" => "S3RVER",
      "AWS_SECRET_ACCESS_KEY" => "S3RVER",
      "AWS_REGION" => "us-east-1"
    }
  end

  STORE = "s3://team/images"

  test "an image goes to a bucket and back; only what is missing travels; prune removes it" do
    app = recorded
    env = service
    assert_match(/, (\d+) of \1 pieces /, push(app, to: STORE, env: env).stdout)
    assert_match(/, 0 of \d+ pieces /, push(app, to: STORE, env: env).stdout)
    other = elsewhere(app)
    pull(other, from: STORE, env: env)
    assert_equal image_bytes(app.cache), image_bytes(other.cache)
    assert_equal "hit", boot(other, env: cache(other)).last["lib/a.rb"]
    assert_match(
      %r{\Aremoved 0 images and 0 pieces, 0 B, from s3://team/images; 1 image and },
      prune(app, from: STORE, env: env).stdout
    )
    assert_match(/\Aremoved 1 image and 0 pieces, /, prune(app, "--max-size", "0", from: STORE, env: env).stdout)
    assert_complaint(%r{s3://team/images has no image of shop}, pull(elsewhere(app), from: STORE, env: env, status: 1))
    run = pull(other, "--unsigned", trust: nil, from: STORE, env: env, status: 2)
    assert_complaint(/--unsigned is for a folder/, run)
  end

  test "what is damaged in the bucket is not taken" do
    app = recorded
    env = service
    push(app, to: STORE, env: env)
    piece = Dir[File.join(@folder, "team/images/pieces/*/*")].grep(/_object\z/).max_by { |path| File.size(path) }
    refute_nil piece, Dir[File.join(@folder, "**/*")].join("\n")
    File.binwrite(piece, "x" * 100)
    other = elsewhere(app)
    assert_complaint(/is damaged|does not match|s3:/, pull(other, from: STORE, env: env, status: 1))
    assert_equal [], Dir.children(other.cache)
  end

  test "trouble is one line: no bucket, no region, no credentials, 403, nobody there, 503, cuts, a slow service" do
    app = recorded
    env = service
    nobody = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }
    faults = { denied: ->(*) { 403 }, unavailable: ->(*) { 503 }, cut: ->(*) { :cut }, slow: ->(*) { sleep } }
    @servers = faults.values.map { |fault| WebServer.new(&fault) }
    addresses = faults.keys.zip(@servers.map { |server| server.address("") }).to_h
    {
      ["s3://none/x", env] => /there is no bucket none|s3:/,
      [STORE, env.merge("AWS_REGION" => nil)] => /region/i,
      [STORE, env.merge("AWS_ACCESS_KEY_ID" => nil, "AWS_EC2_METADATA_DISABLED" => "true")] => /credentials/i,
      [STORE, client(addresses[:denied])] => %r{s3://team/images: .* \(images/},
      [STORE, client("http://127.0.0.1:#{nobody}")] => /Connection refused|Failed to open/,
      [STORE, client(addresses[:unavailable])] => %r{s3://team/images: },
      [STORE, client(addresses[:cut])] => %r{s3://team/images: },
      [STORE, client(addresses[:slow])] => /takes longer than 5 seconds/
    }.each do |(store, environment), message|
      run = pull(elsewhere(app), "--timeout", "5", from: store, env: environment, status: 1)
      assert_equal 1, run.stderr.lines.size, run.stderr
      assert_match(/\Awarmstart: .*#{message}/, run.stderr, environment.inspect)
    end
    run = pull(app, from: "s3:///x", env: env, status: 2)
    assert_complaint(%r{an s3 store is s3://BUCKET/PREFIX}, run)
    run = pull(app, from: STORE, env: { "GEM_PATH" => temporary_folder, "GEM_HOME" => temporary_folder }, status: 1)
    assert_complaint(/\Awarmstart: an s3 store needs the gem aws-sdk-s3; install it, or add it to the Gemfile/, run)
  end

  # Passes everything on to the real service, unless the fault has an answer.
  def between(env, &fault)
    real = URI(env["AWS_ENDPOINT_URL_S3"])
    server = WebServer.new { |request, socket| fault.call(request, socket) || pass_on(real, request, socket) }
    (@servers ||= []) << server
    env.merge("AWS_ENDPOINT_URL_S3" => server.address(""))
  end

  def pass_on(real, request, socket)
    Net::HTTP.start(real.host, real.port) do |http|
      asked = Net::HTTPGenericRequest.new(request.method, !request.body.empty?, request.method != "HEAD", request.path)
      request.headers.each { |name, value| asked[name] = value unless %w[connection expect].include?(name) }
      answer = http.request(asked, request.body.empty? ? nil : request.body)
      kept = answer.to_hash.slice("content-type", "etag", "last-modified").transform_values(&:first)
      more = request.method == "HEAD" ? { "Content-Length" => answer["content-length"] } : {}
      WebServer.answer(socket, answer.code, answer.body.to_s, kept.merge(more))
    end
    :done
  end

  def answer(...) = WebServer.answer(...) && :done

  test "what a service answers wrongly costs a miss: redirects, bodies that are shorter or longer than they say" do
    app = recorded
    env = service
    push(app, to: STORE, env: env)
    other = WebServer.new { |_, socket| answer(socket, 200, "elsewhere") }
    @servers = [other]
    here = other.address("/x")
    [
      ->(socket) { answer(socket, 301) },
      ->(socket) { answer(socket, 301, "", "Location" => here) },
      ->(socket) { answer(socket, 307, "", "Location" => "file:///etc/passwd") },
      ->(socket) { answer(socket, 200, "abc", "Content-Length" => 10) && :cut },
      ->(socket) { answer(socket, 200, "x" * 1000, "Content-Length" => 10) && :cut },
      ->(socket) { answer(socket, 200, "x" * 1000, "Content-Length" => nil) && :cut },
      ->(socket) { answer(socket, 200, "", "Content-Length" => -1) && :cut },
      ->(socket) { answer(socket, 200, "<Error><Code>SlowDown</Code></Error>") }
    ].each_with_index do |fault, number|
      faulty = between(env) { |request, socket| fault.call(socket) if request.path.include?("/pieces/") }
      run = pull(mine = elsewhere(app), "--timeout", "20", from: STORE, env: faulty, status: 1)
      assert_equal 1, run.stderr.lines.size, "#{number}: #{run.stderr}"
      assert_match(/\Awarmstart: /, run.stderr)
      assert_equal [], Dir.children(mine.cache)
      assert_equal "ab\n", boot(mine, env: cache(mine)).first.stdout
    end
    assert_equal [], other.lines
  end

  test "a push that is refused, cut or has no room leaves the bucket whole for whoever pulls" do
    app = recorded
    env = service
    push(app, to: STORE, env: env)
    app.write("lib/a.rb", "A = 'changed'\n")
    sleep Program::AGEING
    boot(app, env: cache(app))
    [403, 503, 507, :cut].each do |fault|
      faulty = between(env) { |request, _| fault if request.method == "PUT" && request.path.include?("/pieces/") }
      run = push(app, "--timeout", "30", to: STORE, env: faulty, status: 1)
      assert_equal 1, run.stderr.lines.size, run.stderr
      assert_match(%r{\Awarmstart: s3://team/images}, run.stderr)
      mine = elsewhere(app)
      pull(mine, from: STORE, env: env)
      assert_equal %w[stale hit], boot(mine, env: cache(mine)).last.values_at("lib/a.rb", "lib/deep/b.rb")
    end
    push(app, to: STORE, env: env)
    pull(mine = elsewhere(app), from: STORE, env: env)
    assert_equal "hit", boot(mine, env: cache(mine)).last["lib/a.rb"]
  end

  test "a full disk under the bucket is one line" do
    app = recorded
    small = temporary_folder
    on_small_disk(small, kilobytes: 60) do
      env = service(small)
      run = push(app, "--timeout", "60", to: STORE, env: env, status: 1)
      assert_equal 1, run.stderr.lines.size, run.stderr
      assert_match(%r{\Awarmstart: s3://team/images: }, run.stderr)
      run = pull(mine = elsewhere(app), from: STORE, env: env, status: 1)
      assert_equal [1, []], [run.stderr.lines.size, Dir.children(mine.cache)], run.stderr
    ensure
      Process.kill(:TERM, @pid)
      Process.wait(@pid)
      @pid = nil
    end
  end
end
