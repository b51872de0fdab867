# frozen_string_literal: true

# Runs ../shared/conformance/compare (Ruby's own specification, in plain Ruby and with Warmstart), and fails if an example
# fails only with Warmstart, unless it is a difference that docs/semantics.md lists.
#
#   ruby test/gate/specification.rb [SPEC...]
require "open3"

ROOT = File.expand_path("../..", __dir__)
COMPARE = File.expand_path("../shared/conformance/compare", ROOT)

# What compare prints of them, and why.
KNOWN = {
  %r{\Acore/kernel/require_spec\.rb: Kernel#require .*already required} =>
    "what a bare Ruby has loaded: docs/semantics.md, 1"
}.freeze

output, status = Open3.capture2e(COMPARE, "-r#{ROOT}/lib/warmstart/setup", *ARGV)
puts output
# (The last line has the counts; a line of an example that differs is FILE: DESCRIPTION.)
differing = output.lines.grep(/\A\S+_spec\.rb: /).grep_v(/: \d+ examples plain, \d+ with /)
unknown = differing.reject { |line| KNOWN.any? { |pattern, _| line.match?(pattern) } }
ended = output.match?(%r{^ruby/spec on Ruby .* only with })
puts "#{differing.size - unknown.size} of these are listed in docs/semantics.md"
exit(ended && (status.success? || (differing.any? && unknown.empty?)))
