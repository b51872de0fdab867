# frozen_string_literal: true

require_relative "profile_sketch"

# A raw profile of an invented boot of a Rails application; the same seed makes the same profile. It has gems that
# require their files, some of them eagerly, gems that nothing asks for again, documents, initializers, garbage
# collections, failed searches and a thread. Totals are sums of self values, and times nest as in a real profile.
#
#   ProfileGenerator.new.profile                                  # a Hash, as JSON.parse gives it
#   ProfileGenerator.new(seed: 1, gems: 5, files: 4).profile      # a small one
class ProfileGenerator < ProfileSketch
  GEMS = %w[
    activesupport
    activemodel
    activerecord
    actionpack
    actionview
    railties
    activejob
    actionmailer
    rack
    zeitwerk
    i18n
    nokogiri
    graphql
    mime-types
    devise
    sidekiq
    puma
    rqrcode
    prawn
    grape
    money
    kaminari
    pundit
    ransack
    faraday
    redis
    sprockets
    concurrent-ruby
    addressable
    paper_trail
    flipper
    sitemap_generator
  ].freeze
  UNUSED = %w[prawn rqrcode sitemap_generator].freeze
  APPLICATION = "/srv/shop"
  FOLDER = "/usr/local/bundle/ruby/3.3.0/gems"
  LIBRARY = "/usr/local/lib/ruby/3.3.0"

  # gems: their number. files: the maximum per gem. models: files of the application. scale: factor for all times.
  # names: gem => the name that is required.
  def initialize(seed: 1, gems: GEMS.size, files: 90, models: 300, scale: 1.0, names: {})
    super(scale: scale)
    @random = Random.new(seed)
    @gems = GEMS.first(gems)
    @files = files
    @models = models
    @names = names
  end

  # (wider than a window: a thread without a name is called by the place where it was begun)
  RELOADER = "reloader #{"a_folder_with_a_long_name/" * 8}file.rb:12".freeze

  def profile
    build
    finish_totals
    {
      "format" => "warmstart profile",
      "version" => 1,
      "program" => program,
      "gems" => gems,
      "load_path" => gems.map { |gem| "#{gem["path"]}/lib" },
      "files_outside_image" => [{ "path" => "#{APPLICATION}/config/boot.rb", "reason" => "before_setup" }],
      "threads" => [
        { "id" => 0, "name" => "main", "root" => 0 },
        { "id" => 1, "name" => RELOADER, "root" => @thread_root }
      ],
      "calls_source" => "interposer",
      "overhead" => {
        "wall_ns" => 150 * MS,
        "cpu_ns" => 140 * MS,
        "share" => 0.05
      },
      "nodes" => @nodes,
      "features" => @nodes.size
    }
  end

  private

  def program
    {
      "command" => %w[bin/rails runner 1],
      "directory" => APPLICATION,
      "application" => APPLICATION,
      "ruby" => "ruby 3.3.8 (2025-04-09) [x86_64-linux]",
      "ruby_version" => "3.3.8",
      "platform" => "x86_64-linux",
      "processors" => 2,
      "pid" => 4711,
      "started_at" => "2026-11-21T22:00:00Z",
      "status" => 0,
      "accelerator" => "warm",
      "bootsnap" => false
    }
  end

  def gems
    @gems.each_with_index.map do |name, index|
      { "name" => name, "version" => "#{1 + (index % 7)}.#{index % 5}.0", "path" => folder(name), "default" => false }
    end
  end

  def folder(name)
    index = GEMS.index(name)
    "#{FOLDER}/#{name}-#{1 + (index % 7)}.#{index % 5}.0"
  end

  def build
    @clock = 0
    add(nil, "program", "bin/rails", path: "#{APPLICATION}/bin/rails", own: 3) do |root|
      add(root, "ruby", "ruby", own: 48, objects: 30_000)
      boot(root)
      environment(root)
      add(root, "finish", "finish", own: 21)
    end
    thread
  end

  def boot(root)
    add(
      root,
      "require_relative",
      "config/boot",
      path: "#{APPLICATION}/config/boot.rb",
      from: "#{APPLICATION}/bin/rails:3",
      own: 1
    ) do |boot|
      add(boot, "bundler", "Bundler.setup", own: 190, objects: 400_000, open: 300) do |setup|
        40.times do |n|
          file(setup, "bundler/part_#{n}", "#{LIBRARY}/bundler/part_#{n}.rb", "#{LIBRARY}/bundler.rb:#{n}", ms: 1.2)
        end
      end
    end
  end

  def environment(root)
    from = "#{APPLICATION}/config/application.rb"
    add(
      root,
      "require_relative",
      "config/application",
      path: from,
      from: "#{APPLICATION}/bin/rails:5",
      own: 2
    ) do |application|
      add(application, "bundler", "Bundler.require", own: 4) do |list|
        @gems.each_with_index { |name, index| gem_tree(list, name, index) }
      end
      initializers(application, from)
      models(application, from)
    end
  end

  def gem_tree(parent, name, index)
    path = "#{folder(name)}/lib/#{name}.rb"
    add(
      parent,
      "require",
      @names.fetch(name, name),
      path: path,
      from: "#{LIBRARY}/bundler/runtime.rb:60",
      own: 2,
      failed: 10 + index
    ) do |top|
      if index.odd? && index > 2
        add(
          top,
          "require",
          "optional_#{name}",
          from: "#{path}:1",
          own: 1,
          failed: 30 + index,
          result: "failed",
          error: "LoadError: cannot load such file -- optional_#{name}"
        )
      end
      count = 8 + @random.rand(@files)
      count.times { |n| gem_file(top, name, n, path, index) }
      documents(top, path) if name == "mime-types" || name == "i18n"
      large(top, path) if name == "nokogiri"
      evals(top, path) if name == "activerecord"
      collect(top, 12)
    end
  end

  def gem_file(top, name, number, path, index)
    inner = "#{folder(name)}/lib/#{name}/part_#{number}.rb"
    file(
      top,
      "#{name}/part_#{number}",
      inner,
      "#{path}:#{number + 2}",
      ms: 0.2 + @random.rand,
      failed: 2 + index
    ) do |node|
      if (number % 6).zero?
        2.times do |n|
          file(
            node,
            "#{name}/deep/#{number}_#{n}",
            "#{folder(name)}/lib/#{name}/deep/#{number}_#{n}.rb",
            "#{inner}:3",
            ms: 0.3,
            failed: index
          )
        end
      end
      if (number % 25).zero?
        file(node, "set", "#{LIBRARY}/set_#{name}_#{number}.rb", "#{inner}:1", ms: 0.4, failed: 30 + index)
      end
    end
  end

  def documents(top, path)
    add(
      top,
      "yaml",
      "de.yml",
      path: path.sub(".rb", "/de.yml"),
      from: "#{path}:40",
      own: 22,
      objects: 90_000,
      read: 3,
      read_bytes: 60_000
    )
    return unless path.include?("mime-types")

    add(
      top,
      "yaml",
      "mime-types.yml",
      path: path.sub(".rb", "/mime-types.yml"),
      from: "#{path}:41",
      own: 130,
      objects: 300_000,
      extra: {
        "read" => 30_000,
        "reads_to_16" => 30_000,
        "read_bytes" => 240_000
      }
    )
  end

  def large(top, path)
    add(
      top,
      "require",
      "nokogiri/tables",
      path: path.sub(".rb", "/tables.rb"),
      from: "#{path}:44",
      own: 42,
      files: 1,
      objects: 200_000,
      read: 1,
      read_bytes: 900_000
    )
  end

  def evals(top, path)
    add(
      top,
      "eval",
      "#{path}:77",
      from: "#{path}:77",
      own: 35,
      extra: {
        "evals" => 850,
        "eval_bytes" => 400_000,
        "eval_compile_ns" => ms(28)
      }
    )
  end

  def initializers(application, from)
    add(
      application,
      "initializer",
      "set_routes_reloader_hook",
      path: "#{folder("railties")}/lib/rails/finisher.rb",
      from: "#{from}:9",
      own: 6
    ) do |node|
      add(
        node,
        "load",
        "#{APPLICATION}/config/routes.rb",
        path: "#{APPLICATION}/config/routes.rb",
        from: "#{from}:1",
        own: 85,
        files: 1,
        objects: 150_000,
        repeated: 5200
      )
    end
    12.times do |n|
      add(
        application,
        "initializer",
        "load_config_#{n}",
        path: "#{APPLICATION}/config/initializers/part_#{n}.rb",
        from: "#{from}:9",
        own: 1 + n
      )
    end
    @gems
      .first(16)
      .each do |name|
        add(
          application,
          "initializer",
          "#{name}.configure",
          path: "#{folder(name)}/lib/#{name}/railtie.rb",
          from: "#{from}:9",
          own: 0.2
        )
      end
    (@gems.drop(16) - UNUSED).each do |name|
      file(application, "#{name}/late", "#{folder(name)}/lib/#{name}/late.rb", "#{from}:20", ms: 0.3, failed: 3)
    end
  end

  def models(application, from)
    @models.times do |n|
      path = "#{APPLICATION}/app/#{%w[models controllers jobs helpers][n % 4]}/thing_#{n}.rb"
      file(
        application,
        path,
        path,
        "#{folder("zeitwerk")}/lib/zeitwerk/loader.rb:#{n}",
        kind: "autoload",
        ms: 0.7,
        repeated: 25
      )
    end
    collect(@nodes.find { |node| node["path"] == from }, 60)
  end

  def thread
    @clock = 600 * MS
    @thread_root = @nodes.size
    add(nil, "thread", RELOADER, own: 4, thread: 1) do |root|
      file(
        root,
        "listen",
        "#{folder("rack")}/lib/listen.rb",
        "#{APPLICATION}/config/application.rb:3",
        ms: 5,
        thread: 1
      )
    end
  end

  def file(parent, name, path, from, ms: 0.5, kind: "require", failed: 0, repeated: 3, thread: 0, &inner)
    own = ms * (0.7 + @random.rand * 0.6) + failed * 0.0015
    add(
      parent,
      kind,
      name,
      path: path,
      from: from,
      own: own,
      files: 1,
      failed: failed,
      objects: (own * 900).to_i,
      open: failed + 1,
      read: 2,
      read_bytes: (own * 4000).to_i,
      repeated: repeated,
      thread: thread,
      extra: {
        "realpath" => 2,
        "readlink" => 9,
        "readlink_failed" => 9
      },
      &inner
    )
  end

  # A garbage collection in the node's own time.
  def collect(node, time)
    raw = node["self"]
    raw["gc_ns"] = raw.fetch("gc_ns", 0) + ms(time)
    raw["gc_count"] = raw.fetch("gc_count", 0) + 1
    raw["wall_ns"] += ms(time)
    raw["cpu_ns"] += ms(time)
    @clock += ms(time)
    node["end_ns"] = @clock
  end
end
