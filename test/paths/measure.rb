# frozen_string_literal: true

# Under CRuby for Windows: what a call of File.expand_path costs, Ruby's and ours. `ruby measure.rb` after build_probe.
require_relative "../../tmp/windows/probe.so"
require_relative "../../lib/warmstart/core_ext"

require "rbconfig"

FORMS = {
  "a file of Ruby's own" => ["#{RbConfig::CONFIG.fetch("rubylibdir")}/rubygems/spec.rb"],
  "a file that exists" => ["C:/windows/system32/ntdll.dll"],
  "a name of 8.3 size that does not" => ["C:/windows/none.rb"],
  "a long name" => ["C:/windows/a_rather_long_name.html.erb"],
  "a long name, deep" => [
    "C:/app/vendor/bundle/ruby/3.3.0/gems/actionpack-7.1.3/lib/action_controller/metal/rendering_of_things.rb"
  ],
  "a long name in a folder" => %w[a_rather_long_name.html.erb C:/windows/bin],
  "a long name beside a folder" => %w[../a_rather_long_name.html.erb C:/windows/bin],
  "relative to a folder" => %w[../lib/none.rb C:/windows/bin],
  "relative to the working directory" => ["none.rb"],
  "beyond ASCII" => ["C:/windows/\u00E9t\u00E9.rb"],
  "the home folder" => ["~/none.rb"]
}.freeze

# Seconds a round of count calls, written as programs write them.
def round_of(count, path, base = nil)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  if base
    count.times { File.expand_path(path, base) }
  elsif path
    count.times { File.expand_path(path) }
  else
    count.times { yield }
  end
  Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
end

# Seconds a call: the best of several rounds.
def measure(count, *arguments, &work) = Array.new(9) { round_of(count, *arguments, &work) }.min / count

if ARGV.first == "once" # (for a trace: `once ours`, `once ruby`, `once nothing`)
  Warmstart::CoreExt::ExpandPath.install if ARGV[1] == "ours"
  $stderr.puts "MARK"
  FORMS.each_value { |arguments| File.expand_path(*arguments) } unless ARGV[1] == "nothing"
  $stderr.puts "MARK"
else
  rubys = FORMS.transform_values { |arguments| measure(700, *arguments) }
  Warmstart::CoreExt::ExpandPath.install
  ours = FORMS.transform_values { |arguments| measure(20_000, *arguments) }
  text = FORMS["a long name"].first
  puts format("%-36s %13.2f us", "a copy of such a String, no more", measure(20_000, nil) { text.dup } * 1e6)
  FORMS.each_key do |form|
    puts format(
           "%-36s Ruby %8.2f us  ours %6.2f us  %5.0fx",
           form,
           rubys[form] * 1e6,
           ours[form] * 1e6,
           rubys[form] / ours[form]
         )
  end
end
