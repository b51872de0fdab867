# frozen_string_literal: true

# Every program that a test runs requires this first (-r), with Warmstart and without. After all exit handlers of the
# program it writes what can be seen from inside into the file that WITNESS_STATE names; two runs of a program must
# write the same. Programs themselves may call `Witness.features`.
module Witness
  APPLICATION = ENV.delete("WITNESS_APPLICATION")
  STATE = ENV.delete("WITNESS_STATE")
  EVENTS_FILE = ENV.delete("WITNESS_EVENTS")
  OWN = [File.dirname(__FILE__, 3) + "/lib/warmstart", __dir__].freeze
  PROCESS = Process.pid

  class << self
    # The application's features, relative to its folder, with their encodings.
    def features
      $LOADED_FEATURES.filter_map do |feature|
        "#{feature.delete_prefix("#{APPLICATION}/")} #{feature.encoding}" if feature.start_with?(APPLICATION)
      end
    end

    def state
      features = $LOADED_FEATURES.reject { |feature| feature.start_with?(*OWN) }
      {
        "feature" => features.map { |feature| "#{feature} #{feature.encoding}" },
        "load path" => $LOAD_PATH.map(&:inspect),
        "constant" => Object.constants.sort - [:Warmstart],
        "global variable" => global_variables.sort,
        "Kernel method" => Kernel.private_instance_methods(false).sort + Kernel.instance_methods(false).sort,
        "Kernel singleton method" => Kernel.singleton_methods(false).sort,
        "Module method" => Module.instance_methods(false).sort + Module.private_instance_methods(false).sort,
        "require" => %i[require require_relative load autoload].flat_map { |name| describe(name) },
        "settings" => [$VERBOSE, $DEBUG, Dir.pwd, Thread.list.size, ENV.keys.grep_v(/\AWARMSTART/).sort].map(&:inspect)
      }
    end

    private

    def describe(name)
      [Object.new.method(name), Kernel.method(name)].map do |method|
        source = method.source_location&.first
        "#{name} #{method.owner} #{method.arity} #{method.original_name} #{source} #{method.parameters}"
      end
    end
  end
end

at_exit do
  if Witness::STATE && Process.pid == Witness::PROCESS
    lines = Witness.state.flat_map { |title, items| items.map { |item| "#{title}: #{item}" } }
    File.write(Witness::STATE, lines.join("\n"))
  end
end
