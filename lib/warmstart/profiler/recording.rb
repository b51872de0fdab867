# frozen_string_literal: true

require_relative "environment"

module Warmstart
  module Profiler
    # Reads the bytes of a recording (ext/warmstart_profiler/arena.h, tree.h) into nodes (docs/profiling.md).
    # @api private
    class Recording
      MAGIC = "warmprof"
      VERSION = 1
      HEADER = "a8LLQq3q3q5l4"
      HEADER_SIZE = 128
      NODE = "LlLSSLLLLLLqq"
      NODE_SIZE = 56
      RECORD_NODE, RECORD_TEXT, RECORD_THREAD = 1, 2, 3
      RESULTS = [nil, "loaded", "already", "failed"].freeze
      ENDINGS = %i[unknown ended another].freeze
      MAY_BE_AUTOLOAD = 1

      # The kind of a node that may be an autoload, if the line of code that caused it has no word for requiring.
      AUTOLOAD = "autoload"

      class Damaged < StandardError
      end

      attr_reader :pid, :started_ns, :ended_ns, :nodes, :threads

      # @param bytes [String]
      # @param details [Hash{String => Object}] the result of Details.collect; empty if the process could not tell
      # @raise [Damaged] the bytes are not a recording, or one of another version
      def initialize(bytes, details)
        @bytes = bytes
        @slot_bytes = details["slot_bytes"] || 40
        # Ruby compiles what the accelerator's image does not have. (What bootsnap does is not known.)
        @compiles_all = ["absent", "off", nil].include?(details["accelerator"])
        @compiled = (details["files_outside_image"] || []).to_h { |file| [file["path"], true] }
        @compiles_all, @compiled = false, {} if details["bootsnap"]
        @lines = {}
        read_header
        read_records
        settle
      end

      # @param counts [Hash{Integer => Hash{String => Integer}}] the counts of each node, by the node's id
      def replace_calls(counts)
        names = @metrics.drop(@metrics.index("open"))
        @nodes.each do |node|
          node["self"] = node["self"].reject { |name, _| names.include?(name) }.merge(counts[node["id"]])
        end
        compute_totals
      end

      # @return [Symbol] how the recording ended: :ended, :another (the process became another program), or :unknown (it
      #   was killed, for instance)
      attr_reader :ending

      def ended? = ending == :ended

      # @return [Boolean] whether nodes are missing because there was no more room
      def full? = @full

      # @return [String, nil] what counted file system calls in the process; nil: nothing
      def calls_source = @calls_known ? (Environment::WINDOWS ? "imports" : "interposer") : nil

      # @return [Integer] ns that profiling took, computed from the cost of each of its parts, measured at the start
      def overhead_ns
        kept = nodes.size * @costs[:node]
        calls =
          nodes.sum do |node|
            %w[open stat readlink read list mmap other_calls].sum { |name| node["self"].fetch(name, 0) }
          end
        kept + @repeated * @costs[:repeated] + @memory_readings * @costs[:memory] + @evals * @costs[:eval] +
          calls * @costs[:call] + @costs[:start]
      end

      private

      def read_header
        raise Damaged, "it is no recording" unless @bytes.bytesize > HEADER_SIZE && @bytes.byteslice(0, 8) == MAGIC

        _,
        version,
        @metric_count,
        @size,
        @started_ns,
        @ended_ns,
        @process_cpu,
        @repeated,
        @memory_readings,
        @evals,
        node,
        repeated,
        memory,
        call,
        start,
        @pid,
        full,
        ended,
        calls_known =
          @bytes.unpack(HEADER)
        raise Damaged, "its version is #{version}, not #{VERSION}" unless version == VERSION

        @costs = { node: node, repeated: repeated, memory: memory, call: call, start: start, eval: 100 }
        @full, @calls_known = [full, calls_known].map { |flag| flag != 0 }
        @ending = ENDINGS.fetch(ended)
      end

      def read_records
        @nodes, @threads, texts = [], [], []
        place = HEADER_SIZE
        while place < @size
          type, size = @bytes.unpack("LL", offset: place)
          break if size.zero?

          case type
          when RECORD_TEXT
            # (The first two are the names of the metrics and of the kinds.)
            texts << text(place + 8).split if texts.size < 2
            @metrics, @kinds = texts
          when RECORD_NODE
            @nodes << node(place + 8)
          when RECORD_THREAD
            @threads << thread(place + 8)
          end
          place += size
        end
      end

      def text(place)
        return if place.zero?

        size, = @bytes.unpack("L", offset: place)
        @bytes.byteslice(place + 4, size).force_encoding(Encoding::UTF_8).scrub
      end

      def thread(place)
        id, root, name = @bytes.unpack("LLL", offset: place)
        { "id" => id, "name" => id.zero? ? "main" : text(name) || "thread", "root" => root }
      end

      def node(place)
        id, parent, thread, kind, result, flags, name, path, from, error, _, started, ended =
          @bytes.unpack(NODE, offset: place)
        ended = @ended_ns if ended.zero?
        values = @bytes.unpack("q#{@metric_count}", offset: place + NODE_SIZE)
        place_of_caller = text(from)
        {
          "id" => id,
          "parent" => parent.negative? ? nil : parent,
          "thread" => thread,
          "kind" => kind_of(@kinds[kind], flags, place_of_caller),
          "name" => text(name) || "",
          "path" => text(path),
          "from" => place_of_caller,
          "start_ns" => started - @started_ns,
          "end_ns" => ended - @started_ns,
          "result" => RESULTS[result],
          "error" => text(error),
          "total" => nil,
          "self" => metrics(values)
        }.tap do |hash|
          hash.delete("error") unless hash["error"]
          hash["self"]["iseqs"] = 1 if hash["result"] == "loaded" && compiled?(hash["path"])
        end
      end

      def compiled?(path) = path&.end_with?(".rb") && (@compiles_all || @compiled.key?(path))

      # When an autoload is triggered, Ruby calls require, which looks like a require by the program. Only the line of
      # code that caused it shows the difference: it has no word for requiring.
      def kind_of(kind, flags, from)
        return kind if flags & MAY_BE_AUTOLOAD == 0 || from.nil?

        path, line = from.match(/\A(.*):(\d+)\z/m)&.captures
        text = path && line_of(path, line.to_i)
        text.nil? || text.match?(/require|load|import|gem/) ? kind : AUTOLOAD
      end

      def line_of(path, number)
        @lines[path] ||= File.file?(path) ? File.readlines(path, encoding: Encoding::BINARY) : []
        @lines[path][number - 1]
      rescue SystemCallError
        nil
      end

      def metrics(values)
        hash = @metrics.zip(values).to_h
        hash["bytes"] = (hash["objects"] * @slot_bytes).round + hash.delete("malloc_bytes")
        hash["iseqs"] = 0
        hash
      end

      # CPU time that none of Ruby's threads used belongs to the program itself.
      def settle
        root = @nodes.first
        seen = @nodes.sum { |node| node["self"]["cpu_ns"] }
        root["self"]["cpu_ns"] += [@process_cpu - seen, 0].max if root && @process_cpu.positive?
        # (In a process that was killed, a node may have begun after the last recorded moment.)
        @nodes.each { |node| node["end_ns"] = [node["end_ns"], node["start_ns"]].max }
        compute_totals
      end

      # Sums up from the leaves. Zeros are left out.
      def compute_totals
        by_id = @nodes.to_h { |node| [node["id"], node] }
        @nodes.each { |node| node["total"] = node["self"].dup }
        @nodes.reverse_each do |node|
          by_id[node["parent"]]&.fetch("total")&.merge!(node["total"]) { |_, mine, more| mine + more }
        end
        @nodes.each { |node| %w[self total].each { |part| node[part].reject! { |_, value| value.zero? } } }
      end
    end
  end
end
