# frozen_string_literal: true

require "fileutils"
require "rbconfig"

require_relative "application"

module Warmstart
  module Image
    # Compiles many files without running any, in several processes at a time.
    #
    # The files are cut into chunks of about the same number of bytes. A fresh process compiles each chunk; large chunks
    # come first. So memory is bounded by the chunks in progress, and the result of a chunk depends neither on the
    # number of processes nor on what was compiled before it (`--reproducible`).
    # @api private
    class Compiler
      class Failed < StandardError
      end

      WORKER = File.expand_path("compile_worker.rb", __dir__)
      CHUNK_BYTES = 1 << 20
      CHUNK_FILES = 200

      Chunk = Struct.new(:number, :paths, :bytes, :folder, :pid, :answer, keyword_init: true)

      # parts: folders with images, which are to be merged; failures: [[path, message or nil]], in path order.
      attr_reader :parts, :failures

      # @param folder [String] the folder in which the parts are made
      # @param key [String] the image's key, as text
      # @param frozen [Array<String>] empty, or the application's folder, in which string literals are frozen, and then
      #   Ruby's own folders, in which they are not (FrozenLiterals)
      # @param progress [#call] called with (files, bytes) after each chunk
      def initialize(folder, key:, jobs:, frozen: [], progress: ->(_files, _bytes) {})
        @folder = folder
        @key = key
        @jobs = jobs
        @frozen = frozen
        @progress = progress
        @parts = []
        @failures = []
        @running = {}
      end

      # @param sizes [Hash{String => Integer}] path => bytes. The path's encoding is what __FILE__ will have.
      def run(sizes)
        @sizes = sizes
        @number = 0
        waiting = cut(sizes.keys.sort).sort_by { |chunk| [-chunk.bytes, chunk.number] }
        until waiting.empty? && @running.empty?
          start(waiting.shift) while waiting.any? && @running.size < @jobs
          finish(waiting)
        end
        @parts.sort!
        @failures.sort_by!(&:first)
        self
      ensure
        stop
      end

      private

      def cut(paths)
        chunks = []
        bytes = 0
        paths.each do |path|
          if chunks.empty? || bytes >= CHUNK_BYTES || chunks.last.size >= CHUNK_FILES
            chunks << []
            bytes = 0
          end
          chunks.last << path
          bytes += @sizes.fetch(path)
        end
        chunks.map { |list| chunk(list) }
      end

      def chunk(paths)
        number = @number += 1
        Chunk.new(
          number: number,
          paths: paths,
          bytes: paths.sum { |path| @sizes.fetch(path) },
          folder: File.join(@folder, format("compiled-%06d", number))
        )
      end

      # Input and output are files and not pipes, so neither process can block the other.
      def start(chunk)
        input = "#{chunk.folder}.paths"
        chunk.answer = "#{chunk.folder}.answer"
        File.binwrite(input, Marshal.dump(chunk.paths))
        environment = { "RUBYOPT" => Application.bare_options, "RUBYLIB" => nil, "WARMSTART" => "0" }
        chunk.pid =
          Process.spawn(
            environment,
            RbConfig.ruby,
            "--disable-gems",
            WORKER,
            chunk.folder,
            Native.key_hash(@key),
            *@frozen,
            in: input,
            out: chunk.answer,
            err: "#{chunk.folder}.errors"
          )
        @running[chunk.pid] = chunk
      end

      def finish(waiting)
        pid, status = Process.wait2(-1)
        chunk = @running.delete(pid) or return
        return accept(chunk) if status.success?
        return divide(chunk, waiting, status) if status.signaled?

        raise Failed, "cannot compile: #{File.read("#{chunk.folder}.errors").lines.last.to_s.strip}"
      end

      def accept(chunk)
        @failures.concat(Marshal.load(File.binread(chunk.answer)))
        @parts << chunk.folder
        @progress.call(chunk.paths.size, chunk.bytes)
      end

      # Ruby itself has crashed in this chunk: divides it, until only the file that causes the crash is left out.
      def divide(chunk, waiting, status)
        FileUtils.rm_rf(chunk.folder)
        if chunk.paths.size > 1
          half = (chunk.paths.size + 1) / 2
          return chunk.paths.each_slice(half) { |paths| waiting.unshift(chunk(paths)) }
        end

        @failures << [chunk.paths.first, "Ruby ended with signal #{status.termsig} while it compiled the file"]
        @progress.call(1, chunk.bytes)
      end

      def stop
        @running.each_key do |pid|
          Process.kill(:TERM, pid)
          Process.wait(pid)
        rescue Errno::ESRCH, Errno::ECHILD
          next
        end
        @running.clear
      end
    end
  end
end
