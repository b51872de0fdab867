# frozen_string_literal: true

require "json"
require "rubygems"
require_relative "test_helper"

# The gem as `gem build` makes it, installed by `gem install`: what README's first lines lead to. The other tests use the
# checkout, which also has the files that a gem's list could leave out.
class GemTest < TestCase
  VERSION = Gem::Specification.load(File.join(Program::REPOSITORY, "warmstart.gemspec")).version

  # What has been compiled before is not compiled again, in whatever folder (where ccache is in use).
  COMPILER = { "CCACHE_NOHASHDIR" => "1", "CCACHE_BASEDIR" => "/", "MAKEFLAGS" => "-j2" }.freeze

  def self.folder
    @folder ||= Dir.mktmpdir("warmstart-gem-").tap { |folder| Minitest.after_run { FileUtils.rm_rf(folder) } }
  end

  def self.home
    @home ||=
      File
        .join(folder, "home")
        .tap do |home|
          gem = File.join(folder, "warmstart.gem")
          @said =
            [
              ["build", "warmstart.gemspec", "--strict", "-o", gem],
              ["install", "--local", "--no-document", "--install-dir", home, gem]
            ].map do |words|
              output, status = Open3.capture2e(COMPILER, RbConfig.ruby, "-S", "gem", *words, chdir: Program::REPOSITORY)
              raise "gem #{words.first}: #{output}" unless status.success?

              output
            end
        end
  end

  # (What has changed just now is compared by content first.)
  def self.work
    @work ||=
      File
        .join(folder, "work")
        .tap do |work|
          FileUtils.mkdir_p(File.join(work, "lib"))
          File.write(File.join(work, "lib/a.rb"), "A = [__FILE__, __LINE__]\n")
          File.write(File.join(work, "main.rb"), "require_relative 'lib/a'\np A, $LOADED_FEATURES.grep(%r{/lib/a})\n")
          sleep 0.06
        end
  end

  def self.said = home && @said

  def home = self.class.home

  # As somebody who has installed the gem, in a folder of his own, with a program of two files.
  def typed(*command, **environment)
    work = self.class.work
    variables = {
      "HOME" => work,
      "GEM_HOME" => home,
      "GEM_PATH" => home,
      "WARMSTART_CACHE_DIR" => File.join(work, "cache"),
      "PATH" => "#{home}/bin:#{ENV["PATH"]}"
    }
    output, errors, status =
      Open3.capture3({ **variables, "RUBYOPT" => nil, **environment.transform_keys(&:to_s) }, *command, chdir: work)
    [output, errors, status.exitstatus]
  end

  test "it is built and installed without a warning" do
    refute_match(/warning|error/i, self.class.said.join)
  end

  test "it has all files of the library, and none that a program could load by chance" do
    gem = File.join(home, "gems", "warmstart-#{VERSION}")
    missing =
      Dir[File.join(Program::REPOSITORY, "lib/**/*")]
        .select { |path| File.file?(path) }
        .map { |path| path.delete_prefix("#{Program::REPOSITORY}/") }
        .grep_v(%r{/native/|/README\.md\z})
        .reject { |name| File.exist?(File.join(gem, name)) }
    assert_empty missing
    assert_equal %w[warmstart warmstart.rb], Dir.children(File.join(gem, "lib")).sort
    refute_path_exists File.join(gem, "ext/cross"), "only bin/setup needs it, which is not in the gem"
  end

  test "a program's second start comes from the image" do
    command = [RbConfig.ruby, "-rwarmstart/setup", "main.rb"]
    plain = typed(RbConfig.ruby, "main.rb")
    assert_equal [plain, plain], Array.new(2) { typed(*command) }
    output, log, = typed(*command, WARMSTART_LOG: "1")
    assert_equal plain.first, output
    assert_match(%r{^warmstart: hit .*/lib/a\.rb$}, log)
  end

  test "its commands" do
    typed(RbConfig.ruby, "-rwarmstart/setup", "main.rb")
    assert_equal ["warmstart #{VERSION}\n", "", 0], typed("warmstart", "--version")
    assert_equal 0, typed("warmstart", "exec", RbConfig.ruby, "main.rb").last
    _, errors, code = typed("warmstart", "profile", "--json", "profile.json", "--", RbConfig.ruby, "main.rb")
    assert_equal 0, code, errors
    nodes = JSON.parse(File.read(File.join(self.class.work, "profile.json")))["nodes"]
    assert_includes nodes.map { |node| node["name"] }, "lib/a"
    assert_equal ["", "warmstart: unknown command \"no\"; try 'warmstart --help'\n", 2], typed("warmstart", "no")
  end
end
