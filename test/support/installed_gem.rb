# frozen_string_literal: true

require "fileutils"
require "rubygems"
require_relative "program"

# Warmstart as a gem that RubyGems or Bundler has installed: a copy of its lib, built for this Ruby, and its
# specification.
module InstalledGem
  SPECIFICATION = Gem::Specification.load(File.join(Program::REPOSITORY, "warmstart.gemspec"))
  BUILD = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"

  module_function

  # @param home [String] a folder of gems, as in GEM_HOME
  # @return [String] the gem's folder
  def install(home, version: SPECIFICATION.version.to_s)
    folder = File.join(home, "gems", "warmstart-#{version}")
    copy(folder, version)
    specification = File.join(home, "specifications", "warmstart-#{version}.gemspec")
    FileUtils.mkdir_p(File.dirname(specification))
    File.write(specification, installed(version).to_ruby_for_cache)
    folder
  end

  # Copies the gem's files, with a gemspec by which nothing needs to be built.
  def copy(folder, version)
    FileUtils.mkdir_p(folder)
    Dir.chdir(Program::REPOSITORY) do
      (SPECIFICATION.files.grep(%r{\A(?:lib|exe)/}) + Dir["lib/warmstart/native/#{BUILD}/*"]).each do |name|
        FileUtils.mkdir_p(File.join(folder, File.dirname(name)))
        FileUtils.cp(name, File.join(folder, name))
      end
    end
    path = File.join(folder, "lib/warmstart/version.rb")
    File.write(path, File.read(path).sub(SPECIFICATION.version.to_s, version))
    File.write(File.join(folder, "warmstart.gemspec"), installed(version).to_ruby)
  end

  def installed(version)
    SPECIFICATION.dup.tap do |spec|
      spec.version = version
      spec.extensions = []
      spec.files = spec.files.grep(/\Alib|\Aexe/)
    end
  end
end
