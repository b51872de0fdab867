# frozen_string_literal: true

require "tmpdir"
require_relative "library"

module Exactness
  # Removes libraries, files and statements as long as the difference stays.
  class Shrinker
    Smallest = Struct.new(:libraries, :variant, :plain, :ours)
    SECONDS = 30

    # @param difference what was found; it has library, variant, plain and ours
    # @yield [Array<Library>] fewer or smaller libraries; returns the same difference again, or nil if it is gone
    def initialize(libraries, difference, &again)
      @libraries = libraries
      @difference = difference
      @again = again
      @deadline = now + SECONDS
    end

    # @return [Smallest]
    def smallest
      alone = [@difference.library]
      current = differs(alone) ? alone : fewer_libraries
      loop do
        size = current.sum(&:size)
        current = pass(current)
        break if current.sum(&:size) == size || now > @deadline
      end
      Smallest.new(current, @difference.variant, @difference.plain, @difference.ours)
    end

    # The lines that differ.
    def self.diff(plain, ours)
      Dir.mktmpdir do |folder|
        paths =
          { "plain" => plain, "ours" => ours }.map do |name, text|
            File.join(folder, name).tap { |path| File.write(path, "#{text}\n") }
          end
        IO
          .popen(["diff", "-a", *paths], &:read)
          .scrub
          .lines(chomp: true)
          .grep(/\A[<>]/)
          .first(20)
          .map { |line| line[0, 1500].sub(/\A</, "- plain:").sub(/\A>/, "+ with us:") }
      end
    end

    private

    # Tries every cut once. After a cut that keeps the difference, the next one is tried at the same position.
    def pass(current)
      index = 0
      while now < @deadline && (candidate = candidates(current)[index])
        differs(candidate) ? current = candidate : index += 1
      end
      current
    end

    # The library, and those libraries before it without which the difference does not occur.
    def fewer_libraries
      list = @libraries.take_while { |library| library.seed <= @difference.library.seed }
      list[0..-2].each { |library| list -= [library] if now < @deadline && differs(list - [library]) }
      list
    end

    def differs(list)
      found = @again.call(list)
      @difference.plain, @difference.ours = found.plain, found.ours if found
      found
    end

    # Candidates that are each a little smaller than the list; large cuts come first.
    def candidates(list)
      list.each_index.flat_map do |index|
        smaller(list[index]).map { |library| list.dup.tap { |copy| copy[index] = library } }
      end
    end

    def smaller(library)
      script, *others = library.files.keys
      files = others.map { |path| library.copy.tap { |copy| copy.files.delete(path) } }
      links = library.links.keys.map { |path| library.copy.tap { |copy| copy.links.delete(path) } }
      statements =
        [script, *others].flat_map do |path|
          places(library.files[path]).flat_map { |place| without(library, path, place) }
        end
      files + links + statements
    end

    # The position of each statement: [2], [2, 0] ...
    def places(list, prefix = [])
      list.each_index.flat_map { |index| [[*prefix, index], *places(list[index].body || [], [*prefix, index])] }
    end

    # The library without the statement, and the library with the statement replaced by its body.
    def without(library, path, place)
      bodies =
        [[], :body].map do |instead|
          copy = library.copy
          *way, last = place
          list = way.reduce(copy.files[path]) { |inner, index| inner[index].body }
          list[last, 1] = instead == :body ? list[last].body || next : []
          copy
        end
      bodies.compact
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
