# frozen_string_literal: true

# Puts our File.expand_path and absolute_path in with the probe alone, where the whole extension is not built: for
# Ruby's own specification under CRuby for Windows (RUBYOPT=-r.../test/paths/patch), and for measuring.
require_relative "../../tmp/windows/probe.so"
require_relative "../../lib/warmstart/core_ext"

Warmstart::CoreExt::ExpandPath.install
