# frozen_string_literal: true

require "tmpdir"
require_relative "stage"
require_relative "world"

module Exactness
  module Standby
    # Plays one world: after each step the command runs in plain Ruby and by the standby's client. If a standby is to be
    # complete by then, it runs once more from that.
    class Comparison
      # step: the number of the step after which the two differ; plain, ours: what was printed
      Difference = Struct.new(:world, :step, :plain, :ours)
      # commands: so many were compared; served: so many of them came from a standby
      Played = Struct.new(:difference, :commands, :served)

      def initialize(world)
        @world = world
      end

      # @return [Played]
      def play
        in_a_folder do |base|
          stage = Stage.new(@world, base)
          Played.new(first_difference(stage), stage.commands, stage.served)
        ensure
          stage&.close
        end
      end

      private

      # (What a standby that has just ended still writes there must not end the run.)
      def in_a_folder
        base = Dir.mktmpdir("standby-")
        yield base
      ensure
        FileUtils.rm_rf(base)
      end

      def first_difference(stage)
        @world.steps.each_with_index do |changes, step|
          changes.each { |change| stage.change(*change) }
          pair = stage.difference
          pair ||= stage.difference_from_standby if changes.include?(%i[pause settled])
          return Difference.new(@world, step, *pair) if pair
        end
        nil
      end
    end
  end
end
