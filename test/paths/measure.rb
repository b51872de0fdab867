# frozen_string_literal: true

# Under CRuby for Windows: what a call of File.expand_path costs, Ruby's and ours. `ruby measure.rb` after build_probe.
require_relative "../../tmp/windows/probe.so"
require_relative "../../lib/warmstart/core_ext"

require "rbconfig"

FORMS = { "a file of Ruby's own" => ["#{RbConfig::CONFIG.fetch("rubylibdir")}/rubygems/spec.rb"],
           "a file that exists" => ["C:/windows/system32/ntdll.dll"], "a name of 8.3 size that does not" => ["C:/windows/none.rb"],
          "a long name" => ["C:/windows/a_rather_long_name.html.erb"], "relative to a folder" => ["../lib/none.rb", "C:/windows/bin"],
          "relative to the working directory" => ["none.rb"], "beyond ASCII" => ["C:/windows/\u00E9t\u00E9.rb"], "the home folder" => ["~/none.rb"] }.freeze

# Seconds a call: the best of several rounds.
def measure(count, *arguments)
  Array.new(5) do
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    count.times { File.expand_path(*arguments) }
    (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) / count
  end.min
end

if ARGV.first == "once"     # (for a trace: `once ours`, `once ruby`, `once nothing`)
  Warmstart::CoreExt::ExpandPath.install if ARGV[1] == "ours"
  $stderr.puts "MARK"
  FORMS.each_value { |arguments| File.expand_path(*arguments) } unless ARGV[1] == "nothing"
  $stderr.puts "MARK"
else
  rubys = FORMS.transform_values { |arguments| measure(500, *arguments) }
  Warmstart::CoreExt::ExpandPath.install
  ours = FORMS.transform_values { |arguments| measure(20_000, *arguments) }
  FORMS.each_key { |form| puts format("%-36s Ruby %8.2f us  ours %6.2f us  %5.0fx", form, rubys[form] * 1e6, ours[form] * 1e6, rubys[form] / ours[form]) }
end
