# frozen_string_literal: true

# Replaces rbconfig.rb while this Ruby runs an extconf.rb for another Ruby (`bin/setup --target FOLDER`). mkmf then
# reads the other Ruby's configuration, finds its headers and library, and calls its compiler. WARMSTART_TARGET names
# that Ruby's own rbconfig.rb. rake-compiler's "fake.rb" does the same.

target = ENV.fetch("WARMSTART_TARGET")
text = File.read(target)
version = %w[MAJOR MINOR TEENY].map { |name| text[/CONFIG\["#{name}"\] = "(\d+)"/, 1] }.join(".")

replace =
  lambda do |name, value|
    Object.send(:remove_const, name)
    Object.const_set(name, value.freeze)
  end
replace.call(:RUBY_VERSION, version)
# Evaluated under the file's own name, because it computes the folders from where it lies.
eval(text, TOPLEVEL_BINDING, target) # rubocop:disable Security/Eval
replace.call(:RUBY_PLATFORM, RbConfig::CONFIG.fetch("arch").dup)
CROSS_COMPILING = RbConfig
