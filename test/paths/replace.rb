# frozen_string_literal: true

# Puts Warmstart::Path in the place of File's methods for paths: for Ruby's own specification of them
# (RUBYOPT=-r.../test/paths/replace).
probe = File.expand_path("../../tmp/windows/probe.so", __dir__)
require probe if RUBY_PLATFORM.match?(/mingw|mswin/) && File.exist?(probe)
require_relative "../../lib/warmstart/path"

names = Warmstart::Path::Names.new(windows: Warmstart::Path.rules.windows?)
inside = false # (What Path itself asks of File is Ruby's.)
{
  expand_path: :expand,
  absolute_path: :absolute,
  absolute_path?: :absolute?,
  join: :join,
  basename: :basename,
  dirname: :dirname,
  extname: :extname,
  split: :split
}.each do |name, ours|
  original = File.method(name)
  rules = names.respond_to?(ours) ? names : Warmstart::Path
  File.define_singleton_method(name) do |*arguments|
    next original.unbind.bind_call(self, *arguments) if self != File || inside

    begin
      inside = true
      rules.public_send(ours, *arguments)
    ensure
      inside = false
    end
  end
end
