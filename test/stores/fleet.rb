# frozen_string_literal: true

# A fleet: many machines pull at once from one nginx while one pushes. Each machine is a process in namespaces of its own
# (mounts, processes, host name), with a cache folder of its own. All must get an image that was pushed, whole.
#
#   ruby test/stores/fleet.rb --machines 200 --files 300
#
# Prints what a machine asked and got, how long it took, and the memory of the largest pull; exits with 1 if anything is
# wrong.

require "digest"
require "optparse"
require "tmpdir"
require_relative "../support/command"
require_relative "../support/nginx"
require_relative "../support/program"
require_relative "../support/store"

class Fleet
  include Command
  include StoreCases

  NAMESPACES = %w[unshare --mount --pid --fork --uts].freeze

  def initialize(machines, files)
    @machines = machines
    @file_count = files
    @failures = []
  end

  # @return [Boolean] whether all is right
  def run
    Dir.mktmpdir("warmstart-fleet-") do |base|
      @base = base
      @app = Program.new(base, files, witness: false)
      sleep Program::AGEING
      2.times { boot(@app, env: cache(@app)) }
      Dir.mkdir(@server = File.join(base, "server"))
      Nginx.serve(@server) do |address|
        @address = address
        publish
        pull_all
      end
      check
      report
    end
    @failures.each { |failure| warn "fleet: #{failure}" }
    @failures.empty?
  end

  private

  # A gem with most of the files, and the application's own.
  def files
    names = (1..@file_count).map { |number| "part#{number}" }
    gem = names.to_h { |name| ["gems/thing-1.0/lib/thing/#{name}.rb", source(name)] }
    requires = names.map { |name| "require 'thing/#{name}'\n" }.join
    { **FILES, "main.rb" => "#{GEM_FILES.fetch("main.rb").sub("; require 'thing'", "\n#{requires}")}", **gem }
  end

  def source(name)
    methods =
      (1..40).map { |number| "  def #{name}_#{number}(x) = [x, :#{name}, 'text #{number}', x.to_s * #{number}]\n" }
    "module #{name.capitalize}\n#{methods.join}end\n"
  end

  # Pushes the image as it is now, and keeps what is right for a machine.
  def publish
    run = warmstart(@app, "push", "--application", "fleet", "--key", key(@app), @address, env: cache(@app))
    return @failures << "push: #{run.status} #{run.stderr}" unless run.status == "exit 0"

    (@published ||= []) << digests(@app.cache)
  end

  def digests(folder) = image_bytes(folder).transform_values { |bytes| Digest::SHA256.hexdigest(bytes) }

  def pull_all
    File.truncate(File.join(@server, "access.log"), 0)
    began = now
    pids = Array.new(@machines) { |number| start(number) }
    pushing = Thread.new { change_and_publish until @ended }
    pids.each_with_index { |pid, number| finish(pid, number) }
    @seconds = now - began
    @ended = true
    pushing.join
  end

  def change_and_publish
    @app.write("lib/a.rb", "A = 'a' # #{@published.size}\n")
    sleep Program::AGEING
    boot(@app, env: cache(@app))
    publish
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def machine(number) = File.join(@base, "machine#{number}")

  def start(number)
    Dir.mkdir(machine(number))
    command = [RbConfig.ruby, WARMSTART, "pull", "--application", "fleet", "--timeout", "500", "--trust"]
    environment = {
      "PATH" => ENV["PATH"],
      "HOME" => machine(number),
      "LANG" => "C.UTF-8",
      "WARMSTART_CACHE_DIR" => File.join(machine(number), "cache")
    }
    measured = File.executable?("/usr/bin/time") ? ["/usr/bin/time", "-f", "%M", "-o", "#{machine(number)}/memory"] : []
    Process.spawn(
      environment,
      *(NAMESPACES if Process.uid.zero?),
      *measured,
      *command,
      "#{key(@app)}.pub",
      @address,
      :chdir => @app.folder,
      :unsetenv_others => true,
      %i[out err] => "#{machine(number)}/said"
    )
  end

  def finish(pid, number)
    _, status = Process.wait2(pid)
    @failures << "machine #{number}: #{status} #{File.read("#{machine(number)}/said")}" unless status.success?
  end

  # Each machine has one of the images that were pushed. (What was pushed while it asked, is not known beforehand.)
  def check
    @machines.times do |number|
      found = digests(File.join(machine(number), "cache"))
      @failures << "machine #{number}: no image that was pushed" unless @published.include?(found)
    end
    other = @app.dup
    other.instance_variable_set(:@cache, File.join(machine(0), "cache"))
    run = warmstart(other, "verify", env: cache(other))
    @failures << "verify: #{run.stdout}#{run.stderr}" unless run.status == "exit 0"
  end

  def report
    reads = Nginx.requests(@server).select { |method, *| method == "GET" }
    ok, other = reads.partition { |_, _, status, _| status == 200 }
    bytes = ok.sum(&:last)
    memory = Dir[File.join(@base, "machine*/memory")].map { |path| File.read(path)[/\d+/].to_i }.max
    @failures << "requests that failed: #{other.map { |_, path, status, _| [path, status] }.tally}" if other.any?
    puts "#{@machines} machines, pushes meanwhile: #{@published.size - 1}, image of #{image_bytes(@app.cache).values.sum(&:bytesize)} bytes",
         "requests: #{ok.size}, of a machine #{(ok.size / @machines.to_f).round(1)}",
         "bytes: #{bytes}, of a machine #{bytes / @machines}",
         "seconds: #{@seconds.round(1)}, of processor time of a pull about #{(processor / @machines).round(2)}",
         "memory of the largest pull: #{memory ? "#{memory / 1024} MB" : "not measured"}"
  end

  def processor
    times = Process.times
    times.cutime + times.cstime
  end
end

options = { machines: 200, files: 300 }
OptionParser
  .new do |parser|
    parser.on("--machines N", Integer)
    parser.on("--files N", Integer)
  end
  .parse!(into: options)
abort "fleet: nginx is not installed" unless Nginx::PROGRAM
exit Fleet.new(options[:machines], options[:files]).run
