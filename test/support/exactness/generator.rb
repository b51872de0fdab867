# frozen_string_literal: true

require_relative "library"

module Exactness
  # Makes a Library. Each method whose name begins with make_ makes a kind of statement; WEIGHTS says how often.
  class Generator
    WEIGHTS = {
      require: 24,
      relative: 8,
      touch: 14,
      look: 8,
      autoload: 10,
      rescued: 10,
      features: 6,
      show: 4,
      define: 6,
      failing: 5,
      leave: 3,
      thread: 4,
      fiber: 3,
      middle: 3,
      load: 4,
      load_path: 4,
      remove: 3,
      module_body: 5,
      method: 3,
      evaluated: 2,
      verbose: 1,
      trace: 1,
      fork: 1,
      ensured: 3
    }.freeze
    TABLE = WEIGHTS.flat_map { |name, weight| [name] * weight }.freeze
    DEPTH = 3

    def initialize(seed)
      @seed = seed
      @random = Random.new(seed)
      @name = "n#{seed}"
      @module = "N#{seed}"
      @extra = "extra/#{@name}"
    end

    # @return [Library]
    def library
      @paths = paths
      @links = links
      @stems = (@paths + @links.keys).grep(/\.rb\z/)
      files = { "run/#{@name}.rb" => script }
      @paths.each { |path| files[path] = file(path) }
      Library.new(seed: @seed, files: files, links: @links)
    end

    private

    def pick(list) = list[@random.rand(list.size)]
    def chance(percent) = @random.rand(100) < percent
    def statement(text) = Statement.new(text)
    def block(text, depth, close = "end", count = 1 + @random.rand(2)) =
      Statement.new(text, statements(count, depth + 1), close)

    # ---- the files ----

    def paths
      names = %w[a b c d e].first(1 + @random.rand(5))
      list = names.map { |name| chance(60) ? "lib/#{@name}_#{name}.rb" : "lib/#{@name}/#{name}.rb" }
      list << "other/#{@name}_a.rb" if chance(20)
      list << "#{@extra}/#{@name}_x.rb" if chance(25)
      list << "lib/#{@name}.rb" if chance(40)
      list.uniq
    end

    def links
      list = {}
      list["lib/#{@name}_link.rb"] = File.basename(@paths.first) if chance(15) && File.dirname(@paths.first) == "lib"
      list["other/#{@name}_dir"] = "../lib/#{@name}" if chance(15) &&
        @paths.any? { |path| path.start_with?("lib/#{@name}/") }
      list
    end

    # The constant that a file should define.
    def constant_of(path)
      base = File.basename(path, ".rb").delete_prefix("#{@name}_").capitalize
      return @module if path == "lib/#{@name}.rb"

      path.include?("/#{@name}/") ? "#{@module}::#{base}" : "#{@module}#{base}"
    end

    def constants = @constants ||= (@paths.map { |path| constant_of(path) } + [@module]).uniq

    def file(path)
      @current = path
      list = statements(@random.rand(3), 1)
      list << statement("pause") if chance(20)
      list.concat(definition(constant_of(path))) unless chance(20)
      list.concat(statements(@random.rand(2), 1))
    end

    def definition(constant)
      inner = constant.split("::")
      lines = inner.size == 2 ? ["module #{inner[0]}", "#{pick(%w[class module])} #{inner[1]}"] : ["module #{inner[0]}"]
      body = Statement.new(lines.last, chance(40) ? statements(1, 2) : [], "end")
      return [statement("#{constant} = #{@random.rand(100)}")] if inner.size == 1 && constant != @module && chance(20)

      [lines.size == 2 ? Statement.new(lines.first, [body], "end") : body]
    end

    def script
      @current = "run/#{@name}.rb"
      statements(3 + @random.rand(5), 0).map do |inner|
        Statement.new("begin", [inner], "rescue Exception => error; say_error(error); end")
      end
    end

    def statements(count, depth) =
      Array.new(count) do
        send("make_#{depth >= DEPTH ? pick(%i[require touch look relative features]) : pick(TABLE)}", depth)
      end

    # ---- names ----

    def target = pick(@stems)
    def full(path) = "\#{ROOT}/#{path}"

    # Ruby source of a feature for a file, in one of many spellings.
    def spelling(path = target)
      bare = path.delete_suffix(".rb")
      short = bare.sub(%r{\A(lib|other|#{@extra})/}, "")
      plain = [short, short, short, "#{short}.rb", full(bare), full(path)]
      odd = [
        "./#{bare}",
        "./#{path}",
        full("lib/../#{bare}"),
        full("#{File.dirname(path)}//#{File.basename(path)}"),
        "../application/#{path}",
        full("linked/#{short}"),
        full("linked/#{short}.rb"),
        "#{short}.so",
        "#{short}_missing",
        "#{short}.rb.rb",
        "linked/#{short}",
        "#{@name}_dir/#{File.basename(path)}",
        full("other/#{@name}_dir/#{File.basename(bare)}")
      ]
      text = pick(chance(80) ? plain : odd).dump.gsub('\\#{', '#{')
      return text if chance(90)

      pick(
        [
          "Shown.new(#{text})",
          "Named.new(#{text})",
          "#{text}.dup.force_encoding('BINARY')",
          "#{text}.dup",
          "#{text}.freeze",
          "#{text}.encode('UTF-16LE')"
        ]
      )
    end

    def relative
      from = File.dirname(@current).split("/")
      "#{"../" * from.size}#{target.delete_suffix(chance(70) ? ".rb" : "")}".dump
    end

    def feature = full(target).dump.gsub('\\#{', '#{')

    # ---- the statements ----

    def make_require(_) =
      statement(
        pick(
          ["say require(%s)"] * 6 + ["require %s"] * 3 +
            ["say Kernel.require(%s)", "say method(:require).call(%s)", "say [%s].map(&method(:require))"]
        ) % spelling
      )
    def make_relative(_) =
      statement(
        pick(["say require_relative(%s)", "say require_relative(%s)", "say Kernel.require_relative(%s)"]) % relative
      )
    def make_touch(_) =
      statement(
        pick(
          [
            "say #{pick(constants)}",
            "#{pick(constants)}",
            "say Object.const_get('#{pick(constants)}')",
            "module #{@module}; say #{pick(constants)}; end"
          ]
        )
      )
    def make_show(_) =
      statement(
        pick(
          [
            "say __FILE__, __dir__",
            "say caller(0)",
            "say __method__, self",
            "say $!",
            "say features('#{@name}')",
            "say caller_locations(0).map(&:absolute_path)"
          ]
        )
      )
    def make_verbose(_) = statement("$VERBOSE = #{pick(%w[nil false true])}")
    def make_leave(depth) =
      statement(
        pick(
          [
            *(["return", "return if true"] if depth == 1),
            "throw :out",
            "throw :nowhere",
            "exit 3",
            "raise Interrupt",
            "Thread.current.kill unless Thread.current == Thread.main",
            "Thread.exit unless Thread.current == Thread.main"
          ]
        )
      )

    def make_failing(_)
      counter = "$#{@name}_#{@random.rand(3)}"
      statement(
        "raise #{pick(%w['once' NameError LoadError SecurityError])} if (#{counter} = #{counter}.to_i + 1) #{pick(["== 1", "== 1", "<= 2"])}"
      )
    end

    def make_look(_)
      constant = pick(constants)
      owner, _, name = constant.rpartition("::")
      owner = "Object" if owner.empty?
      statement(
        pick(
          [
            "say defined?(#{constant})",
            "say((#{owner}.autoload?(:#{name}) rescue $!.class))",
            "say((#{owner}.const_defined?(:#{name}) rescue $!.class))",
            "say Object.const_source_location('#{constant}')",
            "say((#{owner}.constants(false).grep(/\\A[A-Z]\\z|\\A#{@module}/).sort rescue $!.class))"
          ]
        )
      )
    end

    def make_autoload(_)
      path = chance(90) ? target : pick(@paths)
      feature = spelling(path).sub("../application/", "./") # (a known difference: docs/semantics.md)
      constant = chance(75) ? constant_of(path) : pick(constants)
      owner, _, name = constant.rpartition("::")
      return statement("#{pick(%w[autoload Object.autoload Kernel.autoload])} :#{name}, #{feature}") if owner.empty?

      statement("module #{owner}; #{pick(%w[autoload self.autoload])} :#{name}, #{feature}; end")
    end

    def make_define(_)
      constant = pick(constants)
      definition(constant).first
    end

    def make_remove(_)
      constant = pick(constants)
      owner, _, name = constant.rpartition("::")
      statement("say((#{owner.empty? ? "Object" : owner}.send(:remove_const, :#{name}) rescue $!.message))")
    end

    def make_features(_)
      changes = ["$LOADED_FEATURES.delete(\"#{full(target)}\")", "forget('#{@name}')"]
      statement(
        pick(
          [
            *changes,
            *changes,
            "$LOADED_FEATURES << \"#{full(target)}\"",
            "$LOADED_FEATURES.replace($LOADED_FEATURES.dup)",
            "$LOADED_FEATURES << '#{File.basename(target)}'",
            "say features('#{@name}')",
            "say $\".last == __FILE__",
            "$LOADED_FEATURES.unshift($LOADED_FEATURES.pop)",
            "say $LOADED_FEATURES.include?(\"#{full(target)}\")"
          ]
        )
      )
    end

    def make_load_path(_)
      statement(
        pick(
          [
            "$LOAD_PATH.unshift(\"#{full(@extra)}\")",
            "$LOAD_PATH << \"#{full(@extra)}\"",
            "$LOAD_PATH.delete(\"#{full("other")}\")",
            "$LOAD_PATH.reverse!",
            "$LOAD_PATH.unshift(\"#{full("linked")}\")",
            "$LOAD_PATH.push(Shown.new(\"#{full("other")}\"))",
            "$LOAD_PATH.unshift('lib')",
            "say $LOAD_PATH.resolve_feature_path('#{File.basename(target, ".rb")}')"
          ]
        )
      )
    end

    def make_load(_) =
      statement(
        "say load(#{pick(["\"#{full(target)}\"", "'#{target.delete_prefix("lib/")}'", "'#{target}'", "\"#{full(target)}\", true", "\"#{full(target)}\", Wrapper"])})"
      )
    def make_rescued(depth) =
      block(
        "begin",
        depth,
        pick(
          [
            "rescue Exception => error; say_error(error); end",
            "rescue Exception; say $!.class; end",
            "rescue StandardError; say $!; retry if ($#{@name}_r = $#{@name}_r.to_i + 1) < 3; end"
          ]
        )
      )
    def make_ensured(depth) =
      Statement.new(
        "begin",
        [Statement.new("begin", statements(1, depth + 1), "ensure; say $!.class")] + statements(1, depth + 1),
        "end; end"
      )
    def make_module_body(depth) = block("module #{pick(constants.reject { |name| name.include?("::") })}", depth)
    def make_evaluated(depth) =
      block(
        pick(
          [
            "eval <<~'CODE'",
            "#{@module}.module_eval <<~'CODE'",
            "Object.class_eval <<~'CODE', 'made_up.rb', 7",
            "instance_eval <<~'CODE', __FILE__"
          ]
        ).sub("CODE", "CODE#{depth}"),
        depth,
        "CODE#{depth}"
      )
    def make_method(depth) = block("define_singleton_method(:#{@name}_m) do", depth, "end; #{@name}_m")
    def make_trace(depth) =
      block(
        "TracePoint.new(:#{pick(%w[script_compiled class line])}) { |tp| $#{@name}_seen = $#{@name}_seen.to_i + 1 if tp.path.include?('#{@name}') }.enable do",
        depth,
        "end; say $#{@name}_seen"
      )
    def make_fork(depth) = block("child = fork do", depth, "exit! 0; end; Process.wait(child); say $?.exitstatus")
    def make_thread(depth) =
      block(
        "thread = start do",
        depth,
        pick(
          [
            "end; finish(thread)",
            "end; say finish(thread).nil?",
            "end; begin; finish(thread); rescue Exception => error; say_error(error); end"
          ]
        )
      )
    def make_fiber(depth) =
      block(
        "fiber = Fiber.new do",
        depth,
        (
          if chance(50)
            "end; fiber.resume"
          else
            "Fiber.yield; say :resumed; end; fiber.resume; say require(#{spelling}); fiber.resume if fiber.alive?"
          end
        )
      )

    # A statement that runs while another thread is in the middle of a file.
    def make_middle(depth)
      return make_thread(depth) if @middle

      @middle = true
      path = pick(@paths)
      inner = Statement.new("in_the_middle_of(#{spelling(path)}) do", statements(1 + @random.rand(2), depth + 1), "end")
      @middle = false
      inner
    end
  end
end
