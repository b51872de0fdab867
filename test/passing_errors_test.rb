# frozen_string_literal: true

require "open3"
require_relative "test_helper"

# Errors that pass: a system call fails once, for want of descriptors or memory, on a network file system's bad day. The
# program behaves as plain Ruby, with one line at the most, and what was recorded before is there in the next boot: only
# damage that is proven may cost an image.
class PassingErrorsTest < TestCase
  ERRORS = [
    Errno::EMFILE,
    Errno::ENFILE,
    Errno::EACCES,
    Errno::EPERM,
    Errno::EIO,
    Errno::ENOMEM,
    Errno::ESTALE,
    Errno::EINTR,
    Errno::ETIMEDOUT
  ].freeze
  FILES = {
    **%w[a b c d e].to_h do |name|
      ["#{name}.rb", "#{name.upcase} = :#{name}\ndef #{name} = [__FILE__, #{name.upcase}].size\n"]
    end,
    "new.rb" => "NEW = 1\n",
    "main.rb" => "names = ARGV.empty? ? %w[a b c d e] : ARGV\nnames.each { |name| require name }\np names\n"
  }.freeze
  ALL = %w[a.rb b.rb c.rb d.rb e.rb].freeze
  CALLS = %w[open read stat mmap flock fchmod write rename].freeze

  def shim
    @shim ||=
      File
        .join(@base, "passing_error.so")
        .tap do |library|
          output, status =
            Open3.capture2e(
              RbConfig::CONFIG["CC"].split.first,
              "-shared",
              "-fPIC",
              "-O1",
              "-o",
              library,
              File.join(__dir__, "support/passing_error.c"),
              "-ldl"
            )
          assert status.success?, output
        end
  end

  def setup
    skip "a shim for Linux" unless RUBY_PLATFORM.include?("linux")
    @base = Dir.mktmpdir("warmstart-passing-")
  end

  def teardown
    FileUtils.rm_rf(@base) if @base
  end

  # Yields for each call of the kind that a boot makes, the program's image being as it was recorded: the run in which
  # that call failed.
  def each_failure(call, program, arguments, errors: ERRORS, env: {})
    kept = "#{@base}/kept"
    FileUtils.cp_r(program.cache, kept, preserve: true) unless File.exist?(kept)
    fired = "#{@base}/fired"
    number = 0
    loop do
      failed =
        errors.map.with_index do |error, index|
          next unless index == number % errors.size || (call == "open" && number < 3)

          FileUtils.rm_rf([program.cache, fired])
          FileUtils.cp_r(kept, program.cache, preserve: true)
          run =
            program.boot(
              arguments: arguments,
              env: {
                "LD_PRELOAD" => shim,
                "FAIL_CALL" => call,
                "FAIL_NTH" => (number + 1).to_s,
                "FAIL_ERRNO" => error::Errno.to_s,
                "FAIL_BELOW" => program.cache,
                "FAIL_FIRED" => fired,
                **env
              }
            )
          next unless File.exist?(fired)

          yield run, "#{call} #{number + 1}: #{error}"
        end
      return number if failed.none?

      number += 1
    end
  end

  # The user's secret decides whether an image in the application's folder is believed (docs/security.md). It is opened,
  # looked at and read in each boot, and for each writer; a boot that cannot says so and goes without, or without
  # writing.
  %w[a new].each do |more|
    test "nothing is lost when the user's secret cannot be opened or read in a boot of #{more}" do
      program =
        program(
          FILES.merge(
            "Gemfile" => "",
            "main.rb" => "require #{Program::SETUP.dump}\n$LOAD_PATH << __dir__\n#{FILES["main.rb"]}"
          ),
          witness: false,
          env: {
            "WARMSTART_CACHE_DIR" => nil
          }
        )
      boot = ->(*arguments, **env) do
        program.ruby("--disable-gems", program.path("main.rb"), *arguments, env: env.transform_keys(&:to_s))
      end
      warm = -> { boot.call(WARMSTART_LOG: "1").stderr.scan(%r{^warmstart: hit .*/(\w\.rb)$}).flatten.sort }
      boot.call
      assert_equal ALL, warm.call
      secret = File.join(program.home, ".cache/warmstart/secret")
      fired, before = "#{@base}/fired", File.binread(secret)
      plain = boot.call("a", more, WARMSTART: "0")
      numbers =
        %w[open stat read].map do |call|
          (1..).find do |number|
            happened =
              [Errno::EMFILE, Errno::EIO, Errno::EPERM, Errno::ENOMEM].map do |error|
                FileUtils.rm_f(fired)
                run =
                  boot.call(
                    "a",
                    more,
                    LD_PRELOAD: shim,
                    FAIL_CALL: call,
                    FAIL_NTH: number.to_s,
                    FAIL_ERRNO: error::Errno.to_s,
                    FAIL_BELOW: secret,
                    FAIL_FIRED: fired
                  )
                where = "#{call} #{number}: #{error}"
                assert_operator run.complaints.size, :<=, 1, "#{where}: #{run.stderr}"
                assert_equal [plain.status, plain.stdout, plain.stderr],
                             [run.status, run.stdout, run.without_complaints.stderr],
                             where
                assert_equal [ALL, before], [warm.call, File.binread(secret)], where if File.exist?(fired)
                File.exist?(fired)
              end
            happened.none?
          end
        end
      assert_operator numbers.min, :>, 1, numbers.inspect
    end
  end

  # A boot that would have replaced the image, one that adds to it.
  [%w[a], %w[a new]].each do |arguments|
    CALLS.each do |call|
      test "nothing is lost when a call of #{call} fails in a boot of #{arguments.join(" and ")}" do
        program = program(FILES, args: %w[--disable-gems])
        program.boot
        assert_equal ALL, program.boot.hits
        plain = program.plain(arguments: arguments)
        number =
          each_failure(call, program, arguments) do |run, where|
            assert_operator run.complaints.size, :<=, 1, "#{where}: #{run.stderr}"
            assert_equal [plain.status, plain.stdout, plain.stderr],
                         [run.status, run.stdout, run.without_complaints.stderr],
                         where
            after = program.boot
            assert_equal [ALL, []], [after.hits, after.complaints], "#{where}: the boot after"
          end
        assert_operator number, :>, 0 unless arguments == %w[a] && %w[flock fchmod write rename].include?(call)
      end
    end
  end
end
