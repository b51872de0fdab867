# frozen_string_literal: true

require_relative "test_helper"

# `require "warmstart/rake"`, and what Rails loads (integration/rails_tasks_test.rb): who cleans up takes the image
# along.
class RakeTest < TestCase
  with_rubygems

  LIBRARY = File.join(Program::REPOSITORY, "lib")

  def before_setup
    super
    missing "there is no rake for this Ruby" unless system(RbConfig.ruby, "-e", "require 'rake'", err: File::NULL)
  end

  # The program's first line is its Rakefile's.
  def rake(rakefile, *tasks, setup: true, env: {})
    program =
      program(
        {
          "Gemfile" => "",
          "a.rb" => "",
          "Rakefile" => rakefile,
          "main.rb" =>
            "#{"require 'warmstart/setup'\n" if setup}require 'rake'\nrequire 'a'\nRake.application.run(ARGV.dup)\n"
        },
        env: {
          "WARMSTART_CACHE_DIR" => nil,
          "RUBYLIB" => LIBRARY,
          **env
        },
        witness: false
      )
    image = File.join(program.folder, "tmp/cache/warmstart")
    seed(program, image)
    [program.plain(arguments: tasks), image]
  end

  # An image, as other processes have left it.
  def seed(program, image)
    program.execute(
      [RbConfig.ruby, "-I", LIBRARY, "-e", "require 'warmstart'; Warmstart.setup(root: Dir.pwd); require './a'"],
      env: {
        "PATH" => ENV["PATH"],
        "HOME" => program.home
      }
    )
    refute_empty Dir["#{image}/*.manifest"], "no image to begin with"
  end

  # Only the task of our own says what it does: Rake's and Rails' print what they print without us.
  def assert_cleared(run, image, output: "")
    assert_equal ["exit 0", "", output],
                 [run.status, run.stderr, run.stdout.sub(%r{ \S+ \S+ from #{Regexp.escape(image)}$}, "")]
    assert_empty Dir["#{image}/*.{manifest,segment}"]
  end

  { "clean" => "", "clobber" => "", "warmstart:clear" => "removed\n" }.each do |task, output|
    test "rake #{task} removes the image, and what it recorded itself" do
      assert_cleared(*rake("require 'warmstart/rake'\n", task), output: output)
    end
  end

  test "rake clean where Warmstart does not run" do
    assert_cleared(*rake("require 'warmstart/rake'\n", "clean", setup: false))
  end

  test "an image that cannot be removed is a failure of warmstart:clear, and of no other task" do
    link = "File.rename('tmp/cache/warmstart', 'tmp/cache/x')\nFile.symlink('x', 'tmp/cache/warmstart')\n"
    { "warmstart:clear" => "exit 1", "clean" => "exit 0" }.each do |task, status|
      run, = rake("require 'warmstart/rake'\n#{link}task(:next) { puts 'next' }\n", task, "next")
      assert_equal [status, status == "exit 0" ? "next\n" : ""], [run.status, run.stdout], task
      assert_match(/\Awarmstart: .*nothing was removed from there\n\z/, run.stderr)
    end
  end

  test "rake's own lists are worked off, too" do
    run, image =
      rake("require 'warmstart/rake'\nCLEAN.include('a.rb')\ntask(:clobber) { puts File.exist?('a.rb') }\n", "clobber")
    assert_cleared(run, image, output: "false\n")
  end

  test "the tasks in Rails hook clobber and tmp:cache:clear, whatever is defined first" do
    tasks = File.join(LIBRARY, "warmstart/integrations/tasks.rake")
    define = "namespace(:tmp) { namespace(:cache) { task(:clear) { puts 'tmp' } } }\nrequire 'rake/clean'\n"
    rails = "require 'warmstart'\nmodule Rails; class Railtie; end; end\n"
    ["#{define}load #{tasks.inspect}\n", "load #{tasks.inspect}\n#{define}"].product(%w[clobber tmp:cache:clear])
      .each { |rakefile, task| assert_cleared(*rake(rails + rakefile, task), output: task == "clobber" ? "" : "tmp\n") }
  end

  test "other tasks leave the image alone" do
    run, image = rake("require 'warmstart/rake'\ntask(:default) { puts 'done' }\n")
    assert_equal ["exit 0", "done\n", ""], [run.status, run.stdout, run.stderr]
    refute_empty Dir["#{image}/*.manifest"]
  end
end
