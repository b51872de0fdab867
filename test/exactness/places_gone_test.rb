# frozen_string_literal: true

require_relative "../test_helper"

# The place of the image is another one at the end of the program than at its beginning: the application's folder was
# removed, or the root folder is another one. Nothing is made there, and nothing is said.
class PlacesGoneTest < TestCase
  FILES = { "Gemfile" => "", "lib/a.rb" => "A = 1\n", "lib/b.rb" => "B = 1\n" }.freeze
  # Another process removes the folder. (Windows has no rm.)
  COMMAND =
    if Program::WINDOWS
      "system({ 'RUBYOPT' => nil }, #{RbConfig.ruby.dump}, '--disable-gems', '-r', 'fileutils', '-e', 'FileUtils.rm_rf(ARGV[0])', %s)"
    else
      "system('rm', '-rf', %s)"
    end
  REMOVE = {
    "by a method" => "require 'fileutils'\nFileUtils.rm_rf(%s)",
    "by a command" => COMMAND,
    "by the last exit handler" => "at_exit { #{COMMAND} }",
    "in the middle" => "#{COMMAND}\nrequire File.join(KEPT, 'c')"
  }.freeze
  # Where the image lies, below the application's folder, and what the program removes.
  PLACES = { "tmp/cache" => "__dir__", "tmp/cache/deep/er" => "File.join(__dir__, 'tmp')", "cache" => "__dir__" }.freeze

  PLACES.each do |place, removed|
    REMOVE.each do |name, code|
      test "the image is to be in #{place}, #{removed} is removed #{name}" do
        kept = temporary_folder
        File.write(File.join(kept, "c.rb"), "C = 1\n")
        program =
          program(
            {
              **FILES,
              "main.rb" => "KEPT = #{kept.dump}\nrequire 'a'\nrequire 'b'\n#{code.sub("%s") { removed }}\nputs A\n"
            },
            load_path: %w[lib],
            rubygems: true,
            witness: false
          )
        parent = File.dirname(program.folder)
        copy = File.join(parent, "copy")
        FileUtils.cp_r(program.folder, copy)
        plain = program.plain
        # (The image's folder is there before, or its parent is, or neither.)
        (removed == "__dir__" ? [nil, "tmp", place] : ["tmp", place]).each do |there|
          FileUtils.rm_rf(program.folder)
          FileUtils.cp_r(copy, program.folder)
          FileUtils.mkdir_p(program.path(there)) if there
          run = program.boot(chdir: parent, env: { "WARMSTART_CACHE_DIR" => program.path(place) })
          assert_same_run plain, run, "#{there} was there"
          refute_path_exists removed == "__dir__" ? program.folder : program.path("tmp")
        end
      end
    end
  end

  test "a folder that was removed before the boot's end is made no more by a later commit" do
    program =
      program(
        {
          **FILES,
          "main.rb" =>
            "require 'a'\nWarmstart.boot_complete!\nWarmstart::Native.wait(10_000)\n#{COMMAND.sub("%s") { "File.join(__dir__, 'tmp')" }}\nrequire 'b'\n"
        },
        load_path: %w[lib],
        witness: false
      )
    run = program.boot(env: { "WARMSTART_CACHE_DIR" => program.path("tmp/cache") })
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    refute_path_exists program.path("tmp")
  end

  JAILS = {
    "an empty folder" => [],
    "one that has the cache's folder, too" => %w[cache],
    "one that has the application" => %w[application cache]
  }.freeze
  JAILS.each do |name, folders|
    test "the root folder is another one: #{name}" do
      skip "only root can change it" unless Process.uid.zero?
      jail = temporary_folder
      program =
        program(
          {
            **FILES,
            "main.rb" =>
              "require 'a'\nrequire 'b'\nDir.chroot(#{jail.dump})\nDir.chdir('/')\nbegin; require 'nothing'; rescue LoadError => e; p e.class; end\nbegin; require 'lib/a'; rescue LoadError => e; p e.class; end\nputs A\n"
          },
          load_path: %w[lib],
          witness: false
        )
      folders.each { |folder| FileUtils.mkdir_p(File.join(jail, program.base, folder)) }
      before = Dir[File.join(jail, "**/*")]
      plain = assert_same_boots(program, 3)
      assert_equal ["LoadError\nLoadError\n1\n", "exit 0"], [plain.stdout, plain.status], plain.stderr
      assert_equal before, Dir[File.join(jail, "**/*")]
    end
  end

  [3, 4, 5, 6, 7, 8, 9, 10, 12, 16].each do |left|
    test "#{left} descriptors are left" do
      program =
        program(
          {
            **FILES,
            "main.rb" =>
              "require 'a'\nrequire 'b'\nfiles = []\nbegin; loop { files << File.open(__FILE__) }; rescue Errno::EMFILE, Errno::ENFILE; end\nfiles.pop(#{left}).each(&:close)\nputs A\n"
          },
          load_path: %w[lib],
          witness: false
        )
      program.age
      run = program.boot
      assert_equal ["1\n", "exit 0"], [run.stdout, run.status]
      assert_operator run.stderr.lines.size, :<=, 1, run.stderr
      assert_match(/\A(?:warmstart: cannot .*: Too many open files; nothing was recorded .*\n)?\z/, run.stderr)
    end
  end
end
