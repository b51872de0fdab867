# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = "warmstart"
  # (another copy may be at work, with its constants)
  spec.version = File.read(File.join(__dir__, "lib/warmstart/version.rb"))[/VERSION = "(.+)"/, 1]
  spec.authors = ["The Warmstart authors"]
  spec.email = ["warmstart@users.noreply.github.com"]
  spec.summary = "Starts Ruby programs from one memory-mapped boot image"
  spec.description = <<~TEXT
    The second start of a Ruby program comes from one memory-mapped boot image: no search of the load path, no parsing.
    Behaviour stays that of plain Ruby; a missing, stale or damaged image means plain Ruby.
  TEXT
  spec.homepage = "https://github.com/warmstart/warmstart"
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "changelog_uri" => "#{spec.homepage}/blob/main/CHANGELOG.md",
    "bug_tracker_uri" => "#{spec.homepage}/issues",
    "documentation_uri" => "#{spec.homepage}/tree/main/docs",
    "source_code_uri" => spec.homepage,
    "rubygems_mfa_required" => "true"
  }

  spec.files =
    Dir.chdir(__dir__) do
      Dir[
        "lib/**/*.{rb,rake,txt,erb,css,js}",
        "ext/**/*.{c,h,rb}",
        "exe/*",
        "sig/**/*.rbs",
        "docs/**/*.md",
        "docs/images/*",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE.txt"
      ] - Dir["ext/cross/*"] # (bin/setup's, which builds for another system)
    end
  spec.bindir = "exe"
  spec.executables = ["warmstart"]
  spec.require_paths = ["lib"]
  spec.extensions = %w[ext/warmstart/extconf.rb ext/warmstart_profiler/extconf.rb]
end
