# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/standby_program"

# Random changes between commands: whatever changes, a command by the client prints what plain Ruby prints then. How many
# commands came from a standby is counted, so that this cannot pass because none ever did.
# STANDBY_CHANGES=1000 STANDBY_SEED=7 makes more of them.
class StandbyChangesTest < TestCase
  CHANGES = Integer(ENV.fetch("STANDBY_CHANGES", 30))
  SEEDS = ENV.key?("STANDBY_SEED") ? [Integer(ENV["STANDBY_SEED"])] : [1, 2]

  FILES = {
    "foo" => "$:.unshift __dir__ + '/first', __dir__ + '/second'\nrequire 'foo'\nputs FOUND, $LOADED_FEATURES.grep(/application/).map { |path| path.sub(/.*application/, '') }\n",
    "second/foo.rb" => <<~RUBY,
      require "part"
      require_relative "near"
      autoload :Late, "late"
      data = File.read(File.join(__dir__, "../data/text"))
      link = File.read(File.join(__dir__, "../link")) rescue $!.class.name
      names = Dir.children(File.join(__dir__, "../data")).sort
      globbed = Dir.glob("*/*.conf", base: File.join(__dir__, "..")).sort
      absent = %w[absent data/absent nowhere/absent].select { |name| File.exist?(File.join(__dir__, "..", name)) }
      folder = File.directory?(File.join(__dir__, "../sub")) ? File.stat(File.join(__dir__, "../sub")).mode.to_s(8) : "none"
      real = File.realpath(File.join(__dir__, "../sub")) rescue $!.class.name
      FOUND = [Part, Near, Late, data, link, names, globbed, absent, folder, real[-12..], ENV["READ"], Time.at(0).hour, File.umask, Dir.pwd[-8..]].map(&:inspect)
    RUBY
    "second/part.rb" => "Part = 1\n", "second/near.rb" => "Near = 1\n", "second/late.rb" => "Late = 1\n",
    "first/nothing.rb" => "", "data/text" => "one\n", "data/one.conf" => "", "data/two.conf" => "", "other" => "other\n", "sub/file" => ""
  }.freeze

  def setup
    skip "Linux only" unless RUBY_PLATFORM.include?("linux")
  end

  def teardown
    @program&.stop
  end

  # Each changes something, or changes it back.
  def change(random)
    path = ->(name) { @program.path(name) }
    toggle = ->(name, text) { File.exist?(path.call(name)) ? File.delete(path.call(name)) : @program.write(name, text) }
    link = ->(target) { FileUtils.rm_f(path.call("link")) || true and File.symlink(target, path.call("link")) }
    move = ->(from, to) { File.exist?(path.call(from)) ? FileUtils.rm_rf(path.call(to)) && File.rename(path.call(from), path.call(to)) : (File.rename(path.call(to), path.call(from)) if File.exist?(path.call(to))) }
    case random.rand(18)
    when 0 then @program.write("data/text", "#{%w[one two six ten].sample(random: random)}\n")
    when 1 then status = File.stat(path.call("data/text")) # (the same size and times)
                @program.write("data/text", "#{%w[abc def].sample(random: random)}\n")
                File.utime(status.atime, status.mtime, path.call("data/text"))
    when 2 then @program.write("second/part.rb", "Part = #{random.rand(9)}\n")
    when 3 then toggle.call("first/part.rb", "Part = :first\n")
    when 4 then toggle.call("first/late.rb", "Late = :first\n")
    when 5 then toggle.call(%w[absent data/absent nowhere/absent].sample(random: random), "")
    when 6 then link.call(%w[data/text other missing].sample(random: random))
    when 7 then toggle.call("data/two.conf", "")
    when 8 then toggle.call("sub/new.conf", "")
    when 9 then move.call("sub", "moved")
    when 10 then File.directory?(path.call("sub")) && File.chmod([0o755, 0o700].sample(random: random), path.call("sub"))
    when 11 then @program.write("second/new", File.read(path.call("second/near.rb"))) || File.rename(path.call("second/new"), path.call("second/near.rb"))
    when 12 then @environment = { "READ" => random.rand(3).to_s }
    when 13 then @environment = { "TZ" => %w[UTC Asia/Tokyo].sample(random: random) }
    when 14 then @umask = [0o022, 0o077].sample(random: random)
    when 15 then @folder = [@program.folder, path.call("data")].sample(random: random)
    when 16 then FileUtils.touch(path.call("second/foo.rb"))
    when 17 then @program.write("second/near.rb", "Near = #{random.rand(9)}\n")
    end
  end

  def both
    options = { env: @environment, chdir: @folder, umask: @umask }
    [@program.plain(**options).visible, @program.run(**options).visible]
  end

  SEEDS.each do |seed|
    test "#{CHANGES} changes from seed #{seed}: each command is as in plain Ruby" do
      random = Random.new(seed)
      @program = StandbyProgram.new(temporary_folder, FILES)
      @environment = {}
      @folder = @program.folder
      @umask = 0o022
      served = 0
      CHANGES.times do |number|
        change(random)
        expected, seen = both
        assert_equal expected, seen, "seed #{seed}, change #{number}"
        next unless random.rand(3).positive?

        sleep 0.03
        @program.settled
        before = @program.hits
        expected, seen = both
        assert_equal expected, seen, "seed #{seed}, change #{number}, once more"
        served += 1 if @program.hits > before
      end
      assert_operator served, :>, CHANGES / 4, "hardly any command came from a standby"
    end
  end
end
