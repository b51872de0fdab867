# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/command"
require_relative "../../examples/applications"

# What Warmstart adds to Rails: its rake tasks, and what Rails' load hooks tell. With a real Rails, of which railties
# alone is enough; the gems are the examples' (examples/setup).
class RailsTasksTest < TestCase
  include Command

  GEMS = File.join(Program::REPOSITORY, "examples/tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])
  RAILTIES = File.join(GEMS, "specifications/railties-*.gemspec")

  # Sets the example up where that has not been done; another test may be at it (examples/setup has a lock).
  def self.rails?
    return @rails if defined?(@rails)

    Open3.capture2e(RbConfig.ruby, File.join(Examples::FOLDER, "setup"), "rails_app") if Dir[RAILTIES].empty?
    @rails = Dir[RAILTIES].any?
  end

  def setup
    super
    missing "railties is not installed: examples/setup rails_app" unless self.class.rails?
  end

  RAILS = {
    "Gemfile" => "source \"https://rubygems.org\"\ngem \"railties\"\n",
    "Gemfile.lock" => nil,
    "lib/a.rb" => nil,
    "lib/deep/b.rb" => nil,
    "lib/never.rb" => nil,
    "main.rb" => nil,
    "config/boot.rb" =>
      "ENV[\"BUNDLE_GEMFILE\"] ||= File.expand_path(\"../Gemfile\", __dir__)\n\nrequire \"bundler/setup\" # Set up gems listed in the Gemfile.\n",
    "config/application.rb" => <<~RUBY,
      require_relative "boot"
      require "rails"
      Bundler.require(*Rails.groups)
      module Shop
        class Application < Rails::Application
          config.eager_load = false
          config.secret_key_base = "a" * 64
        end
      end
    RUBY
    "config/environment.rb" => "require_relative \"application\"\nRails.application.initialize!\n",
    "Rakefile" => "require_relative \"config/application\"\nRails.application.load_tasks\n",
    "bin/rails" =>
      "APP_PATH = File.expand_path(\"../config/application\", __dir__)\nrequire_relative \"../config/boot\"\nrequire \"rails/commands\"\n",
    "bin/rake" => "require_relative \"../config/boot\"\nrequire \"rake\"\nRake.application.run\n"
  }.freeze

  # As `rails new` and `warmstart init` leave it; our gem is the repository.
  # @param gem [String] the Gemfile's line for ours, without the path
  def rails(gem: "gem \"warmstart\", require: false", files: {})
    gemfile = "#{RAILS["Gemfile"]}#{gem}, path: #{Program::REPOSITORY.dump}\n"
    app = application(RAILS.merge("Gemfile" => gemfile, **files))
    assert_exit 0, warmstart(app, "init")
    # (It is found as if it was installed there.)
    FileUtils.mkdir_p(app.path("vendor/bundle/gems"))
    File.symlink(Program::REPOSITORY, app.path("vendor/bundle/gems/warmstart-0"))
    app.age
    app
  end

  def run_in(app, command, *arguments, env: {})
    surroundings = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => app.home,
      "GEM_HOME" => GEMS,
      "GEM_PATH" => GEMS,
      "BUNDLE_LOCKFILE_CHECKSUMS" => "false"
    }
    run = app.execute([RbConfig.ruby, app.path("bin/#{command}"), *arguments], env: surroundings.merge(env))
    assert_exit 0, run
    assert_empty run.stderr
    run
  end

  TASKS = {
    "rails" => %r{^bin/rails warmstart:clear +# Remove the boot image$},
    "rake" => /^rake warmstart:clear +# Remove the boot image$/
  }.freeze

  # The first boot records, the second one comes from the image.
  def assert_lists_tasks(app, **options)
    TASKS.each do |command, line|
      assert_equal 1, run_in(app, command, "-T", **options).stdout.scan(line).size, "#{command} #{options}"
    end
  end

  test "rails -T and rake -T list the task, however the gem is required" do
    assert_lists_tasks rails
    assert_lists_tasks rails(gem: "gem \"warmstart\"")
    by_hand = rails(files: { "config/boot.rb" => "#{RAILS["config/boot.rb"]}require \"warmstart/setup\"\n" })
    refute_includes File.read(by_hand.path("config/boot.rb")), "warmstart ||"
    assert_lists_tasks by_hand
    late =
      "require_relative \"boot\"\nrequire \"rails\"\nBundler.require\nWarmstart.setup\nmodule Shop; class Application < Rails::Application; end; end\n"
    assert_lists_tasks rails(
                         gem: "gem \"warmstart\"",
                         files: {
                           "config/boot.rb" =>
                             "#{RAILS["config/boot.rb"]}# not require \"warmstart/setup\"\nnil && require(\"warmstart/setup\")\n",
                           "config/application.rb" => late
                         }
                       )
  end

  test "rails -T lists the task under every setting with which Warmstart is on" do
    app = rails
    line = TASKS["rake"]
    %w[
      WARMSTART_DIRECT=0
      WARMSTART_CODE=0
      WARMSTART_SEARCH=0
      WARMSTART_READONLY=1
      WARMSTART_TWEAKS=none
      WARMSTART_BUNDLER=0
    ].each do |setting|
      assert_equal 1, run_in(app, "rake", "-T", env: [setting.split("=")].to_h).stdout.scan(line).size, setting
    end
  end

  test "the tasks remove the image, once, in whatever words it is asked for" do
    app = rails
    %w[warmstart:clear tmp:cache:clear clobber].each do |task|
      run_in(app, "rails", "runner", "1")
      refute_empty Dir["#{image_folder(app)}/*.manifest"], "no image to begin with"
      assert_equal task.start_with?("warmstart") ? ["removed"] : [],
                   run_in(app, "rails", task).stdout.scan(/^removed|nothing to remove/),
                   task
      assert_empty Dir["#{image_folder(app)}/*.{manifest,segment}"], task
    end
  end

  test "no class is added to Rails', and an application's own tasks are there once" do
    program = "p Rails::Railtie.subclasses.map(&:name).sort"
    app = rails(files: { "lib/tasks/own.rake" => "desc \"Own\"\ntask(:own) { puts \"own\" }\n" })
    plain, ours = [{ "WARMSTART" => "0" }, {}].map { |env| run_in(app, "rails", "runner", program, env: env).stdout }
    assert_equal plain, ours
    assert_equal "own\n", run_in(app, "rails", "own").stdout
  end
end
