# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../../examples/applications"
require "json"
require "net/http"
require "open3"
require "socket"
require "tmpdir"

# A real Rails application (examples/rails_app), in processes of its own: it boots, serves, reloads and passes its own
# tests with Warmstart as without. Sets the application up where that has not been done (a few minutes, once a Ruby).
class RailsApplicationTest < TestCase
  APPLICATION = Examples["rails_app"]

  # Installs gems and makes databases, once a process. Where gems cannot be had, the reason is shown and the tests are
  # skipped.
  def self.set_up
    @set_up ||=
      begin
        output, status =
          Open3.capture2e(RbConfig.ruby, File.join(Examples::FOLDER, "setup"), "rails_app") unless APPLICATION.set_up?
        if status.nil? || status.success?
          :done
        else
          "examples/setup rails_app failed: #{output.lines.grep(/\S/).last(3).join.strip}"
        end
      end
  end

  def setup
    super
    state = self.class.set_up
    missing state unless state == :done
    @cache = temporary_folder
  end

  # The folder of an image that one boot in production has recorded, and what that boot has printed.
  def recorded
    @@recorded ||=
      begin
        @cache = Dir.mktmpdir("warmstart-test-")
        Minitest.after_run { FileUtils.rm_rf(@cache) }
        [@cache, lines("warmstart", APPLICATION.script_command(Examples::PRINT_FEATURES))]
      end
  end

  test "production boots load the same features in the same order, while recording and from the image; with bootsnap the same" do
    plain = lines("plain", APPLICATION.script_command(Examples::PRINT_FEATURES))
    assert_operator plain.size, :>, 1500
    @cache, recording = recorded
    assert_equal plain, recording
    assert_equal plain, lines("warmstart", APPLICATION.script_command(Examples::PRINT_FEATURES))
    # (It may add what it needs itself, and loads some in another order.)
    assert_empty plain - lines("bootsnap", APPLICATION.script_command(Examples::PRINT_FEATURES))
    counts = lines("warmstart", APPLICATION.boot_command("p Warmstart::Native.counts")).last
    hits, misses = counts.scan(/\d+/).map(&:to_i)
    assert_operator hits, :>, 1500
    assert_equal 0, misses, "a warm boot compiles nothing"
    before = snapshot
    lines("warmstart", APPLICATION.boot_command)
    assert_equal before, snapshot, "a warm boot writes nothing"
  end

  test "commands of the application come from a standby, with the same output" do
    client =
      Dir[
        File.join(
          Program::REPOSITORY,
          "lib/warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}*/standby"
        )
      ].first
    skip "there is no client but on Linux" unless client
    code =
      "p Rails.env, $0, ARGV, $LOADED_FEATURES.size > 1500, Book.count.class, ENV['BUNDLE_GEMFILE'] == Bundler.default_gemfile.to_s"
    command = ["bin/rails", "runner", code]
    runtime = Dir.mktmpdir
    environment =
      APPLICATION.environment("warmstart").merge(
        "WARMSTART_CACHE_DIR" => recorded.first,
        "XDG_RUNTIME_DIR" => runtime,
        "WARMSTART_STANDBY" => "1",
        "CI" => nil
      )
    standbys = -> { JSON.parse(Open3.capture2(environment, client, "--status", "--json").first) }
    by_client = -> { Open3.capture3(environment, client, "--", *command, chdir: APPLICATION.folder, stdin_data: "") }
    expected = Open3.capture3(APPLICATION.environment("plain"), *command, chdir: APPLICATION.folder, stdin_data: "")
    assert_equal ["", 0], [expected[1], expected[2].exitstatus]
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 120
    until standbys.call.any? { |one| one["commands"].positive? }
      assert_equal expected.first, by_client.call.first
      if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline ||
           standbys.call.any? { |one| one["state"] == "unfit" }
        flunk standbys.call.inspect
      end
      sleep 0.5
    end
  ensure
    system(environment, client, "--stop", out: File::NULL) if runtime
    FileUtils.rm_rf(runtime) if runtime
  end

  test "the server answers the same requests in the same way" do
    plain = answers("plain")
    assert(plain.values.any? { |status, _body| status == "200" })
    %w[warmstart warmstart bootsnap].each { |variant| assert_equal plain, answers(variant), variant }
    assert_equal plain,
                 answers("warmstart") { |pid|
                   assert_empty File.readlines("/proc/#{pid}/maps").grep(/\.segment/), "the server is plain Ruby again"
                 }
  end

  test "the application's own tests pass while recording, from the image, by Ruby's own require, and from a sealed image" do
    assert_own_tests_pass
    assert_own_tests_pass
    assert_own_tests_pass("WARMSTART_DIRECT" => "0")
    sealed = { "WARMSTART_IMAGE_DIR" => seal }
    assert_own_tests_pass(sealed)
    output, =
      run_in(
        "warmstart",
        APPLICATION.boot_command("p Warmstart::Native.sealed_image?, Warmstart::Native.counts"),
        mode: "test",
        more: sealed
      )
    assert_match(/^true\n\{:?hit(?:=>|: )[1-9]\d{3},/, output)
  end

  test "development mode sees an edited file, and eager loading is complete" do
    script = File.join(@cache, "reload.rb")
    File.write(script, <<~RUBY)
      path = Rails.root.join("app/models/warmstart_probe.rb").to_s
      File.write(path, "class WarmstartProbe; ANSWER = 1; end")
      Rails.application.reloader.reload!
      p WarmstartProbe::ANSWER
      File.write(path, "class WarmstartProbe; ANSWER = 22; end")
      Rails.application.reloader.reload!
      p WarmstartProbe::ANSWER
      File.delete(path)
      Rails.application.eager_load!
      p ActiveRecord::Base.descendants.size, ApplicationController.descendants.size
    RUBY
    plain = lines("plain", APPLICATION.script_command(script), mode: "development")
    assert_equal %w[1 22], plain.first(2)
    2.times { assert_equal plain, lines("warmstart", APPLICATION.script_command(script), mode: "development") }
  ensure
    FileUtils.rm_f(File.join(APPLICATION.folder, "app/models/warmstart_probe.rb"))
  end

  private

  def environment(variant, mode)
    APPLICATION.environment(variant, mode: mode).merge("WARMSTART_CACHE_DIR" => @cache)
  end

  def run_in(variant, command, mode: "production", more: {})
    Open3.capture2e(environment(variant, mode).merge(more), *command, chdir: APPLICATION.folder)
  end

  def assert_own_tests_pass(more = {})
    output, status = run_in("warmstart", APPLICATION.test_command("--seed", "1"), mode: "test", more: more)
    assert status.success?, "#{more}: #{status}\n#{output}"
    assert_match(/ 0 failures, 0 errors/, output)
    refute_match(/^warmstart: /, output)
  end

  # Builds a sealed image in a folder of its own.
  def seal
    folder = File.join(@cache, "sealed")
    command = [
      RbConfig.ruby,
      File.join(Program::REPOSITORY, "exe/warmstart"),
      "build",
      "--seal",
      "--image",
      folder,
      "--",
      *APPLICATION.boot_command
    ]
    output, status = run_in("warmstart", command, mode: "test")
    assert status.success?, output
    folder
  end

  def lines(variant, command, mode: "production")
    output, status = run_in(variant, command, mode: mode)
    assert status.success?, "#{variant}: #{command.join(" ")}: #{status}\n#{output}"
    output.lines(chomp: true)
  end

  # Every file of the image: name, size, modification time.
  def snapshot
    Dir[File.join(@cache, "**/*")].sort.map { |path| [path, File.size(path), File.mtime(path)] }
  end

  def answers(variant)
    socket = TCPServer.open("127.0.0.1", 0)
    port = socket.addr[1]
    log = File.join(@cache, "server-#{variant}.log")
    pid =
      spawn(
        environment(variant, "production"),
        *APPLICATION.class::ACTIVATED,
        *APPLICATION.server_command(port: port),
        :chdir => APPLICATION.folder,
        :out => log,
        :err => log,
        3 => socket
      )
    socket.close
    wait_for(port, log)
    yield pid if block_given?
    APPLICATION.request_paths.to_h { |path| [path, answer(port, path)] }
  ensure
    stop(pid) if pid
  end

  # (puma under Ruby 3.4 now and then does not end when told to, in plain Ruby, too)
  def stop(pid)
    Process.kill(:TERM, pid)
    100.times do
      return if Process.wait(pid, Process::WNOHANG)

      sleep 0.1
    end
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  # Waits for the first answer. A server that ends closes the socket.
  def wait_for(port, log)
    Net::HTTP.start("127.0.0.1", port, read_timeout: Program.patience(120)) { |http| http.get("/up") }
  rescue SystemCallError, IOError, Net::ReadTimeout => error
    raise "the server does not answer (#{error.message}):\n#{File.read(log)}"
  end

  # Status and body, without what differs from request to request.
  def answer(port, path)
    response = Net::HTTP.get_response("127.0.0.1", path, port)
    body = response.body.dup.force_encoding("UTF-8").scrub
    [
      response.code,
      body
        .gsub("127.0.0.1:#{port}", "HOST")
        .gsub(/(?:csrf-token"|authenticity_token"|nonce=?)[^>]*/, "")
        .gsub(/\b[0-9a-f-]{36}\b|\d{4}-\d\d-\d\d[T ][\d:.]+Z?/, "")
    ]
  end
end
