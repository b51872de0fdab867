# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/standby_program"
require_relative "../lib/warmstart/cli"
require_relative "../lib/warmstart/cli/init"

# `warmstart init --standby`: the application's own scripts come from a standby, and are for Ruby what they were.
class StandbyScriptsTest < TestCase
  SCRIPTS = Warmstart::CLI::Init::StandbyScripts
  TEXT = <<~RUBY
    #!/usr/bin/env ruby
    # frozen_string_literal: true

    require "#{Program::SETUP}"
    require_relative "../config/environment"
    p __LINE__, __FILE__, $0, ARGV, __FILE__ == $0, "text".frozen?, TEXT, DATA.read
    raise "failed" if ARGV == ["raise"]
    __END__
    data
  RUBY

  def setup
    skip "Linux only" unless RUBY_PLATFORM.include?("linux")
    @program =
      StandbyProgram.new(
        temporary_folder,
        "Gemfile" => "",
        "config/environment.rb" => "TEXT = 'one'\n",
        "bin/rails" => TEXT,
        "bin/rake" => "#!/usr/bin/ruby\n",
        "bin/rspec" => TEXT
      )
    %w[rails rake rspec].each { |name| File.chmod(0o755, @program.path("bin/#{name}")) }
    @program.environment.delete("WARMSTART_CACHE_DIR")
    @program.environment.delete("RUBYOPT")
    # (`env ruby` is to be the Ruby of this test.)
    Dir.mkdir(File.join(@program.base, "path"))
    File.symlink(RbConfig.ruby, File.join(@program.base, "path/ruby"))
    @program.environment["PATH"] = "#{File.join(@program.base, "path")}:#{ENV.fetch("PATH")}"
    sleep 0.03
  end

  def teardown
    assert_empty @program.stop if @program
  end

  def init(*options) =
    @program.execute(
      [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart"), "init", "--standby", *options],
      @program.environment
    )
  def texts = %w[rails rake rspec].map { |name| File.read(@program.path("bin/#{name}")) }

  test "it changes scripts that env ruby runs, once, and takes its lines out again" do
    before = texts
    assert_match(/nothing was changed/, init("--dry-run").stderr)
    assert_equal before, texts
    run = init
    assert_equal [
                   "warmstart: bin/rake: nothing that `env ruby` runs; left unchanged\nwarmstart: changed bin/rails, bin/rspec\n",
                   0
                 ],
                 [run.stderr, run.status]
    assert_equal [SCRIPTS::SHELL + TEXT, before[1], SCRIPTS::SHELL + TEXT], texts
    assert_equal ["755"],
                 %w[rails rspec].map { |name| format("%o", File.stat(@program.path("bin/#{name}")).mode & 0o777) }.uniq
    assert_equal ["", 0], init.then { |again| [again.stdout, again.status] }
    assert_equal 0, init("--undo").status
    assert_equal before, texts
    FileUtils.rm_rf(@program.path("bin"))
    assert_equal [1, "warmstart: there is none of bin/rails, bin/rake, bin/rspec in #{@program.folder}\n"],
                 init.then { |none| [none.status, none.stderr] }
  end

  test "for Ruby and for the shell the scripts are what they were, without a standby and from one" do
    run = ->(*arguments) { @program.execute([*arguments], @program.environment).visible }
    ways = [
      %w[bin/rails a],
      ["bin/rails", "b c"],
      %w[bin/rails raise],
      %w[ruby bin/rails a],
      %w[ruby -w bin/rails],
      ["sh", "-c", "cd bin && ./rails a"],
      ["ruby", "-e", "load 'bin/rails' rescue p $!.class"]
    ]
    expected = ways.map { |way| run.call(*way).map { |text| text.to_s.gsub(/:\d+:in/, ":in") } }
    line = run.call("bin/rails").first.lines.first.to_i
    assert_equal 0, init.status
    sleep 0.03
    ways.zip(expected) do |way, plain|
      now = run.call(*way).map { |text| text.to_s.gsub(/:\d+:in/, ":in") }
      assert_equal plain.map { |text| text.sub(/^#{line}$/, (line + SCRIPTS::SHELL.lines.size).to_s) }, now, way.inspect
    end
    note = File.read(@program.path("tmp/cache/warmstart/standby"))
    assert_equal "#{StandbyProgram::CLIENT}\n", note
    # (A shell may set PWD, so this is another command than `ruby bin/rails a`.)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
    until @program.hits.positive? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      @program.settled
      run.call("bin/rails", "a")
    end
    before = @program.hits
    again = run.call("bin/rails", "a")
    assert_equal [
                   before + 1,
                   expected[0].map { |text| text.sub(/^#{line}$/, (line + SCRIPTS::SHELL.lines.size).to_s) }
                 ],
                 [@program.hits, again.map(&:to_s)],
                 @program.status.inspect
  end

  test "the client, asked for such a script, tells of the command that the script becomes" do
    init
    sleep 0.03
    commands = %w[bin/rails ./bin/rails].map { |script| [script, "a"] }
    commands.each do |command|
      @program.make(*command)
      assert_equal [0, 1], [@program.run(*command).status, @program.hits]
      assert_equal "ruby #{command.join(" ")}", @program.status.first["command"]
      why = @program.execute([StandbyProgram::CLIENT, "--why", "--", *command], @program.environment)
      assert_equal ["from a standby: all that its boot has asked is unchanged\n", 0], [why.stdout, why.status]
      @program.stop
    end
    File.chmod(0o644, @program.path("bin/rails"))
    assert_equal 126, @program.run("bin/rails", "a").status
  end

  test "a note of another user's, that is a link, or of a client that is gone, counts for nothing" do
    init
    folder = @program.path("tmp/cache/warmstart")
    FileUtils.mkdir_p(folder)
    evil =
      File
        .join(@program.base, "evil")
        .tap { |path| File.write(path, "#!/bin/sh\necho evil\n") && File.chmod(0o755, path) }
    File.write(File.join(folder, "standby"), "#{evil}\n")
    assert_equal "evil\n", @program.execute(["bin/rails"], @program.environment).stdout # (the user's own)
    upload = @program.path("upload").tap { |path| File.write(path, "#{evil}\n") }
    [
      -> { FileUtils.ln_sf(upload, File.join(folder, "standby")) },
      -> { FileUtils.rm(File.join(folder, "standby")) },
      -> do
        if Process.uid.zero?
          File.write(File.join(folder, "standby"), "#{evil}\n") && File.chown(1, nil, File.join(folder, "standby"))
        end
      end,
      -> { File.write(File.join(folder, "standby"), "/nowhere/standby\n") }
    ].each do |change|
      next if change.call.nil?

      assert_match(/\A\d+$/, @program.execute(["bin/rails"], @program.environment).stdout)
    end
  end
end
