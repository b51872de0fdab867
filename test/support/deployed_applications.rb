# frozen_string_literal: true

require_relative "command"
require_relative "../../examples/applications"

# The applications that test/recipes_test.rb deploys.
module DeployedApplications
  # Two files, and no gems.
  class Small
    # What became of the files: all came from the image, those that could be moved did (here: all), none did.
    ALL = MOVED = [{ "lib/a.rb" => "hit", "lib/deep/b.rb" => "hit" }].freeze
    NONE = ALL.map { |files| files.transform_values { "miss" } }.freeze
    # One file has changed: it is compiled, and all others came from the image.
    EDITED = %w[stale miss].map { |event| { "lib/a.rb" => event, "lib/deep/b.rb" => "hit" } }.freeze
    # How many an image holds, at least. How many containers and releases are tried.
    FILES, CONTAINERS, RELEASES = (2..), 10, 10

    def environment = {}
    def command = [RbConfig.ruby, "main.rb"]
    def gems? = false
    def own_file = "lib/a.rb"

    def write(folder, **)
      Command::FILES.each do |name, content|
        path = File.join(folder, name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, content)
      end
    end

    # @param errors [String] what WARMSTART_LOG=1 has printed
    def outcome(errors, folder)
      events =
        errors
          .scan(%r{^warmstart: (hit|miss|stale|revalidated) #{Regexp.escape(folder)}/(lib\S+)})
          .to_h { |event, name| [name, event] }
      events.transform_values { |event| event == "revalidated" ? "hit" : event }
    end
  end

  # The example Rails application. (`examples/setup rails_app` has to have run.)
  class Rails
    EXAMPLE = Examples["rails_app"]
    # Where the files have moved, so many may be compiled again (docs/loading.md, "Code at another path"): of a hundred,
    # and of the application's own.
    FIXED, OWN_FIXED = 3, 3
    ALL, MOVED, EDITED, NONE = ["all"].freeze, %w[all nearly].freeze, ["nearly"].freeze, ["none"].freeze
    FILES, CONTAINERS, RELEASES = (3_000..), 3, 10

    # (With SECRET_KEY_BASE_DUMMY Rails would write a file.)
    def environment = { "BOOT_WITH" => "warmstart", "RAILS_ENV" => "production", "SECRET_KEY_BASE" => "0" * 32 }
    def command = [RbConfig.ruby, "bin/rails", "runner", "puts :ab"]

    def gems? = true
    def own_file = "config/environment.rb"

    # Of the bundle's gems, all that a program can ask for. (The rest is more than half of the bytes.)
    def copy_gems(folder)
      names =
        File.read(EXAMPLE.lockfile).scan(/^    (\S+) \(([^)]+)\)$/).map { |name, version| "gems/#{name}-#{version}" }
      home = File.join("ruby", RbConfig::CONFIG["ruby_version"])
      from = File.join(Examples::FOLDER, "tmp/gems", home)
      there = names.uniq.select { |name| File.directory?(File.join(from, name)) }
      FileUtils.mkdir_p(File.join(folder, home))
      without = %w[ext test tests spec doc docs].map { |name| "--exclude=gems/*/#{name}" }
      Open3.pipeline(
        [
          "tar",
          "-c",
          "-C",
          from,
          "--anchored",
          "--no-wildcards-match-slash",
          *without,
          "specifications",
          "extensions",
          *there
        ],
        ["tar", "-x", "-m", "-C", File.join(folder, home)]
      ).all?(&:success?) || raise
    end

    # @param bundle [String, nil] the folder of the gems; nil: they are copied to vendor/bundle, as CI systems and slugs
    #   have them
    def write(folder, bundle: nil)
      FileUtils.mkdir_p([File.join(folder, ".bundle"), File.join(folder, "log")])
      names = Dir.children(EXAMPLE.folder).grep_v(/\A(?:\.bundle|tmp|log|storage|Gemfile.*)\z/)
      copy(names.map { |name| File.join(EXAMPLE.folder, name) }, folder)
      copy_gems(File.join(folder, "vendor/bundle")) unless bundle
      File.write(File.join(folder, ".bundle/config"), "---\nBUNDLE_PATH: #{(bundle || "vendor/bundle").dump}\n")
      put(folder, "Gemfile", File.join(EXAMPLE.folder, "Gemfile"), 'path: "../.."', "path: #{Program::REPOSITORY.dump}")
      put(folder, "Gemfile.lock", EXAMPLE.lockfile, "remote: ../..", "remote: #{Program::REPOSITORY}")
      put(
        folder,
        "config/boot.rb",
        File.join(EXAMPLE.folder, "config/boot.rb"),
        'require_relative("../../..',
        "require(\"#{Program::REPOSITORY}"
      )
    end

    def outcome(errors, folder)
      events = errors.scan(/^warmstart: (hit|miss|stale|revalidated) (.*)/)
      hits, others = events.partition { |event, _| %w[hit revalidated].include?(event) }
      return "none" if hits.empty? && others.any?

      own = others.map(&:last).grep(%r{\A#{Regexp.escape(folder)}/(?!vendor/)})
      few = own.size <= OWN_FIXED && others.size * 100 <= FIXED * events.size && FILES.cover?(hits.size)
      return hits.size, others.size, own, others.first(20) unless few

      others.empty? ? "all" : "nearly"
    end

    private

    def copy(names, folder)
      FileUtils.mkdir_p(folder)
      system("cp", "-r", *names, folder) || raise("cannot copy to #{folder}")
    end

    # A file in which one thing is another.
    def put(folder, name, from, old, new)
      text = File.read(from)
      raise "there is no #{old} in #{from}" unless text.include?(old)

      File.write(File.join(folder, name), text.sub(old) { new })
    end
  end
end
