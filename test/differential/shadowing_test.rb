# frozen_string_literal: true

require_relative "../test_helper"

# A file that comes into being during a boot, in a folder of the load path that has been looked at, shadows the file of
# that name further down. Plain Ruby loads the new one, and so does a warm boot: whoever writes it, in which way, and
# however long the load path is (a short one is looked at each time, a long one is watched: folder_watch.h).
class ShadowingTest < TestCase
  WAYS = {
    "written" => "File.write(new, text)",
    "by a child" => 'system(RbConfig.ruby, "--disable-gems", "-e", "File.write(*ARGV)", new, text)',
    "by a fork's child" => "Process.wait(fork { File.write(new, text) })",
    "by a thread" => "Thread.new { File.write(new, text) }.join",
    "moved there" => 'File.write(__dir__ + "/text", text); File.rename(__dir__ + "/text", new)',
    "a link" => 'File.write(__dir__ + "/text", text); File.symlink(__dir__ + "/text", new)',
    "in a new folder" =>
      'Dir.mkdir(__dir__ + "/aside"); File.write(__dir__ + "/aside/part.rb", text); File.rename(__dir__ + "/aside", folder + "/fresh"); name = "fresh/part"',
    "in a folder that was replaced" =>
      'File.rename(folder, folder + ".old"); FileUtils.cp_r(folder + ".old", folder); File.write(new, text)',
    "in a folder that was missing" =>
      'FileUtils.mkdir_p(__dir__ + "/missing/lib"); File.write(__dir__ + "/missing/lib/late.rb", text)',
    "as a library's Ruby file" => 'File.write(folder + "/only.rb", text); name = "only"'
  }.freeze

  # Whether the folder is a gem's, which counts as stable, or the application's own. (Where folders are not watched, a
  # gem's is believed: docs/semantics.md, 5.)
  OWNERS = RUBY_PLATFORM.include?("linux") ? [true, false] : [false]

  # many: so many more are in front.
  def files(way, gem:, many:)
    {
      "gems/gems/first-1.0/lib/first.rb" => "FIRST = 1\n",
      "gems/gems/second-1.0/lib/second.rb" => "SECOND = 1\n",
      "gems/gems/first-1.0/lib/late/other.rb" => "",
      "gems/gems/second-1.0/lib/late.rb" => "puts 'the old late.rb'\n",
      "gems/gems/second-1.0/lib/fresh/part.rb" => "puts 'the old fresh/part.rb'\n",
      "gems/gems/second-1.0/lib/only.rb" => "puts 'the old only.rb'\n",
      "gems/specifications/first-1.0.gemspec" => specification("first"),
      "gems/specifications/second-1.0.gemspec" => specification("second"),
      "own/lib/first.rb" => "FIRST = 1\n",
      **many.times.to_h { |number| ["many/#{number}/nothing#{number}.rb", ""] },
      "main.rb" => <<~RUBY
        require "fileutils"
        folder = File.join(__dir__, #{(gem ? "gems/gems/first-1.0/lib" : "own/lib").dump})
        $LOAD_PATH.unshift(*#{many}.times.map { |number| File.join(__dir__, "many", number.to_s) })
        $LOAD_PATH.unshift(File.join(__dir__, "missing/lib"), folder, File.join(__dir__, "gems/gems/second-1.0/lib"))
        require "first"
        require "second"
        begin
          require "late/nothing"
        rescue LoadError
        end
        text = "puts 'the new file'\\n"
        name = "late"
        new = File.join(folder, "late.rb")
        if ENV["HOW"]
          #{way}
        end
        p require(name), $LOADED_FEATURES.last.delete_prefix(__dir__)
      RUBY
    }
  end

  def specification(name)
    "Gem::Specification.new { |s| s.name = #{name.dump}; s.version = '1.0'; s.summary = 'x'; s.authors = ['x']; s.files = [] }\n"
  end

  WAYS.each do |how, way|
    test "a file in front: #{how}" do
      skip "there is no fork" if way.include?("fork") && !Process.respond_to?(:fork)

      OWNERS
        .product([0, 40])
        .each do |gem, many|
          files = files(way, gem: gem, many: many)
          environment = ->(program) do
            { "GEM_HOME" => File.join(program.folder, "gems"), "GEM_PATH" => File.join(program.folder, "gems") }
          end
          trained = program(files, rubygems: true)
          2.times { trained.boot(env: environment.call(trained)) }
          changed = trained.boot(env: { **environment.call(trained), "HOW" => "1" })
          other = program(files, rubygems: true)
          plain = other.plain(env: { **environment.call(other), "HOW" => "1" })
          assert_includes plain.stdout, "the new file"
          assert_equal [plain.stdout, plain.stderr, plain.status],
                       [changed.stdout, changed.stderr, changed.status],
                       "#{gem ? "a gem's" : "its own"}, #{many} more"
        end
    end
  end
end
