# frozen_string_literal: true

# application_probe.rb [FEATURE]: Application runs this in another process. It sets up the bundle of BUNDLE_GEMFILE, if
# there is one, and writes the resulting $LOAD_PATH to stdout, as Marshal. With a FEATURE it adds what the load-path
# index of WARMSTART_IMAGE_DIR answers for that.
answer = $stdout.dup
answer.binmode
$stdout.reopen($stderr) # (a Gemfile is code, and may print)

begin
  require "bundler/setup" if ENV["BUNDLE_GEMFILE"]
rescue StandardError, LoadError => error
  abort error.message
end

rubies =
  RbConfig::CONFIG
    .values_at("rubylibprefix", "rubylibdir", "rubyarchdir", "sitedir", "sitearchdir", "vendordir", "vendorarchdir")
    .compact
    .uniq
homes =
  Gem.path.flat_map { |path| [File.join(path, "gems"), File.join(path, "bundler/gems"), File.join(path, "extensions")] }
load_path =
  $LOAD_PATH
    .map(&:to_s)
    .select { |entry| File.absolute_path?(entry) && (File.directory?(entry) || !File.exist?(entry)) }
    .uniq
within = ->(entry, roots) { roots.any? { |root| entry == root || entry.start_with?("#{root}/") } }
result = {
  load_path: load_path,
  stable: load_path.map { |entry| within.call(entry, rubies + homes) },
  gem_folders:
    Gem.loaded_specs.values.reject(&:default_gem?).map(&:full_gem_path).select { |folder| File.directory?(folder) }.sort
}

if (feature = ARGV.first)
  require_relative "../setup"
  result[:answer] = Warmstart.session ? Warmstart::Native.resolve(feature) : :index_off
end
answer.write(Marshal.dump(result))
