# frozen_string_literal: true

# A raw profile that is made node by node. Totals are sums of self values, and times nest as in a real profile.
class ProfileSketch
  MS = 1_000_000
  LOADS = %w[require require_relative load autoload].freeze

  # scale: factor for all times. more: values that replace those of the profile.
  def initialize(scale: 1.0, gems: {}, application: "/app", more: {})
    @scale = scale
    @gem_folders = gems
    @application = application
    @more = more
    @nodes = []
    @clock = 0
  end

  def profile
    finish_totals
    {
      "format" => "warmstart profile",
      "version" => 1,
      "program" => {
        "command" => ["main.rb"],
        "directory" => "/app",
        "application" => @application,
        "ruby" => "ruby 3.3.8",
        "ruby_version" => "3.3.8",
        "platform" => "x86_64-linux",
        "processors" => 2,
        "pid" => 1,
        "started_at" => "2026-11-21T22:00:00Z",
        "status" => 0,
        "accelerator" => "absent",
        "bootsnap" => false
      },
      "gems" =>
        @gem_folders.map do |name, path|
          { "name" => name, "version" => path[/-([\d.]+)\z/, 1], "path" => path, "default" => false }
        end,
      "load_path" => @gem_folders.values.map { |path| "#{path}/lib" },
      "threads" => [{ "id" => 0, "name" => "main", "root" => 0 }],
      "calls_source" => "interposer",
      "overhead" => {
        "wall_ns" => 0,
        "cpu_ns" => 0,
        "share" => 0.0
      },
      "nodes" => @nodes,
      "features" => 0
    }.merge(@more)
  end

  # Adds a node with a self time of `own` milliseconds. extra: raw metrics of its self. The block adds the nodes below
  # it.
  def add(
    parent,
    kind,
    name,
    path: nil,
    from: nil,
    own: 0,
    files: 0,
    failed: 0,
    objects: 100,
    open: 0,
    read: 0,
    read_bytes: 0,
    repeated: 0,
    result: nil,
    error: nil,
    thread: 0,
    extra: {}
  )
    raw =
      {
        "wall_ns" => ms(own),
        "cpu_ns" => ms(own),
        "objects" => objects,
        "bytes" => objects * 48,
        "memory_bytes" => objects * 20,
        "iseqs" => files,
        "open" => [open, failed].max,
        "open_failed" => failed,
        "stat" => files * 2,
        "read" => read,
        "read_bytes" => read_bytes,
        "reads_to_4096" => read,
        "repeated_requires" => repeated
      }.merge(extra).reject { |_, value| value.zero? }
    node = {
      "id" => @nodes.size,
      "parent" => parent && parent["id"],
      "thread" => thread,
      "kind" => kind,
      "name" => name,
      "path" => path,
      "from" => from,
      "start_ns" => @clock,
      "result" => result || (LOADS.include?(kind) ? "loaded" : nil),
      "self" => raw
    }
    node["error"] = error if error
    @nodes << node
    @clock += ms(own * 0.5)
    yield node if block_given?
    @clock += ms(own) - ms(own * 0.5)
    node["end_ns"] = @clock
    node
  end

  private

  def ms(number) = (number * @scale * MS).round

  # Sums up from the leaves, within a thread.
  def finish_totals
    @nodes.each { |node| node["total"] = node["self"].dup }
    @nodes.reverse_each do |node|
      next unless node["parent"]

      above = @nodes[node["parent"]]["total"]
      node["total"].each { |name, value| above[name] = above.fetch(name, 0) + value }
    end
  end
end
