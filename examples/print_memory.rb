# frozen_string_literal: true

# Prints what this process's memory consists of, in MB. It runs at the end of a boot (see applications.rb), on Linux
# only. "resident" counts in RSS; in "proportional" shared pages are divided by the number of processes that share them;
# "anonymous" is the process's own. The rest are pages of files, which the kernel keeps once for all processes and may
# drop at any time.

MAPPING = /\A\h+-\h+ \S+ \h+ \S+ \d+ *(?<name>.*)$/
FIELDS = { "Rss" => "resident", "Pss" => "proportional", "Anonymous" => "anonymous" }.freeze

kind = nil
sums = Hash.new { |hash, name| hash[name] = Hash.new(0) }
File.foreach("/proc/self/smaps") do |line|
  if (mapping = MAPPING.match(line))
    kind = case mapping[:name]
           when /\.segment\b/ then "boot image"
           when %r{\A/} then "libraries and other files"
           else "heap and stacks"
           end
  elsif (field = FIELDS[line[/\A\w+/]])
    [kind, "total"].each { |name| sums[name][field] += line[/\d+/].to_i }
  end
end

puts format("%-26s %10s %13s %10s", "", *FIELDS.values)
[*sums.keys.sort - ["total"], "total"].each { |name| puts format("%-26s %10.1f %13.1f %10.1f", name, *FIELDS.values.map { |field| sums[name][field] / 1024.0 }) }
puts format("%-26s %10.1f", "peak", File.read("/proc/self/status")[/^VmHWM:\s+(\d+)/, 1].to_i / 1024.0)
puts "#{GC.count} collections, #{GC.stat(:time)} ms" if GC.stat.key?(:time)
