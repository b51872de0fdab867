# frozen_string_literal: true

require_relative "operations"
require_relative "boots"

module Attack
  # Rounds of edits, with the boots after each.
  class History
    ROUNDS = 25
    EDITS = 100

    # edits: [index, edit] each, so that an edit can be named. aged: whether the program waits for the file system's
    # clock before the boot; twice: whether there is a second boot; mid: what the program itself does, and when. number:
    # that of the round in the whole case.
    Round = Struct.new(:number, :edits, :aged, :twice, :mid, keyword_init: true)

    def self.draw(random)
      rounds =
        Array.new(ROUNDS) do |number|
          edits = Array.new(EDITS / ROUNDS) { |index| [index, Operations.draw(random)] }
          Round.new(
            number: number,
            edits: edits.first(number.zero? ? 0 : edits.size),
            aged: random.rand(4) > 0,
            twice: random.rand(3).zero?,
            mid: (Boots.draw_mid(random) if random.rand(5).zero?)
          )
        end
      rounds.first.aged = true
      rounds[1].edits = [
        *rounds[1].edits,
        *Array.new(EDITS / ROUNDS) { |index| [index + (EDITS / ROUNDS), Operations.draw(random)] }
      ]
      new(rounds, with_data: random.rand(8).zero?)
    end

    def initialize(rounds, with_data:)
      @rounds = rounds
      @with_data = with_data
    end

    # "0:_1:2,3m": the boots of round 0; of round 1 the edits 2 and 3, and what the program itself does.
    def name =
      @rounds.map { |round| "#{round.number}:#{round.edits.map(&:first).join(",")}#{"m" if round.mid}" }.join("_")

    def only(name)
      kept =
        name
          .split("_")
          .to_h do |part|
            part
              .match(/\A(\d+):([\d,]*)(m?)\z/)
              .captures
              .then { |number, edits, mid| [number.to_i, [edits.split(",").map(&:to_i), mid == "m"]] }
          end
      with(
        @rounds.filter_map do |round|
          edits, mid = kept[round.number]
          edits &&
            changed(round, edits: round.edits.select { |index, _| edits.include?(index) }, mid: (round.mid if mid))
        end
      )
    end

    def up_to(message)
      number = message[/\Around (\d+)/, 1] or return self
      with(@rounds.select { |round| round.number <= number.to_i })
    end

    # Histories with one thing less; those with the most left out come first.
    def smaller
      halves = [
        @rounds.each_slice(2).map(&:last),
        @rounds.each_slice(2).map(&:first),
        @rounds.last((@rounds.size / 2) + 1),
        *@rounds.each_index.map { |index| without(index) }
      ]
      halves.reject { |rounds| rounds.empty? || rounds.size == @rounds.size }.map { |rounds| with(rounds) } +
        @rounds.each_index.flat_map do |index|
          smaller_rounds(index).map { |round| with(@rounds.dup.tap { |rounds| rounds[index] = round }) }
        end
    end

    def describe
      @rounds
        .map do |round|
          [
            "round #{round.number}:",
            *round.edits.map { |_, edit| edit.join(" ") },
            ("the program: #{round.mid.inspect}" if round.mid)
          ].compact.join("\n  ")
        end
        .join("\n")
    end

    # Yields after each boot what plain Ruby and Warmstart have shown.
    def replay(base, random, namespace:)
      tree = Tree.new(base, random)
      tree.make
      boots = Boots.new(tree, with_data: @with_data)
      operations = Operations.new(tree, namespace: namespace)
      @rounds.each do |round|
        boots.unprivileged { round.edits.each { |_, edit| operations.apply(edit) } }
        boots.play(round) { |plain, run, turn| yield plain, run, "round #{round.number}#{turn}" }
      end
      boots.warm? or raise Failed, "nothing ever came from the image" if @rounds.size == ROUNDS
    ensure
      tree&.unmount_all
    end

    private

    def with(rounds) = self.class.new(rounds, with_data: @with_data)
    def without(index) = @rounds.dup.tap { |rounds| rounds.delete_at(index) }
    def changed(round, **values) = round.dup.tap { |copy| values.each { |name, value| copy[name] = value } }

    def smaller_rounds(index)
      round = @rounds[index]
      [
        (changed(round, mid: nil) if round.mid),
        *round.edits.each_index.map { |at| changed(round, edits: round.edits.dup.tap { |edits| edits.delete_at(at) }) }
      ].compact
    end
  end
end
