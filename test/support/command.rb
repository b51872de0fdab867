# frozen_string_literal: true

require "json"
require_relative "program"

# The command line, and a small application to run it on. The tests of the commands include this module.
module Command
  WARMSTART = File.join(Program::REPOSITORY, "exe/warmstart")

  # An application as `warmstart` expects it: a Gemfile, a config/boot.rb that asks for Warmstart, some files.
  FILES = {
    "Gemfile" => "# no gems\n",
    "Gemfile.lock" => "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n\nBUNDLED WITH\n   2.3.15\n",
    "config/boot.rb" => "require #{Program::SETUP.dump}\n",
    "main.rb" =>
      "require_relative 'config/boot'\n$LOAD_PATH.unshift File.expand_path('lib', __dir__)\nrequire 'a'\nrequire 'deep/b'\nputs A + B\nexit Integer(ARGV[0] || 0)\n",
    "lib/a.rb" => "A = 'a'\n",
    "lib/deep/b.rb" => "B = 'b'\n",
    "lib/never.rb" => "abort 'this file must never run'\n"
  }.freeze

  # What differs under Wine, where Ruby has no Bundler: the application is one without a Gemfile.
  DIFFERENT =
    (
      if ENV["WARMSTART_WINE"]
        { "Gemfile" => nil, "Gemfile.lock" => nil, "config/application.rb" => "" }.freeze
      else
        {}.freeze
      end
    )

  # What is there where nothing else is asked for.
  BASE = FILES.merge(DIFFERENT).compact.freeze

  def application(files = {})
    program(BASE.merge(files).compact, witness: false).tap(&:age)
  end

  # Runs warmstart *arguments in the application's folder, without any of Warmstart's variables.
  def warmstart(app, *arguments, env: {}, chdir: app.folder, **options)
    environment = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => app.home,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"]
    }
    app.execute([RbConfig.ruby, WARMSTART, *arguments], env: environment.merge(env).compact, chdir: chdir, **options)
  end

  # Boots the application; the second value is the events of its files: {"lib/a.rb" => "hit"}.
  def boot(app, *arguments, env: {})
    run =
      app.execute(
        [RbConfig.ruby, app.path("main.rb"), *arguments],
        chdir: app.folder,
        env: { "PATH" => ENV["PATH"], "LANG" => "C.UTF-8", "HOME" => app.home, "WARMSTART_LOG" => "1" }.merge(env)
      )
    events =
      run
        .stderr
        .scan(%r{^warmstart: (hit|miss|stale|revalidated) #{Regexp.escape(app.folder)}/(\S+)})
        .to_h { |event, name| [name, event] }
    [run, events]
  end

  def image_folder(app) = app.path("tmp/cache/warmstart")

  # The user's cache folder, as it is without variables.
  def user_cache(app) = File.join(app.home, Program::WINDOWS ? "AppData/Local/warmstart" : ".cache/warmstart")

  # What `warmstart build` printed, without the line that Windows gives cause for at each sealed build.
  def said_by_build(run)
    Program::WINDOWS ? run.stderr.sub(/^warmstart: the system does not allow fixed addresses.*\n/, "") : run.stderr
  end

  def assert_exit(status, run)
    assert_equal "exit #{status}", run.status, -> { run.stdout + run.stderr }
  end

  # The complaint is one line, and tells what is wrong and what to do.
  def assert_complaint(pattern, run)
    assert_match pattern, run.stderr
    run.stderr.each_line { |line| assert_match(/\Awarmstart: /, line) }
  end
end
