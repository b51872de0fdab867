# frozen_string_literal: true

module Benchmarks
  # How long a process that ends at once waits until what its first boot has recorded is written: the wall time from the
  # program's last line to its last exit handler, where it waits, and to the end of the process, beside plain Ruby and a
  # warm boot.
  class FirstEnd < Benchmark
    LIBRARIES = %w[
      csv
      erb
      fileutils
      json
      logger
      net/http
      open3
      optparse
      pstore
      securerandom
      set
      tempfile
      uri
      yaml
    ].freeze
    TELL = '$stdout.print(" ", Process.clock_gettime(Process::CLOCK_MONOTONIC))'
    HEAD = ["", "last handler", "minimum", "end", "minimum", "whole", "minimum"].freeze

    # One run: seconds from the last line to the last handler and to the end, and from the start to the end.
    Run = Struct.new(:handlers, :ending, :whole)

    def run
      Dir.mktmpdir("warmstart-end") do |work|
        @work = work
        rows =
          programs.flat_map { |name, variants| in_turns(variants).map { |variant, runs| row(name, variant, runs) } }
        { title: "the end of a program that has nothing more to do", head: HEAD, rows: rows }
      end
    end

    private

    def programs
      app = Examples["rails_app"]
      { "#{LIBRARIES.size} libraries" => libraries, "rails_app" => app.set_up? ? rails(app) : {} }
    end

    def libraries
      script = file("main.rb", "#{LIBRARIES.map { |name| "require #{name.dump}\n" }.join}#{TELL}\n")
      environment = { "WARMSTART_CACHE_DIR" => cache }
      plain, warmstart =
        [[], ["-r", SETUP]].map do |options|
          { command: [RbConfig.ruby, "-r", last, *options, script], env: environment }
        end
      variants(plain, warmstart, -> {})
    end

    def rails(app)
      environment = { "RUBYOPT" => "-r#{last}", "XDG_CACHE_HOME" => cache }
      plain, warmstart =
        %w[plain warmstart].map do |name|
          boot = boot(app, name, command: app.boot_command(TELL))
          boot.merge(env: boot[:env].merge(environment))
        end
      variants(plain, warmstart, -> { app.clear_caches })
    end

    def variants(plain, warmstart, clear)
      first = warmstart.merge(prepare: -> { [clear.call, FileUtils.rm_rf(cache)] })
      { "plain" => plain, "first boot" => first, "warm" => warmstart }
    end

    # Also of the images of other applications, from which a first boot would take what they have in common.
    def cache = File.join(@work, "cache")

    # What is required first has the last exit handler.
    def last = file("last.rb", "at_exit { #{TELL} }\n")

    def file(name, text) = File.join(@work, name).tap { |path| File.write(path, text) }

    def in_turns(variants)
      runs = variants.transform_values { [] }
      @runs.times { variants.each { |name, variant| runs[name] << once(**variant) } }
      runs
    end

    def once(command:, env:, chdir: @work, prepare: nil)
      prepare&.call
      started = now
      pipe = IO.popen([env, *command, { chdir: chdir, in: File::NULL }])
      last, handled = pipe.read.split.map { |time| Float(time) }
      pipe.close
      ended = now
      raise Unavailable, "#{command.join(" ")} failed" unless $?.success?

      Run.new(handled - last, ended - last, ended - started)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def row(program, variant, runs)
      ["#{program}: #{variant}", *Run.members.flat_map { |member| median_and_minimum(runs.map(&member)) }]
    end

    def median_and_minimum(seconds) =
      [seconds.sort[seconds.size / 2], seconds.min].map { |value| "#{(value * 1000).round} ms" }
  end
end
