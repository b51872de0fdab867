# frozen_string_literal: true

# Required (-r) after warmstart/setup. Records each event of the application's files, as "hit lib/a.rb" or "stale
# lib/b.rb size", and writes them at the program's end into the file that WITNESS_EVENTS names.
module Witness
  EVENTS = []
end

Warmstart.instrumentation =
  lambda do |event, path, reason|
    Witness::EVENTS << [event, path.dup, reason] if path.start_with?(Witness::APPLICATION)
  end

at_exit do
  if Witness::EVENTS_FILE && Process.pid == Witness::PROCESS
    lines =
      Witness::EVENTS.map do |event, path, reason|
        [event, path.delete_prefix("#{Witness::APPLICATION}/"), reason].compact.map(&:to_s).join(" ")
      end
    File.write(Witness::EVENTS_FILE, lines.join("\n"))
  end
end
