# frozen_string_literal: true

module Benchmarks
  # Counts the metadata calls (calls that look up a path: open, stat, readlink, access, getdents) that the Rails
  # application makes in a warm boot after its accelerator is set up; and measures the boot when each of them takes 0.2
  # ms longer, as on a network file system or under a virus scanner. strace counts and delays the calls. All numbers
  # include the application's own calls (Zeitwerk lists every folder of autoloaded code). The difference is the cost of
  # require and the load path.
  class MetadataCalls < Benchmark
    TRACE = "trace=%file,getdents64"
    DELAY = "inject=%file,getdents64:delay_enter=200"
    MARKER = "/boot/is/set/up"
    KINDS = {
      "open, failed" => /\bopen\w*\(.*= -1 /,
      "open" => /\bopen\w*\(.*= \d/,
      "stat" => /\b(?:\w*stat\w*|f?access\w*)\(/,
      "readlink" => /\breadlink/,
      "listing" => /\bgetdents/
    }.freeze

    def run
      Warmstart::Bench::SystemCalls.available? or raise Unavailable, "there is no strace here, or it may not trace"

      Dir.mktmpdir("warmstart-metadata") do |work|
        results =
          variants(application("rails_app"), work).map { |name, variant| [name, *measure_variant(variant, work)] }
        {
          title: "metadata calls of a warm boot, once set up; wall time of the whole with 0.2 ms more for each",
          head: ["", "all", *KINDS.keys, "with 0.2 ms"],
          rows: results
        }
      end
    end

    private

    def variants(app, work)
      boots = boots(app).slice("plain", "bootsnap", "warmstart")
      warmstart = boots.fetch("warmstart")
      boots["native way only"] = warmstart.merge(env: warmstart[:env].merge("WARMSTART_DIRECT" => "0"))
      boots["warmstart sealed"] = warmstart.merge(
        env: warmstart[:env].merge("WARMSTART_IMAGE_DIR" => seal_boot(warmstart, work))
      )
      boots
    end

    def seal_boot(variant, work)
      image = File.join(work, "sealed")
      build = [
        RbConfig.ruby,
        File.join(EXE, "warmstart"),
        "build",
        "--seal",
        "--quiet",
        "--image",
        image,
        "--",
        *variant[:command]
      ]
      system(variant[:env], *build, chdir: variant[:chdir], exception: true)
      image
    end

    def measure_variant(variant, work)
      log = File.join(work, "calls")
      2.times { start(variant) }
      start(variant, "strace", "-f", "-qq", "-e", TRACE, "-o", log)
      calls = File.readlines(log, encoding: Encoding::BINARY)
      calls = calls.drop(calls.index { |call| call.include?(MARKER) } + 1)
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      start(variant, "strace", "-f", "-qq", "-e", TRACE, "-e", DELAY, "-o", log)
      seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - before
      [calls.size, *KINDS.each_value.map { |kind| calls.grep(kind).size }, Warmstart::Units.seconds(seconds)]
    end

    def start(variant, *tracer)
      system(
        variant[:env].merge("BOOT_MARKER" => MARKER),
        *tracer,
        *variant[:command],
        chdir: variant[:chdir],
        out: File::NULL,
        exception: true
      )
    end
  end
end
