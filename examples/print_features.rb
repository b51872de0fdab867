# frozen_string_literal: true

# Prints what the process has loaded, one file a line, in order. It runs at the end of a boot (see applications.rb). The
# accelerators' own files are left out, so that the lists of two variants can be compared.
accelerators = %r{/gems/bootsnap-[^/]+/|/bootsnap\.(?:rb|so)\z|\A#{Regexp.escape(File.expand_path("../lib", __dir__))}/}

# The files of Bundler and RubyGems are left out, too, since a replay of Bundler's setup loads fewer of them.
own = [Bundler.method(:setup), Gem.method(:path)].map { |method| method.source_location.first.delete_suffix(".rb") }

puts $LOADED_FEATURES.grep_v(accelerators).reject { |path| path.start_with?(*own.map { |folder| "#{folder}/" }) }
