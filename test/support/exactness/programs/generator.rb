# frozen_string_literal: true

require_relative "case"
require_relative "snippets"

module Exactness
  module Programs
    # Makes a Case from a seed. Each method whose name begins with make_ makes a kind of statement; WEIGHTS says how
    # often. Each program has three kinds that are more frequent.
    class Generator
      WEIGHTS = {
        require: 26,
        relative: 8,
        touch: 14,
        look: 8,
        autoload: 12,
        load: 8,
        snippet: 16,
        warning: 3,
        standard: 3,
        rescued: 8,
        ensured: 3,
        define: 6,
        remove: 3,
        reopen: 4,
        wrap: 6,
        method_object: 5,
        refine: 3,
        missing: 3,
        naming: 2,
        hooks: 3,
        redefine: 2,
        wrong: 3,
        provide: 5,
        loaded: 4,
        load_path: 6,
        change_folder: 2,
        shared: 4,
        thread: 3,
        crosswise: 2,
        middle: 3,
        fiber: 3,
        fork: 3,
        at_exit: 4,
        ends: 2,
        leave: 3,
        failing: 4,
        evaluated: 4,
        frames: 6,
        data: 1,
        coverage: 2,
        trace: 4,
        trace_func: 1,
        space: 2,
        collector: 2,
        option: 2,
        script_lines: 1,
        hook_methods: 1,
        verbose: 3,
        warn_method: 2,
        write: 3,
        ractor: 1,
        turn: 3,
        variables: 2,
        iseq: 2,
        debug: 1,
        freeze: 1,
        signal: 1,
        continuation: 2,
        documents: 3,
        interrupts: 1,
        later: 5,
        twice: 5,
        shadow: 2
      }.freeze
      DEEP = %i[require require touch look relative provide snippet frames].freeze
      DEPTH = 3
      # What generated programs never do, and why.
      LEFT_OUT = {
        "load_iseq of its own" =>
          "docs/semantics.md, 2: who defines it later takes it from the files that are being loaded",
        "a Warning.warn of its own that it replaces, under -w" =>
          "docs/semantics.md, 4: Ruby does not always tell of it in a recording boot",
        "a Warning.warn that raises, throws, or prints its callers" =>
          "docs/semantics.md, 4: one frame more in a recording boot",
        "counting what is in $LOADED_FEATURES, or modules, or blocks that go through them" =>
          "docs/semantics.md, 1 and 6",
        "GC.enable defined anew under -w" =>
          "docs/semantics.md, 6: it is a C function of ours, so the warning does not say where the old one was",
        "the order of Module#constants and of lists of methods, and of methods that a library or Ruby (load, wrapped) defines or removes by such a list" =>
          "docs/semantics.md, 7",
        "TracePoints of :c_call, and set_trace_func's c-call" => "docs/semantics.md, 7",
        "finalizers and weak references whose object is gone" => "docs/semantics.md, 6",
        "Object#respond_to?, Array#each and Hash#[] that do not work any more" =>
          "a line on stderr says that Warmstart's end failed, which is allowed",
        "threads that print at the same time" => "plain Ruby is not of one mind",
        "other Ractors that require" => "they go to Ruby's own require; Ruby 3.1 crashes by itself now and then"
      }.freeze
      # Statements that may change how the next file is loaded. Often a load follows right after one of them.
      DISTURBING = %i[
        wrap
        refine
        missing
        naming
        hooks
        redefine
        loaded
        load_path
        change_folder
        trace
        coverage
        option
        verbose
        warn_method
        freeze
        collector
        write
        debug
        hook_methods
        script_lines
        standard
        autoload
        remove
        define
      ].freeze
      NAMES = %w[alpha beta gamma delta epsilon zeta eta theta iota].freeze
      FORMS = %i[path path path path path path path path path path path path relative input command link].freeze
      STANDARD = %w[
        English
        singleton
        forwardable
        etc
        stringio
        strscan
        monitor
        thread
        enumerator.so
        rational
        rational.so
        complex
        digest/md5
        io/wait
        rbconfig
        objspace
        weakref
        delegate
        timeout
        tsort
        set
        fiber
        io/console.so
        etc.so
        nkf_missing
        prettyprint
        ripper.so
        stringio.so
        thread.rb
        observer_missing
        erb
        io/nonblock
        shellwords
      ].freeze
      BARE = %w[--disable-gems].freeze
      WITH_GEMS = %w[--disable-did_you_mean --disable-error_highlight].freeze
      BASES = [BARE, BARE, BARE, BARE, BARE, BARE, BARE, WITH_GEMS].freeze
      EXTRA = [
        [],
        [],
        [],
        [],
        [],
        %w[-w],
        %w[-w],
        %w[-W0],
        %w[-W:no-deprecated],
        %w[-W:deprecated],
        %w[-W1],
        %w[--enable=frozen-string-literal],
        %w[-Eascii],
        %w[-Ku],
        %w[-E UTF-8:UTF-8],
        %w[-s],
        %w[-l],
        %w[--disable=rubyopt],
        %w[--verbose],
        %w[--enable=frozen-string-literal -w],
        %w[-r English],
        %w[-d]
      ].freeze

      def initialize(seed)
        @seed = seed
        @random = Random.new(seed)
      end

      # @return [Case]
      def program
        favourites = WEIGHTS.keys.sample(3, random: @random)
        @table = WEIGHTS.flat_map { |kind, weight| [kind] * (favourites.include?(kind) ? weight * 6 : weight) }
        @paths = paths
        @links = links
        @pausing = @paths.select { chance(25) }
        @stems = @paths + @links.keys.grep(/\.rb\z/)
        arguments = pick(BASES) + pick(EXTRA)
        form = pick(FORMS)
        files = { "main.rb" => main }
        @paths.each { |path| files[path] = file(path) }
        links = form == :link ? @links.merge("linked_main.rb" => "main.rb") : @links
        Case.new(seed: @seed, files: files, links: links, arguments: arguments, form: form, turns: @turns || false)
      end

      private

      def pick(list) = list[@random.rand(list.size)]
      def chance(percent) = @random.rand(100) < percent
      def statement(text) = Statement.new(text)
      def number(limit) = @random.rand(limit)
      # A name that is unique in the program.
      def fresh = "v#{@fresh = @fresh.to_i + 1}"
      def block(text, depth, close = "end", count = 1 + number(2)) =
        Statement.new(text, statements(count, depth + 1), close)

      # ---- the files ----

      def paths
        list =
          NAMES
            .first(2 + number(7))
            .map do |name|
              pick(
                [
                  "lib/#{name}.rb",
                  "lib/#{name}.rb",
                  "lib/#{name}.rb",
                  "lib/outer/#{name}.rb",
                  "other/#{name}.rb",
                  chance(30) ? "#{name}.rb" : "other/#{name}.rb"
                ]
              )
            end
        list << "lib/outer.rb" if chance(30)
        list << "other/alpha.rb" if chance(20)
        list << "lib/deep/er/omega.rb" if chance(15)
        list << "lib/ext.less" if chance(8)
        list.uniq
      end

      def links
        list = {}
        list["lib/link.rb"] = File.basename(@paths.first) if chance(15) && File.dirname(@paths.first) == "lib"
        list["linked"] = "lib" if chance(25) && @paths.any? { |path| path.start_with?("lib/") }
        list["other/outer"] = "../lib/outer" if chance(12) && @paths.any? { |path| path.start_with?("lib/outer/") }
        list
      end

      def begin_file(path)
        @current = path
        @unnamed = (@paths - [path]).shuffle(random: @random)
      end

      def constant_of(path)
        base = File.basename(path, ".*").capitalize
        path.include?("outer/") ? "Outer::#{base}" : base
      end

      def constants = @constants ||= (@paths.map { |path| constant_of(path) } + ["Outer"]).uniq

      def file(path)
        begin_file(path)
        return [] if chance(3)
        return [statement("#{pick(COMMENTS)}\n#{pick(BROKEN_SNIPPETS)}".b)] if chance(4)
        return definition(constant_of(path), quiet: true) if chance(10)
        if chance(4)
          return pick(ENCODINGS).lines(chomp: true).map { |line| statement(line) } + definition(constant_of(path))
        end

        list = chance(25) ? [statement(pick(COMMENTS))] : []
        if chance(75)
          list << statement(
            pick(
              [
                "say :in, __FILE__",
                "say :in, __FILE__, self, Module.nesting, caller(1, 2), $!.class, $~.class",
                "say __FILE__, __method__, Trace.features.last, caller.size"
              ]
            )
          )
        end
        list.concat(guarded_statements)
        list << statement(make_require(1)) if chance(30)
        list << statement("Trace.pause") if @pausing.include?(path)
        list << statement("Object.autoload(:#{constant_of(path)[/\w+\z/]}, __FILE__)") if chance(5)
        list.concat(definition(constant_of(path))) unless chance(15)
        list.concat(guarded_statements)
        list << statement(pick(WARNING_SNIPPETS)) if chance(12)
        list << statement("__END__\nnot Ruby (\n") if chance(5)
        list
      end

      # (most statements of a file are guarded, because otherwise hardly any file would be loaded completely)
      def guarded_statements = statements(number(3), 1).map { |inner| chance(80) ? guarded(inner) : inner }

      # Nearly always the same keyword for a constant, because a class cannot be reopened as a module.
      def keyword(name) = chance(3) ? "class" : (name.size.even? ? "class" : "module")

      # quiet: the definition only defines methods, as most autoloaded files do.
      def definition(constant, quiet: false)
        inner = constant.split("::")
        return [statement("#{constant} = #{number(100)}")] if inner.size == 1 && chance(15)

        body =
          Statement.new(
            "#{keyword(inner.last)} #{inner.last}",
            (
              if !quiet && chance(50)
                statements(1 + number(2), 2)
              else
                [statement("def self.here = [__FILE__, __LINE__, __method__, name]")]
              end
            ),
            "end"
          )
        [inner.size == 2 ? Statement.new("module #{inner.first}", [body], "end") : body]
      end

      def main
        begin_file("main.rb")
        list = chance(15) ? [statement(pick(COMMENTS))] : []
        list << statement("$LOAD_PATH.unshift('lib', 'other')") if chance(25)
        list << statement("$LOAD_PATH.push(File.expand_path('lib'))") if chance(20)
        list.concat(statements(3 + number(6), 0).map { |inner| guarded(inner) })
        list.concat(ending) if chance(12)
        list << statement("__END__\nthe data\nof main") if chance(8)
        list
      end

      # An exception that ends the program is still $! while the exit handlers require: the only time when no rescue has
      # set $!.
      def ending
        [
          statement("at_exit { say $!.class; begin; say require(#{spelling}), $!.class; ensure; say $!.class; end }"),
          statement(
            pick(
              [
                "exit 3",
                "raise 'the end'",
                "abort 'the end'",
                "throw :nowhere",
                "exit",
                "raise Interrupt",
                "begin; raise 'the end'; ensure; say require(#{spelling}); end"
              ]
            )
          )
        ]
      end

      # (an error that is not guarded ends the program, with Ruby's own report)
      def guarded(inner)
        return inner if chance(4) || inner.text.match?(/\A(using|BEGIN|module R)/)

        Statement.new("begin", [inner], "rescue Exception => error; say_error(error); end")
      end

      def statements(count, depth) = Array.new(count) { one(depth) }

      def one(depth)
        kind = depth >= DEPTH ? pick(DEEP) : pick(@table)
        made = send(:"make_#{kind}", depth)
        made = statement(made) unless made.is_a?(Statement)
        return made unless DISTURBING.include?(kind) && chance(50)

        Statement.new("if true", [made, statement("say require(#{spelling})")], "end")
      end

      # ---- names ----

      # A file, preferably one that this file has not named yet, because a require of a loaded file shows less.
      def target = (chance(60) && @unnamed.shift) || pick(@stems)
      def full(path) = "\#{Trace::APPLICATION}/#{path}"

      # Ruby source of a feature for a file, in one of many spellings.
      def spelling(path = target)
        bare = path.delete_suffix(".rb")
        short = path.include?("/") ? bare.sub(%r{\A(lib|other)/}, "") : full(bare)
        plain = [short, short, short, short, "#{short}.rb", full(bare), full(path)]
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
          "#{short}_missing",
          "#{short}.rb.rb",
          "outer/#{File.basename(path)}",
          full("other/outer/#{File.basename(bare)}"),
          "",
          "~/#{short}",
          ".",
          "..",
          "/",
          full(""),
          full("lib"),
          "#{short}/",
          "#{short}.",
          " #{short}",
          "#{short} ",
          short.upcase,
          "#{short}.o",
          "#{short}.RB",
          "#{short}.dll",
          full("#{bare}.so"),
          "deep/../#{short}",
          "./../application/#{path}",
          "#{short}\u00e9",
          "lib/#{short}"
        ]
        text = pick(chance(86) ? plain : odd).dump.gsub('\\#{', '#{')
        return text if chance(90)

        pick(
          [
            "Shown.new(#{text})",
            "Named.new(#{text})",
            "#{text}.b",
            "#{text}.dup",
            "#{text}.freeze",
            "-#{text}",
            "#{text}.encode('UTF-16LE')",
            "#{text}.dup.force_encoding('ISO-8859-1')",
            "#{text}.to_sym",
            "Struct.new(:to_str).new(#{text})",
            "\"\#{#{text}}\\0\"",
            "Pathname(#{text})",
            "[#{text}].first",
            "Class.new(String).new(#{text})",
            "#{text}.encode('US-ASCII')",
            "Shown.new(Named.new(#{text}))",
            "Shown.new(nil)"
          ]
        )
      end

      # The relative path from the file that is being made to another one.
      def relative_to(path)
        from = File.dirname(@current)
        up = from == "." ? "" : "../" * from.split("/").size
        pick(
          [
            "#{up}#{path.delete_suffix(".rb")}",
            "#{up}#{path}",
            "./#{up}#{path}",
            "#{up}#{path.delete_suffix(".rb")}",
            "#{up}missing",
            full(path),
            File.basename(path, ".rb")
          ]
        ).dump.gsub('\\#{', '#{')
      end

      # ---- statements: requiring ----

      CALLS = [
        "require NAME",
        "require(NAME)",
        "require(NAME)",
        "require(NAME)",
        "require(NAME)",
        "Kernel.require(NAME)",
        "send(:require, NAME)",
        "Object.new.send(:require, NAME)",
        "__send__(:require, NAME)",
        "self.require(NAME)",
        "require(*[NAME])",
        "Class.new { def go(name) = ($leaver = proc { return 5 }; [require(name)]) }.new.go(NAME)",
        "eval('method(:require)').call(NAME)",
        "Class.new { def go(name) = require(name) }.new.go(NAME)",
        "instance_exec(NAME) { |name| require(name) }"
      ].freeze

      def make_require(_) = "say((#{pick(CALLS).sub("NAME") { spelling }}))"

      # Requires a file by two of its names, one after the other. Links to it or to its folder are used, if there are
      # any.
      def make_twice(_)
        path = chance(50) && @links["lib/link.rb"] ? @paths.first : pick(@paths)
        names = [full(path), full(path.delete_suffix(".rb")), spelling(path)]
        names << full(path.sub("lib/", "linked/")) << full(path.sub("lib/", "linked/")) if @links["linked"]
        names << full("lib/link.rb") << full("lib/link") << "link" if path == @paths.first && @links["lib/link.rb"]
        names << full(path.sub("lib/outer", "other/outer")) if @links["other/outer"]
        names = names.sample(2 + number(2), random: @random).map { |name| name.match?(/["(]/) ? name : "\"#{name}\"" }
        pick(
          [
            "say #{names.map { |name| "require(#{name})" }.join(", ")}",
            "say #{names.map { |name| "require(#{name})" }.join(", ")}",
            "say require(#{names[0]}), load(\"#{full(path)}\"), require(#{names[1]})",
            "say require(#{names[0]}), Trace.forget('#{File.basename(path)}'), require(#{names[1]})"
          ]
        )
      end

      # While a file is being loaded, its name begins to mean another file.
      def make_shadow(_)
        base = File.basename(@current)
        folder = "lib/shadow"
        "Dir.mkdir(\"#{full(folder)}\") unless Dir.exist?(\"#{full(folder)}\"); File.write(\"#{full("#{folder}/#{base}")}\", 'say :shadow'); $LOAD_PATH.unshift(\"#{full(folder)}\"); begin; say require('#{pick([base, File.basename(base, ".rb")])}'); ensure; #{pick(["$LOAD_PATH.shift", "say Trace.features.last"])}; end"
      end

      def make_relative(_) =
        pick(
          [
            "say require_relative(#{relative_to(target)})",
            "say require_relative(#{relative_to(target)})",
            "say Kernel.require_relative(#{relative_to(target)})",
            "say send(:require_relative, #{relative_to(target)})",
            "say eval(\"require_relative(#{relative_to(target).dump[1..-2]})\")",
            "say eval(#{"require_relative(#{relative_to(target)})".dump}, binding, __FILE__, 3)",
            "say binding.eval(#{"require_relative(#{relative_to(target)})".dump})",
            "say [1].map { require_relative(#{relative_to(target)}) }",
            "say Class.new { def self.go = require_relative(#{relative_to(target)}) }.go",
            "say eval(#{"require_relative(#{relative_to(target)})".dump}, binding, 'lib/made_up.rb', 3)",
            "say Object.new.instance_eval(#{"require_relative(#{relative_to(target)})".dump})",
            "say define_singleton_method(:#{name = fresh}) { require_relative(#{relative_to(target)}) }, #{name}"
          ]
        )

      def make_load(_) =
        "say load(#{pick(["\"#{full(target)}\"", "'#{target.delete_prefix("lib/")}'", "'#{target}'", "\"#{full(target)}\", true", "'#{target}', true", "\"#{full(target)}\", Wrapper", "\"#{full(target)}\", false", "Shown.new(\"#{full(target)}\")", "'./#{target}'", "\"#{full(target)}\", Class.new", "'missing.rb'", "__FILE__", "\"#{full("main.rb")}\"", "\"#{full("lib")}\""])})"

      def make_touch(_) =
        (constant = pick(constants)) &&
          pick(
            [
              "say #{constant}",
              "say #{constant}.class",
              "say Object.const_get('#{constant}')",
              "say #{constant}.here",
              "say ::#{constant}",
              "say #{constant}.then { |value| value.inspect }",
              "say Module.const_get('#{constant}')",
              "#{constant}",
              "say [#{constant}] rescue say :no",
              "class Sub#{fresh} < #{constant}; end",
              "module Outer; say #{constant}; end",
              "say eval('#{constant}')",
              "say #{constant}::Inner",
              "include #{constant}",
              "say Object.const_get(:#{constant.split("::").first}, false)"
            ]
          )

      def make_look(_)
        constant = pick(constants)
        owner, _, name = constant.rpartition("::")
        owner = "Object" if owner.empty?
        pick(
          [
            "say defined?(#{constant})",
            "say defined?(#{constant}.here)",
            "say #{owner}.autoload?(:#{name})",
            "say #{owner}.autoload?(:#{name}, false)",
            "say #{owner}.const_defined?(:#{name})",
            "say #{owner}.const_defined?('#{name}', false)",
            "say Object.const_source_location('#{constant}')",
            "say #{owner}.const_source_location(:#{name}, false)",
            "say #{owner}.constants(false).grep(/Alpha|Beta|Gamma|Delta|Outer|Omega/).sort",
            "say autoload?(:#{name})",
            "say Module.constants.include?(:#{name})",
            "say Object.const_defined?('#{constant}::Nothing')",
            "say #{owner}.send(:private_constant, :#{name}), #{owner}.constants.include?(:#{name})",
            "say #{owner}.deprecate_constant(:#{name})",
            "say #{owner}.public_constant(:#{name})",
            "say #{owner}.const_get(:#{name}, false)",
            "Sub#{fresh} = Class.new { say autoload?(:#{name}), const_defined?(:#{name}) }"
          ]
        )
      end

      def make_autoload(_)
        path = chance(90) ? target : pick(@paths)
        feature = chance(20) ? shared_name(path) : spelling(path)
        constant = chance(75) ? constant_of(path) : pick(constants)
        owner, _, name = constant.rpartition("::")
        if owner.empty?
          return(
            statement(
              "say #{pick(["autoload", "Object.autoload", "Kernel.autoload", "self.class.autoload", "Object.send(:autoload, ", "Object.method(:autoload).call(", "Module.instance_method(:autoload).bind_call(Object, "])}".then do |call|
                call.include?("(") ? "#{call}:#{name}, #{feature})" : "#{call} :#{name}, #{feature}"
              end
            )
          )
        end

        statement(
          "module #{owner}; say(#{pick(%w[autoload( self.autoload( singleton_class.autoload(])}:#{name}, #{feature})); end"
        )
      end

      def make_standard(_)
        pick(
          [
            "say require('#{pick(STANDARD)}')",
            "say require('#{pick(STANDARD)}').class, require('#{pick(STANDARD)}')",
            "autoload :#{%w[StringIO Singleton Forwardable StringScanner Timeout Delegator WeakRef Etc].then { |list| @name = pick(list) }}, '#{{ "StringIO" => "stringio", "Singleton" => "singleton", "Forwardable" => "forwardable", "StringScanner" => "strscan", "Timeout" => "timeout", "Delegator" => "delegate", "WeakRef" => "weakref", "Etc" => "etc" }[@name]}'; say #{@name}.class",
            "require 'pathname'; say Pathname('a') + 'b'",
            "say $LOAD_PATH.resolve_feature_path('#{pick(STANDARD)}').then { |kind, path| [kind, File.basename(path.to_s)] }"
          ]
        )
      end

      # One frozen String that several calls share.
      def shared_name(path = target)
        @shared ||= path
        "($shared ||= #{File.join("", @shared).delete_prefix("/").delete_suffix(".rb").sub(%r{\A(lib|other)/}, "").dump}.freeze)"
      end

      def make_shared(_) =
        pick(
          [
            "say require(#{shared_name})",
            "say autoload(:#{constant_of(@shared || target).split("::").last}, #{shared_name})",
            "say Trace.in_thread { require(#{shared_name}) }",
            "say load(#{shared_name} + '.rb')",
            "$LOADED_FEATURES << #{shared_name}; nil",
            "say $LOAD_PATH.resolve_feature_path(#{shared_name})"
          ]
        )

      def make_wrong(_) =
        pick(
          [
            "say require",
            "say require(nil)",
            "say require(1)",
            "say require(:alpha)",
            "say require('a', 'b')",
            "say require([])",
            "say require(Object.new)",
            "say require_relative(nil)",
            "say require_relative",
            "say load(nil)",
            "say load",
            "say load('alpha.rb', 1, 2)",
            "say autoload(:Alpha, nil)",
            "say autoload('Alpha')",
            "say autoload(1, 'x')",
            "say autoload(:alpha, 'alpha')",
            "say Module.new.autoload('x y', 'alpha')",
            "say autoload(:Alpha, '')",
            "say Module.new.freeze.autoload(:Alpha, 'alpha')",
            "say Class.new { def self.const_added(name) = raise(name.to_s) }.autoload(:Alpha, 'alpha')",
            "say Class.new { def self.const_added(name) = say(caller(0).first(4)) }.autoload(:Alpha, 'alpha')",
            "say require(key: 1)",
            "say require('alpha') { |x| say x }",
            "say require('a'.encode('UTF-32'))",
            "say require(\"a\\0b\")",
            "say require('x' * 5000)",
            "say require(\"\\xff\")",
            "say require(Class.new { def to_path = 5 }.new)",
            "say require(Class.new { def to_path = raise('in to_path') }.new)",
            "say require(Class.new { def to_str = throw(:out) }.new)",
            "say Object.new.require('alpha')",
            "say Kernel.public_send(:require, 'alpha')",
            "say nil.require_relative('x')",
            "say eval('require_relative \"alpha\"', TOPLEVEL_BINDING, '(eval)')",
            "say autoload(:Alpha, 'alpha', 1)"
          ]
        )

      # ---- statements: changing what Ruby does ----

      def make_wrap(_)
        name = pick(%w[require require require require require_relative load autoload])
        id = fresh
        pick(
          [
            "module Kernel; alias_method :#{id}, :#{name}; def #{name}(*args) = (say [:#{id}, args]; #{id}(*args)); private :#{name}; end",
            "module Kernel; #{id} = instance_method(:#{name}); define_method(:#{name}) { |*args| say :#{id}; #{id}.bind_call(self, *args) }; end",
            "Object.prepend(Module.new { def #{name}(*args) = (say :#{id}; super) })",
            "Kernel.prepend(Module.new { def #{name}(*args) = (say :#{id}; super) })",
            "Object.include(Module.new { def #{name}(*args) = (say :#{id}; super) })",
            "def self.#{name}(*args) = (say :#{id}; super)",
            "class Object; def #{name}(*) = (say :#{id}; super); end",
            "class Object; private def #{name}(...) = (say :#{id}; super); end",
            "Kernel.singleton_class.prepend(Module.new { def #{name}(*args) = (say :#{id}; super) })",
            "def Kernel.#{name}(*args) = (say :#{id}; super)",
            "module Kernel; alias #{id} #{name}; end; say #{id}(#{name == "autoload" ? ":Beta, 'beta'" : spelling})",
            "class Module; alias #{id} autoload; def autoload(const, path) = (say [:#{id}, const]; #{id}(const, path)); end",
            "Module.prepend(Module.new { def autoload(*args) = (say :#{id}; super) })",
            "module Kernel; module_function :#{name}; end",
            "Kernel.send(:public, :#{name}); say Object.new.#{name}(#{name == "autoload" ? ":Beta, 'beta'" : spelling})",
            "singleton_class.prepend(Module.new { define_method(:#{name}) { |*args| say :#{id}; super(*args) } })",
            "#{id} = Kernel.instance_method(:#{name}); Kernel.send(:remove_method, :#{name}); say(begin; send(:#{name}, 'alpha'); rescue LoadError, StandardError; $!.class; end); Kernel.define_method(:#{name}, #{id}); Kernel.send(:private, :#{name})",
            "Object.class_eval { def #{name}(*args) = (say caller(1, 2); super) }",
            "module Kernel; alias_method :#{id}, :#{name}; def #{name}(*args, &block) = Thread.new { #{id}(*args, &block) }.value; private :#{name}; end",
            "module Kernel; alias_method :#{id}, :#{name}; def #{name}(*args) = begin; #{id}(*args); rescue LoadError => e; say [:#{id}, e.message, e.path, e.backtrace.first(2)]; raise; end; private :#{name}; end",
            "module Kernel; alias_method :#{id}, :#{name}; def #{name}(*args) = $LOADED_FEATURES.size.then { |size| #{id}(*args).tap { say [:#{id}, $LOADED_FEATURES.size - size] } }; private :#{name}; end"
          ]
        )
      end

      def make_method_object(_)
        pick(
          [
            "say method(:require).call(#{spelling})",
            "say [#{spelling}, #{spelling}].map(&method(:require))",
            "say Kernel.method(:require).(#{spelling})",
            "say method(:require).unbind.bind_call(Object.new, #{spelling})",
            "say Kernel.instance_method(:require).bind(self).call(#{spelling})",
            "say method(:require).to_proc.call(#{spelling})",
            "say (method(:require) >> method(:say)).call(#{spelling})",
            "say method(:require).curry[#{spelling}]",
            "say [#{spelling}].each(&Kernel.method(:require)).size",
            "say method(:require).owner, method(:require).source_location, method(:require).arity, method(:require).inspect.sub(/0x\\h+/, '')",
            "say method(:load).call(\"#{full(target)}\")",
            "say #{spelling}.then(&method(:require))",
            "say Object.method(:autoload).to_proc.call(:Beta, 'beta')",
            "say method(:require) == method(:require), Kernel.instance_method(:require).hash == Kernel.instance_method(:require).hash, method(:require).eql?(Kernel.method(:require))",
            "say %w[alpha beta].lazy.map(&method(:require)).first(1)",
            "say Kernel.instance_method(:require_relative).source_location, method(:require_relative).parameters, Module.instance_method(:autoload).inspect, Kernel.method(:autoload).unbind.inspect",
            "say method(:require).super_method.inspect, Kernel.private_method_defined?(:require), Kernel.method_defined?(:require)",
            "say [[:Beta, 'beta']].each { |pair| autoload(*pair) }.size",
            "define_method(:#{id = fresh}, Kernel.instance_method(:require)) rescue Object.define_method(:#{id}, Kernel.instance_method(:require)); say #{id}(#{spelling})",
            "BasicObject.new.instance_eval { ::Kernel.say ::Kernel.require(#{spelling}) }"
          ]
        )
      end

      def make_refine(depth)
        return make_wrap(depth) if depth.positive? && chance(50)

        id = fresh.capitalize
        pick(
          [
            "module R#{id}; refine #{pick(%w[Kernel Object])} do; def require(name) = (say [:#{id}, name]; super); end; end\nbegin; using R#{id}; rescue RuntimeError, NoMethodError => e; say e.class; end\nsay require(#{spelling})",
            "module R#{id}; refine String do; def shout = upcase + '!'; def to_str = 'refined'; def to_path = 'refined'; end; end\nbegin; using R#{id}; say 'a'.shout; rescue RuntimeError, NoMethodError => e; say e.class; end\nsay require(#{spelling})",
            "module R#{id}; refine Module do; def autoload(*args) = (say :#{id}; super); def name = 'refined'; end; end\nbegin; using R#{id}; rescue RuntimeError, NoMethodError => e; say e.class; end\nsay Object.autoload(:Beta, 'beta')\nsay Object.name"
          ]
        )
      end

      def make_missing(_)
        id = fresh
        # (Psych looks for some constants, in an order that docs/semantics.md, 7, tells of.)
        pick(
          [
            "def Object.const_missing(name) = (say [:missing, name]; super)",
            "class Module; def const_missing(name) = (raise NameError, name if %i[BigDecimal Date DateTime].include?(name); say [:#{id}, self, name]; require(name.to_s.downcase); const_get(name)); end",
            "def Object.const_missing(name) = (say [:missing, name]; const_set(name, Module.new))",
            "class Module; alias #{id} const_missing; def const_missing(name) = (say caller(1, 1); #{id}(name)); end",
            "def self.method_missing(name, *args) = name == :unknown_word ? say(:ghost, require(#{spelling})) : super\nunknown_word",
            "say((NoSuchThing rescue [$!.message, $!.name, $!.receiver, $!.backtrace.first(2)]))"
          ]
        )
      end

      def make_naming(_) =
        pick(
          [
            "class Module; def name = 'fake'; end",
            "class Module; def to_s = raise('to_s'); end",
            "class Module; def inspect = 'module'; end",
            "class Class; def name = nil; end",
            "class Module; def ==(other) = false; end",
            "class Module; def hash = 1; def eql?(other) = true; end",
            "class Module; def name = (say :named; super); end",
            "class Object; def to_s = 'object'; def inspect = 'object'; end",
            "def Object.name = 5",
            "class Module; def const_get(*) = :got; def const_defined?(*) = false; def autoload?(*) = nil; def constants(*) = []; end"
          ]
        )

      def make_hooks(_) =
        pick(
          [
            "def Object.const_added(name) = (say [:added, name]; super)",
            "class Module; def method_added(name) = (say [:method_added, name] if name != :inspect && caller(1, 1)[0].include?(Trace::APPLICATION) && caller(1, 1)[0] !~ /load.$/); end",
            "class Object; def self.singleton_method_added(name) = (say [:singleton, name]); end",
            "class Class; def inherited(sub) = (say [:inherited, self]; super); end",
            "class Module; def included(base) = (say [:included, self]; super); def prepended(base) = (say [:prepended]; super); def extended(base) = (say :extended; super); end",
            "class Object; def singleton_method_removed(name) = say(:removed); end",
            "class Module; def method_removed(name) = (say [:gone, name] if caller(1, 1)[0].include?(Trace::APPLICATION)); def method_undefined(name) = (say [:undefined, name] if caller(1, 1)[0].include?(Trace::APPLICATION)); end",
            "class Module; def const_added(name) = (say [:in, self, name, caller(1, 1)]; super); end"
          ]
        )

      # Redefines methods of Ruby's that a plain Ruby does not call while it requires.
      def make_redefine(_)
        pick(
          [
            "class File; def self.exist?(*) = (say :exist; super); def self.stat(*) = (say :stat; super); def self.realpath(*) = (say :realpath; super); end",
            "class String; def start_with?(*) = (say :start_with; super); end.tap { class String; remove_method :start_with?; end }",
            "class String; def to_str = 'other'; end",
            "class String; def ==(other) = false; end",
            "class String; def hash = 7; end",
            "class String; def to_path = 'else'; end",
            "class Mutex; def lock = (say :lock; super); end",
            "class Thread; def self.current = (say :current; super); end",
            "module Process; def self.clock_gettime(*) = 0; end",
            "class IO; def self.open(*) = (say :open; super); def self.read(*) = (say :read; super); end",
            "class Array; def <<(x) = push(x); def push(*x) = concat(x); end",
            "def $LOADED_FEATURES.push(*x) = (say :pushed; super)",
            "def $LOADED_FEATURES.include?(*) = false",
            "def $LOAD_PATH.each(&b) = (say :each; super)",
            "def $LOAD_PATH.resolve_feature_path(*) = (say :resolve; super)",
            "def $stderr.write(*x) = $stdout.write(*x.map { |y| 'E:' + y })",
            "class Integer; def +(x) = 5; end.then { class Integer; remove_method :+; end } rescue say $!.class",
            "class NilClass; def to_s = 'nil!'; end",
            "class Symbol; def to_proc = (say :to_proc; super); end",
            "class Exception; def message = 'changed'; end",
            "class LoadError; def initialize(*) = (say :load_error; super); def path = 'changed'; end",
            "class LoadError; def self.new(*) = (say :new; super); def self.exception(*) = (say :exception; super); end",
            "class NameError; def initialize(*) = (say :name_error; super); end",
            "class Exception; def backtrace = (super || []).first(1); def set_backtrace(*) = (say :set; super); end",
            "class Binding; def irb = 1; end; class Proc; def call(*) = (say :call; super); end",
            "Object.send(:remove_const, :#{pick(%w[LoadError File Mutex Thread Process GC TracePoint RbConfig Monitor Gem Set])}); say 1",
            "class << ENV; def [](name) = (say [:env, name]; super); def fetch(*) = (say :fetch; super); end",
            "class << GC; def start(*) = (say :start); end; GC.singleton_class.prepend(Module.new { def enable = (say :enable; super) })",
            "class Hash; def key?(k) = false; end"
          ]
        )
      end

      def make_define(_) = definition(pick(constants)).first

      def make_reopen(depth)
        constant = pick(constants)
        block(
          (
            if constant.include?("::")
              "module Outer; #{keyword(constant[7..])} #{constant[7..]}"
            else
              "#{keyword(constant)} #{constant}"
            end
          ),
          depth,
          constant.include?("::") ? "end; end" : "end"
        )
      end

      def make_remove(_)
        owner, _, name = pick(constants).rpartition("::")
        owner = "Object" if owner.empty?
        pick(
          [
            "say #{owner}.send(:remove_const, :#{name}).class",
            "#{owner}.send(:remove_const, :#{name}) rescue say $!.message",
            "#{owner}.instance_eval { remove_const(:#{name}) if const_defined?(:#{name}) }",
            "#{owner}.send(:remove_const, :#{name}); say #{owner}.autoload?(:#{name}), Trace.forget('#{name.downcase}.rb')"
          ]
        )
      end

      # ---- statements: what is loaded, and from where ----

      def make_provide(_) =
        pick(
          [
            "say Trace.features",
            "say Trace.features.last",
            "say $\".include?(__FILE__), $\".last == __FILE__",
            "say $LOADED_FEATURES.include?(\"#{full(target)}\")",
            "say Trace.found('#{target}')",
            "say $LOAD_PATH.resolve_feature_path(#{spelling})",
            "say RubyVM.resolve_feature_path(#{spelling})"
          ]
        )

      def make_loaded(_)
        path = full(target)
        "#{
          pick(
            [
              "$LOADED_FEATURES.delete(\"#{path}\")",
              "Trace.forget('#{target}')",
              "$LOADED_FEATURES << \"#{path}\"",
              "$LOADED_FEATURES.unshift(\"#{path}\")",
              "$LOADED_FEATURES << '#{File.basename(target)}'",
              "$LOADED_FEATURES.push('#{target.delete_prefix("lib/")}')",
              "$LOADED_FEATURES.map!(&:dup)",
              "$LOADED_FEATURES.map!(&:+@)",
              "$LOADED_FEATURES.unshift(*Trace.pop)",
              "$LOADED_FEATURES.reverse!",
              "$LOADED_FEATURES.map!(&:-@)",
              "$LOADED_FEATURES << Named.new(\"#{path}\")",
              "$LOADED_FEATURES[-1] = $LOADED_FEATURES[-1].dup",
              "$\" << \"#{full(target.delete_suffix(".rb"))}.so\"",
              "Trace.pop",
              "$LOADED_FEATURES.uniq!",
              "$LOADED_FEATURES.clear; say require(#{spelling})",
              "$LOADED_FEATURES.freeze",
              "$LOADED_FEATURES << Object.new",
              "$LOADED_FEATURES << nil; say require(#{spelling})",
              "$\" = []",
              "Trace.forget('')",
              "#{id = fresh} = $LOADED_FEATURES.dup; say require(#{spelling}); $LOADED_FEATURES.replace(#{id}); say require(#{spelling})",
              "$LOADED_FEATURES << Shown.new(\"#{path}\")",
              "$LOADED_FEATURES.sort!",
              "$LOADED_FEATURES.map!(&:b)",
              "$LOADED_FEATURES.insert(-2, \"#{path}\".freeze)"
            ]
          ).then { |text| text.include?("say") ? text : "#{text}; nil" }
        }"
      end

      def make_load_path(_)
        pick(
          [
            "$LOAD_PATH.unshift(\"#{full("lib")}\")",
            "$LOAD_PATH << \"#{full("other")}\"",
            "$LOAD_PATH.delete(\"#{full("other")}\")",
            "$LOAD_PATH.reverse!",
            "$LOAD_PATH.unshift(\"#{full("linked")}\")",
            "$LOAD_PATH.push(Shown.new(\"#{full("other")}\"))",
            "$LOAD_PATH.unshift('lib')",
            "$LOAD_PATH.unshift(Shown.new('lib'))",
            "$LOAD_PATH.unshift('./lib', '.')",
            "$LOAD_PATH << '../application/lib'",
            "$LOAD_PATH.unshift($mutable = +\"#{full("lib")}\"); say require(#{spelling}); $mutable.replace(\"#{full("other")}\")",
            "$LOAD_PATH.first << '/deep' rescue say $!.class",
            "require 'pathname'; $LOAD_PATH.unshift(Pathname(\"#{full("lib")}\"))",
            "$LOAD_PATH.unshift(Class.new { def to_path = (say :to_path; \"#{full("lib")}\") }.new)",
            "$LOAD_PATH.unshift(Named.new(\"#{full("lib")}\"))",
            "$LOAD_PATH.unshift('')",
            "$LOAD_PATH.unshift('~')",
            "$LOAD_PATH.unshift(\"#{full("lib")}/\", \"#{full("lib/../other")}\")",
            "$LOAD_PATH.uniq!",
            "$LOAD_PATH.map!(&:dup)",
            "$LOAD_PATH.replace($LOAD_PATH.map(&:freeze))",
            "$LOAD_PATH.freeze",
            "$LOAD_PATH.unshift(nil); say require(#{spelling})",
            "$LOAD_PATH.clear; say require(#{spelling})",
            "$LOAD_PATH.shift",
            "$LOAD_PATH.rotate!",
            "$LOAD_PATH.unshift(\"#{full("missing_folder")}\", \"#{full("main.rb")}\")",
            "$:.unshift(__dir__.to_s)",
            "$-I.push('other')",
            "$LOAD_PATH.unshift(\"#{full("lib")}\".encode('UTF-16LE')) rescue say $!.class",
            "$LOAD_PATH.unshift(\"#{full("lib")}\".b)",
            "$LOAD_PATH.concat([\"#{full("lib/outer")}\", \"#{full("lib/deep/er")}\"])",
            "$LOAD_PATH.unshift(Shown.new(nil)); say require(#{spelling})",
            "#{id = fresh} = $LOAD_PATH.dup; $LOAD_PATH.replace([\"#{full("other")}\"]); say require(#{spelling}); $LOAD_PATH.replace(#{id})",
            "$LOAD_PATH.unshift(Class.new { def to_str = \"#{full("lib")}\" }.new)",
            "say $LOAD_PATH.first(2), $LOAD_PATH.size, $:.equal?($LOAD_PATH), $LOAD_PATH.frozen?",
            "$LOAD_PATH[0] = \"#{full("lib")}\"",
            "$LOAD_PATH.insert(1, \"#{full("other")}\")",
            "$: << $LOAD_PATH.first"
          ]
        )
      end

      def make_change_folder(depth) =
        if chance(50)
          statement("Dir.chdir(#{pick(%w['lib' 'other' '..' Trace::APPLICATION '/'])})")
        else
          block("Dir.chdir(#{pick(%w['lib' 'other' '..' '/'])}) do", depth)
        end

      # The program itself writes, changes, links or removes files.
      def make_write(_)
        path = full(target)
        id = fresh
        pick(
          [
            "File.write(\"#{full("lib/#{id}.rb")}\", \"say :written, __FILE__\\n\"); say require('#{id}'); say require_relative(\"#{full("lib/#{id}")}\")",
            "File.write(\"#{path}\", \"say :rewritten\\n\"); say require(#{spelling})",
            "File.write(\"#{path}\", 'say :again'); say load(\"#{path}\")",
            "File.unlink(\"#{path}\"); say require(#{spelling})",
            "File.rename(\"#{path}\", \"#{full("lib/#{id}.rb")}\"); say require('#{id}')",
            "File.symlink(\"#{path}\", \"#{full("lib/#{id}.rb")}\"); say require('#{id}'), require(#{spelling})",
            "File.link(\"#{path}\", \"#{full("lib/#{id}.rb")}\"); say require('#{id}'), require(#{spelling})",
            "Dir.mkdir(\"#{full("lib/#{id}.rb")}\"); say require('#{id}')",
            "begin; say require('#{id}'); rescue LoadError; say $!.message; end\nFile.write(\"#{full("lib/#{id}.rb")}\", 'say :late'); say require('#{id}')",
            "File.chmod(0o000, \"#{path}\"); say require(#{spelling})",
            "#{relink}; say require(#{spelling}), require(#{spelling})",
            "#{relink}; say require(#{spelling})",
            "File.write(\"#{path}\", File.read(\"#{path}\") + \"\\nsay :appended\"); say require(#{spelling})",
            "File.utime(1, 1, \"#{path}\"); say require(#{spelling})",
            "Dir.mkdir(\"#{full(id)}\"); $LOAD_PATH.unshift(\"#{full(id)}\"); begin; say require('#{id}_x'); rescue LoadError; say $!.message; end; File.write(\"#{full("#{id}/#{id}_x.rb")}\", 'say :new'); say require('#{id}_x')",
            "File.write(\"#{full("other/alpha.rb")}\", 'say :other_alpha'); say require('alpha')",
            "system('true'); say $?.exitstatus, require(#{spelling})",
            "File.write(\"#{full("lib/#{id}.rb")}\", 'class Broken'); say require('#{id}')",
            "File.truncate(\"#{path}\", 0); say require(#{spelling})"
          ]
        )
      end

      # A folder that may be on the load path is reached by another link, by none, or by a folder that was put in its place.
      def relink
        link = full("linked")
        pick(["$LOAD_PATH.unshift(\"#{link}\"); say require(#{spelling}); ", "$LOAD_PATH.push(\"#{link}\"); ", ""]) +
          pick(
            [
              "File.unlink(\"#{link}\"); File.symlink('other', \"#{link}\")",
              "File.unlink(\"#{link}\"); Dir.mkdir(\"#{link}\")",
              "File.unlink(\"#{link}\")",
              "system('ln', '-sfn', 'other', \"#{link}\")",
              "File.rename(\"#{full("other")}\", \"#{full("moved")}\"); File.symlink('moved', \"#{full("other")}\")"
            ]
          ) + pick(["", "", "; $LOAD_PATH.push('more')"])
      end

      # ---- statements: leaving, waiting, ending ----

      def make_leave(depth) =
        pick(
          [
            *(["return", "return if true", "return 5"] if depth == 1),
            "throw :out",
            "throw :nowhere",
            "exit 3",
            "exit",
            "raise Interrupt",
            "abort",
            "abort 'aborted'",
            "exit!(4)",
            "raise SystemExit",
            "raise SignalException, 'TERM'",
            "Process.kill(:TERM, $$); sleep 1",
            "Thread.exit unless Thread.current == Thread.main",
            "raise 'left'",
            "raise Class.new(StandardError), 'anonymous'",
            "raise Exception, 'plain'",
            "raise LoadError, 'my own'",
            "raise NoMemoryError",
            "raise SecurityError, 'no'",
            "raise SyntaxError, 'made up'",
            "loop { raise StopIteration, 'stop' }",
            "[1].each { |x| break }",
            "[1].each { return }",
            "proc { return }.call",
            "proc { break }.call",
            "proc { next 1 }.call",
            "$leaver = proc { return 5 }",
            "$leaver&.call",
            "$leaver&.call",
            "$breaker = proc { break 5 }; [1].each(&$breaker)",
            "Thread.new { return }.join",
            "eval('return')",
            "catch(:x) { throw :x, return }",
            "raise 'a', cause: nil",
            "def boom = boom\nboom",
            "fail TypeError, 'x', ['made:1:in `up`']"
          ]
        )

      def make_failing(_)
        counter = "$failing#{number(3)}"
        "raise #{pick(["'once'", "NameError", "LoadError", "SecurityError", "SyntaxError", "Interrupt", "SystemExit", "NameError.new('m', :Alpha)", "Class.new(LoadError), 'sub'"])} if (#{counter} = #{counter}.to_i + 1) #{pick(["== 1", "== 1", "<= 2"])}"
      end

      def make_rescued(depth) =
        block(
          pick(["begin", "catch(:out) do"]).then { |text| @opened = text },
          depth,
          (
            if @opened == "begin"
              pick(
                [
                  "rescue Exception => error; say_error(error); end",
                  "rescue Exception; say $!.class; end",
                  "rescue StandardError; say $!; retry if ($retried = $retried.to_i + 1) < 3; end",
                  "rescue LoadError, NameError => error; say error.message, error.backtrace&.first(3); end"
                ]
              )
            else
              "end"
            end
          )
        )
      def make_ensured(depth) =
        Statement.new(
          "begin",
          [Statement.new("begin", statements(1, depth + 1), "ensure; say $!.class")] + statements(1, depth + 1),
          "end; end"
        )
      def make_at_exit(depth) =
        block(
          "at_exit do",
          depth,
          pick(["end", "end", "say $!.class; end", "rescue Exception => error; say_error(error); end"])
        )
      def make_ends(depth) =
        if depth.zero?
          statement(
            pick(
              [
                "BEGIN { say :begin; #{make_provide(0)} }",
                "END { say require(#{spelling}) }",
                "END { say :end; exit 7 }",
                "BEGIN { say require(#{spelling}) }",
                "at_exit { exit 9 }",
                "at_exit { raise 'in at_exit' }",
                "at_exit { at_exit { say require(#{spelling}) } }",
                "BEGIN { $LOAD_PATH.unshift('lib') }",
                "at_exit { Kernel.exit!(5) }",
                "at_exit { fork { say :forked, require(#{spelling}); exit!(0) }.then { |pid| Process.wait(pid) } }"
              ]
            )
          )
        else
          block("at_exit do", depth)
        end
      def make_data(_) =
        pick(
          [
            "say DATA.read",
            "say defined?(DATA), (DATA.pos if defined?(DATA))",
            "say DATA.lineno, DATA.gets, DATA.path.class",
            "DATA.rewind; say DATA.gets",
            "say DATA.external_encoding, DATA.close"
          ]
        )
      def make_fork(depth) =
        block(
          "child = fork do",
          depth,
          pick(
            [
              "exit! 0; end; Process.wait(child); say $?.exitstatus",
              "end; Process.wait(child); say $?.exitstatus, $?.signaled?",
              "end; Process.wait2(child); say require(#{spelling})"
            ]
          )
        ).then do |made|
          if chance(20)
            statement(
              "if (child = fork) then Process.wait(child); say $?.exitstatus; else; say :child; end; say require(#{spelling})"
            )
          else
            made
          end
        end
      def make_thread(depth) =
        block(
          "thread = Thread.new do",
          depth,
          pick(
            [
              "end; Trace.finish(thread)",
              "end; say Trace.finish(thread).nil?",
              "end; begin; Trace.finish(thread); rescue Exception => error; say_error(error); end",
              "end; thread.report_on_exception = false; say((thread.value rescue $!.class))"
            ]
          )
        ).then { |made| made.body.unshift(statement("Thread.current.report_on_exception = false")) && made }

      # Two threads, each in the middle of a file; one asks for the other's file.
      def make_crosswise(_)
        one, two =
          chance(75) && @pausing.size > 1 ? @pausing.sample(2, random: @random) : @paths.sample(2, random: @random)
        if chance(35)
          return(
            "Trace.in_the_middle_of(#{spelling(one)}) { Process.wait(fork { say(begin; require(#{spelling(one)}); rescue LoadError, StandardError; $!.class; end); exit!(0) }) }"
          )
        end

        "Trace.in_the_middle_of(#{spelling(one)}) { Trace.in_the_middle_of(#{spelling(two || one)}) { say #{pick(["require(#{spelling})", "require(#{spelling(one)})", ":both", "Trace.features"])} } }"
      end

      def make_middle(depth)
        return make_thread(depth) if @middle

        @middle = true
        Statement
          .new(
            "Trace.in_the_middle_of(#{spelling(pick(@pausing.any? ? @pausing : @paths))}) do",
            statements(1 + number(2), depth + 1),
            "end"
          )
          .tap { @middle = false }
      end

      def make_fiber(depth) =
        block(
          "fiber = Fiber.new do",
          depth,
          pick(
            [
              "end; fiber.resume",
              "Fiber.yield; say :resumed; end; fiber.resume; say require(#{spelling}); fiber.resume if fiber.alive?",
              "end; say((fiber.resume rescue $!.class)); say fiber.alive?"
            ]
          )
        ).then do |made|
          if chance(15)
            statement(
              "say Enumerator.new { |y| y << require(#{spelling}); y << require(#{spelling}) }.then { |e| [e.next, e.next] }"
            )
          else
            made
          end
        end
      def make_interrupts(_) =
        pick(
          [
            "say Thread.handle_interrupt(RuntimeError => :never) { require(#{spelling}) }",
            "require 'timeout'; say Timeout.timeout(5) { require(#{spelling}) }",
            "thread = Thread.new { Thread.stop; require(#{spelling}) }; sleep 0.001 until thread.stop?; thread.report_on_exception = false; thread.raise('from outside'); say((thread.value rescue $!.message))",
            "thread = Thread.new { Thread.stop; require(#{spelling}) }; sleep 0.001 until thread.stop?; thread.kill; say thread.join(1).nil?",
            "say Thread.new { Thread.current.priority = 3; require(#{spelling}) }.value"
          ]
        )
      def make_signal(_) =
        pick(
          [
            "trap(:USR1) { say :trapped; say(begin; require(#{spelling}); rescue LoadError, StandardError; $!.class; end) }; Process.kill(:USR1, $$); sleep 0.01; say :after",
            "trap(:EXIT) { say :exit_trap, require(#{spelling}) }",
            "trap(:INT) { say :int }; Process.kill(:INT, $$); sleep 0.01",
            "say trap(:BUS, 'DEFAULT').class"
          ]
        )
      def make_continuation(_) =
        pick(
          [
            "require 'continuation'; say callcc { |k| k.call(:called); :not }, require(#{spelling})",
            "require 'continuation'; callcc { |k| $back = k }; say :there",
            "$back.call if $back && ($returns = $returns.to_i + 1) < 3"
          ]
        )
      def make_ractor(_) = RACTORS.then { |list| pick(list) }
      RACTORS = [
        "say defined?(Ractor), Ractor.current.class, Ractor.count",
        "say Ractor.make_shareable(%w[a b]).frozen?",
        "$VERBOSE = nil; r = Ractor.new(Trace::APPLICATION.dup.freeze) { |path| path.size.zero? }; say r.respond_to?(:value) ? r.value : r.take"
      ].freeze

      # ---- statements: watching ----

      def make_evaluated(depth) =
        block(
          pick(
            [
              "eval <<~'CODE'",
              "Object.class_eval <<~'CODE', 'made_up.rb', 7",
              "instance_eval <<~'CODE', __FILE__",
              "eval <<~'CODE', TOPLEVEL_BINDING, __FILE__, __LINE__",
              "eval <<~'CODE', nil, 'lib/alpha.rb'",
              "binding.eval <<~'CODE', 'relative/name.rb', -3",
              "RubyVM::InstructionSequence.compile(<<~'CODE', 'compiled.rb', __FILE__, 5).eval"
            ]
          ).sub("CODE", "CODE#{depth}"),
          depth,
          "CODE#{depth}"
        )
      def make_snippet(_) = pick(SNIPPETS)
      def make_warning(_) = pick(WARNING_SNIPPETS)
      def make_frames(_) =
        pick(
          [
            "say caller(0, 5)",
            "say caller_locations(0, 5).map { |at| [at.path, at.absolute_path, at.label, at.base_label, at.lineno] }",
            "say __method__, __dir__, __FILE__, __LINE__",
            "say caller.size, caller_locations.last&.path",
            "def framed = [caller(0, 4), __method__]\nsay framed",
            "say binding.source_location, binding.receiver.to_s",
            "say Thread.current.backtrace.first(4)",
            "say((raise('x') rescue $!.backtrace))",
            "say Thread.current.backtrace_locations(1, 3).map(&:to_s)",
            "say Kernel.caller(1, 2), Kernel.caller_locations(0, 2).map(&:absolute_path)",
            "say $0 == __FILE__, $PROGRAM_NAME == __FILE__",
            "say proc { caller(0, 3) }.call, [1].map { caller(0, 3) }",
            "warn 'look', uplevel: #{number(3)}",
            "say self, self.class, singleton_class.inspect, Module.nesting",
            "say binding.local_variables, TOPLEVEL_BINDING.local_variables",
            "say method(:say).source_location&.last.class, (method(:framed).source_location if respond_to?(:framed, true))",
            "say __callee__, __ENCODING__, ObjectSpace.respond_to?(:each_object)"
          ]
        )
      def make_trace(depth) =
        block(
          "seen = []; TracePoint.new(:#{pick(%w[script_compiled class end line call return b_call raise thread_begin c_return fiber_switch a_call])}) { |tp| seen << [tp.event, tp.lineno, (tp.method_id if Trace.inside?(tp.path))] if Trace.inside?(tp.path) && tp.event != :c_return }.enable do".sub(
            "fiber_switch",
            "thread_end"
          ).sub("a_call", "b_return"),
          depth,
          pick(["end; say seen.first(12)", "end; say seen.size", "end; say seen.map(&:first).tally"])
        ).then { |made| chance(35) ? statement(pick(TRACES).gsub("NAME", spelling)) : made }
      TRACES = [
        "$point = TracePoint.new(:script_compiled) { |tp| say [:compiled, tp.instruction_sequence.path, tp.eval_script&.size] }; $point.enable; say require(NAME); $point.disable",
        "$point = TracePoint.trace(:class) { |tp| say [tp.event, tp.self] if Trace.inside?(tp.path) }",
        "$point&.disable",
        "$point&.enable",
        "def watched = 1\ntp = TracePoint.new(:call, :line, :return) { |t| say t.event, t.lineno }; tp.enable(target: method(:watched)) { watched }",
        "$point = TracePoint.new(:raise) { |tp| say [:raised, tp.raised_exception.class, tp.lineno] if Trace.inside?(tp.path) }.tap(&:enable)",
        "say TracePoint.new(:line) {}.enabled?, TracePoint.trace(:end) {}.disable",
        "TracePoint.new(:line) { throw :out }.enable { say require(NAME) }",
        "TracePoint.new(:class) { |t| raise 'in trace' if Trace.inside?(t.path) }.enable { say require(NAME) }"
      ].freeze
      def make_trace_func(_) =
        pick(
          [
            "set_trace_func(proc { |event, file, line, id, binding, klass| say [event, line, id] if Trace.inside?(file) && event[0, 2] != 'c-' }); require(#{spelling}); set_trace_func(nil)",
            "set_trace_func(proc { |event, *| $events = $events.to_i + 1 if event == 'class' }); say require(#{spelling}); set_trace_func(nil); say $events",
            "set_trace_func(nil)"
          ]
        )

      def make_coverage(_) =
        pick(
          [
            "require 'coverage'; Coverage.start(#{pick(["", ":all", "lines: true, branches: true", "oneshot_lines: true", "methods: true", "eval: true"])}) unless Coverage.running?",
            "say Coverage.peek_result.select { |path, _| path.start_with?(Trace::APPLICATION) } if defined?(Coverage) && Coverage.running?",
            "say Coverage.result.transform_keys { |path| Trace.relative(path) }.select { |path, _| !path.start_with?('/') } if defined?(Coverage) && Coverage.running?",
            "require 'coverage'; Coverage.setup(lines: true); say require(#{spelling}); Coverage.resume; say require(#{spelling}); say Coverage.result.select { |path, _| path.start_with?(Trace::APPLICATION) }",
            "Coverage.result(stop: false, clear: true) if defined?(Coverage) && Coverage.running?",
            "say Coverage.line_stub(\"#{full(target)}\") if defined?(Coverage)"
          ]
        )

      def make_space(_) =
        pick(
          [
            "say Trace.modules",
            "require 'objspace'; say ObjectSpace.trace_object_allocations { x = Object.new; [ObjectSpace.allocation_sourcefile(x), ObjectSpace.allocation_sourceline(x), ObjectSpace.allocation_method_id(x)] }",
            "$weak ||= ObjectSpace::WeakMap.new; $weak[$key ||= 'key'] = :value; say require(#{spelling}), $weak.key?($key)",
            "ObjectSpace.garbage_collect; say require(#{spelling})",
            "say ObjectSpace.each_object(Class).first.class",
            "say ObjectSpace.each_object(TracePoint).count(&:enabled?)"
          ]
        )
      def make_collector(_depth) =
        pick(
          [
            "GC.compact if GC.respond_to?(:compact)",
            "GC.auto_compact = true if GC.respond_to?(:auto_compact=)",
            "GC.start; say require(#{spelling})",
            "GC.stress = true; begin; require(#{spelling}); ensure; GC.stress = false; end",
            "say GC.disable, GC.enable, GC.enable",
            "GC.disable",
            "say GC.stress, GC.auto_compact rescue say $!.class",
            "GC.start(full_mark: false)",
            "GC.verify_compaction_references(toward: :empty) rescue say $!.class",
            "GC.measure_total_time = false; say GC.measure_total_time"
          ]
        )
      def make_option(_) =
        pick(
          [
            "RubyVM::InstructionSequence.compile_option = { #{pick(%w[frozen_string_literal peephole_optimization inline_const_cache specialized_instruction tailcall_optimization trace_instruction debug_frozen_string_literal])}: #{pick(%w[true false])} }",
            "say RubyVM::InstructionSequence.compile_option",
            "RubyVM::InstructionSequence.compile_option = #{pick(%w[true false nil])}",
            "old = RubyVM::InstructionSequence.compile_option; RubyVM::InstructionSequence.compile_option = { frozen_string_literal: true }; say require(#{spelling}); RubyVM::InstructionSequence.compile_option = old"
          ]
        )
      def make_script_lines(_) =
        pick(
          [
            "SCRIPT_LINES__ = {} unless defined?(SCRIPT_LINES__)",
            "say SCRIPT_LINES__.transform_keys { |path| Trace.relative(path) }.select { |path, _| !path.start_with?('/') } if defined?(SCRIPT_LINES__)",
            "RubyVM.keep_script_lines = true",
            "say RubyVM.keep_script_lines",
            "Object.send(:remove_const, :SCRIPT_LINES__) if defined?(SCRIPT_LINES__)",
            "RubyVM.keep_script_lines = false"
          ]
        )
      def make_hook_methods(_) =
        pick(
          [
            "def (RubyVM::InstructionSequence).translate(iseq) = (say [:translate, iseq.path] if iseq.path.start_with?(Trace::APPLICATION))",
            "class << RubyVM::InstructionSequence; remove_method :translate; end rescue say $!.class"
          ]
        )

      def make_iseq(_) =
        pick(
          [
            "say RubyVM::InstructionSequence.compile_file(\"#{full(target)}\").then { |iseq| [iseq.label, iseq.absolute_path, iseq.first_lineno] }",
            "say RubyVM::InstructionSequence.load_from_binary(RubyVM::InstructionSequence.compile_file(\"#{full(target)}\").to_binary).eval.class",
            "say RubyVM::InstructionSequence.compile_file(\"#{full(target)}\").eval.class",
            "say RubyVM::InstructionSequence.compile('say __FILE__, __dir__, 5', 'x', '/y/z.rb', 3).eval",
            "say RubyVM::AbstractSyntaxTree.parse_file(\"#{full(target)}\").type",
            "say RubyVM::InstructionSequence.compile_file(\"#{full(target)}\").disasm.lines.size",
            "say RubyVM::InstructionSequence.of(method(:require)).inspect"
          ]
        )

      def make_verbose(_) =
        pick(
          [
            "$VERBOSE = true",
            "$VERBOSE = false",
            "$VERBOSE = nil",
            "$-w = true",
            "Warning[:deprecated] = #{pick(%w[true false])}",
            "Warning[:experimental] = #{pick(%w[true false])}",
            "say $VERBOSE, Warning[:deprecated], Warning[:experimental]",
            "Warning[:performance] = true rescue say $!.class",
            "$-v = true",
            "$VERBOSE = 1"
          ]
        )
      def make_warn_method(_) =
        pick(
          [
            "Trace.quiet_warning; def Warning.warn(message, category: nil) = say([:warned, message, category])",
            "Trace.quiet_warning; def Warning.warn(message, **) = (say :w; super)",
            "module Warning; def warn(message, category: nil) = say([:module_warn, message]); end",
            "module Kernel; def warn(*args, **) = say([:kernel_warn, args]); end",
            "Warning.extend(Module.new { def warn(message, category: nil, **) = (say [:extended, category]; super) })",
            "class << Warning; undef_method :warn; end",
            "say Warning.method(:warn).owner.class, Warning.singleton_methods(false)"
          ]
        )
      def make_variables(_) =
        pick(
          [
            "local_#{id = fresh} = 1; say binding.local_variable_defined?(:local_#{id})",
            "say $stdin.class, $*.size, $$ == Process.pid, $/, $,",
            "$_ = 'set'; say require(#{spelling}), $_",
            "'match' =~ /t/; say require(#{spelling}), $~&.begin(0)",
            "begin; raise 'outer'; rescue; say require(#{spelling}), $!&.message; end",
            "say $!.inspect, $@.inspect",
            "self.instance_variable_set(:@seen, true); say instance_variables",
            "$PROGRAM_NAME = 'renamed'; say require(#{spelling}), $0",
            "ENV['RUBYLIB'] = 'lib'; ENV.delete('HOME'); begin; say require('~/alpha'); rescue ArgumentError, LoadError; say $!.class; end",
            "ENV['HOME'] = Trace::APPLICATION; say(begin; require('~/lib/alpha'); rescue LoadError, StandardError; $!.class; end)",
            "private\ndef after_private = 1\nsay self.class.private_method_defined?(:after_private)",
            "public; def now_public = 1; say respond_to?(:now_public)",
            "ENV.clear; say require(#{spelling})",
            "alias $features $LOADED_FEATURES; say $features.equal?($\"), $features.size == $\".size",
            "trace_var(:$watched) { |v| say v }; $watched = 1; untrace_var(:$watched)"
          ]
        )
      def make_debug(_) =
        pick(
          ["$DEBUG = true; begin; say require(#{spelling}); ensure; $DEBUG = false; end", "$DEBUG = false", "$-d = nil"]
        )
      def make_freeze(_) =
        pick(
          [
            "Kernel.freeze",
            "self.freeze",
            "Object.freeze",
            "ENV.freeze rescue say $!.class",
            "$0.freeze",
            "Trace::APPLICATION.freeze",
            "RubyVM::InstructionSequence.freeze",
            "RubyVM::InstructionSequence.singleton_class.freeze",
            "Warning.freeze",
            "Module.freeze",
            "IO.singleton_class.freeze"
          ]
        )
      # Methods of Psych's that have a part in reading a document.
      PSYCH = {
        "Psych::Visitors::ToRuby" => %w[
          accept
          deserialize
          register
          register_empty
          revive_hash
          deduplicate
          resolve_class
          visit_Psych_Nodes_Scalar
          visit_Psych_Nodes_Mapping
          visit_Psych_Nodes_Sequence
          visit_Psych_Nodes_Alias
          visit_Psych_Nodes_Document
          class_loader
        ],
        "Psych::Visitors::NoAliasRuby" => %w[visit_Psych_Nodes_Alias accept deserialize],
        "Psych::Visitors::Visitor" => %w[accept visit dispatch],
        "Psych::ScalarScanner" => %w[tokenize parse_int parse_time class_loader],
        "Psych::ClassLoader" => %w[load symbolize find resolve symbol date path2class],
        "Psych::ClassLoader::Restricted" => %w[find symbolize],
        "Psych::Parser" => %w[parse _native_parse handler],
        "Psych::TreeBuilder" => %w[
          start_sequence
          end_sequence
          start_mapping
          end_mapping
          start_document
          end_document
          scalar
          alias
          push
          pop
          set_location
          set_start_location
        ],
        "Psych::Handlers::DocumentStream" => %w[start_document end_document],
        "Psych::Handler" => %w[streaming? event_location],
        "Psych::Nodes::Scalar" => %w[value tag anchor quoted class children],
        "Psych::Nodes::Mapping" => %w[children tag anchor class],
        "Psych::Nodes::Sequence" => %w[children tag anchor class],
        "Psych::Nodes::Document" => %w[root children implicit_end= to_ruby class],
        "Psych::Nodes::Alias" => %w[anchor tag class],
        "Psych::Nodes::Node" => %w[children tag to_ruby start_line= each],
        "Psych.singleton_class" => %w[
          load
          safe_load
          unsafe_load
          parse
          parse_stream
          load_file
          unsafe_load_file
          safe_load_file
        ],
        "Psych::Nodes::Scalar.singleton_class" => %w[new name allocate ===],
        "Psych::Visitors::ToRuby.singleton_class" => %w[new create],
        "Psych::Parser.singleton_class" => %w[new],
        "Psych::ClassLoader::Restricted.singleton_class" => %w[new],
        "Psych::ScalarScanner.singleton_class" => %w[new]
      }.freeze

      # Puts something in the place of a method, in one of the ways in which Ruby can.
      def change_of_psych
        owner = pick(PSYCH.keys)
        name, other = pick(PSYCH[owner]), pick(PSYCH[owner])
        change =
          pick(
            [
              "#{owner}.alias_method(:#{name}, :#{other})",
              "#{owner}.alias_method(:#{name}, :inspect)",
              "#{owner}.class_eval { define_method(:#{name}, instance_method(:#{other})) }",
              "#{owner}.define_method(:#{name}, Kernel.instance_method(:#{pick(%w[itself then instance_variable_set inspect])}))",
              "#{owner}.prepend(Module.new { def #{name}(...) = super })",
              "#{owner}.prepend(Module.new { def #{name}(...) = (say :#{name}; super) })",
              "#{owner}.class_eval { def #{name}(...) = (say :mine; super) }",
              "#{owner}.class_eval { def #{name}(*) = 'mine' }",
              "#{owner}.undef_method(:#{name})",
              "#{owner}.remove_method(:#{name})",
              "#{owner}.define_method(:#{name}, &:#{other})",
              "#{owner}.class_eval { old = instance_method(:#{name}); define_method(:#{name}) { |*a, **k, &b| say :old; old.bind_call(self, *a, **k, &b) } }",
              "#{owner}.send(:private, :#{name})",
              "#{owner}.class_eval('def #{name}(*) = :text', Psych.method(:load_file).source_location[0], 1)",
              "#{owner}.include(Module.new { def #{name}(*) = 'included' })",
              "#{owner}.instance_variable_set(:@harmless, 1)",
              "#{owner}.class_eval { alias harmless #{name} }",
              "Module.new { refine(#{owner}) { def #{name}(*) = 'refined' } }",
              "#{owner}.class_eval { def harmless = 1 }"
            ]
          )
        return change unless chance(20) && !owner.include?("singleton")

        *scope, last = owner.split("::")
        "old = #{scope.join("::")}.send(:remove_const, :#{last}); #{scope.join("::")}.const_set(:#{last}, #{pick(["Class.new(old)", "old.dup", "old.clone", "old", "Class.new(old) { def self.name = '#{owner}' }"])})"
      end

      def make_documents(_)
        load_all =
          "require 'psych'; Dir[\"#{full("documents/*.yml")}\"].sort.each { |path| #{pick(["%i[load_file unsafe_load_file safe_load_file]", "%i[load_file]", "%i[unsafe_load_file]"])}.each { |name| say File.basename(path), name, begin; Psych.send(name, path#{pick(["", "", ", symbolize_names: true", ", aliases: true", ", freeze: true"])}); rescue Exception; $!.class; end } }"
        change = -> { "require 'psych'; begin; #{change_of_psych}; rescue NameError, TypeError; say $!.class; end" }
        pick(
          [
            load_all,
            load_all,
            change.call,
            "#{change.call}\n#{load_all}",
            "#{load_all}\n#{change.call}\n#{load_all}",
            "#{change.call} if Trace::TURN == #{number(2)}\n#{load_all}".tap do |text|
              @turns = true if text.include?("TURN")
            end,
            "File.write(\"#{full("d.yml")}\", \"a: 1\\nb: [x, :y, 2.5, ~]\\n\"); require 'yaml'; say((YAML.load_file(\"#{full("d.yml")}\", permitted_classes: [Symbol]) rescue $!.class), (YAML.load_file(\"#{full("d.yml")}\", permitted_classes: [Symbol], symbolize_names: true) rescue $!.class))",
            "require 'yaml'; say((YAML.load_file(\"#{full(target)}\").class rescue $!.class))"
          ]
        )
      end

      # Statements that run in only one of two turns of the program: what one turn records is used in the other.
      def make_turn(depth)
        @turns = true
        block("if Trace::TURN == #{number(2)}", depth)
      end

      # What is autoloaded in an undisturbed boot is autoloaded in a boot in which something has been changed before.
      def make_later(depth)
        @turns = true
        path = pick(@paths)
        constant = constant_of(path)
        change = chance(35) ? "$LOADED_FEATURES.freeze" : send(:"make_#{pick(DISTURBING)}", depth)
        change = statement(change) unless change.is_a?(Statement)
        owner, _, name = constant.rpartition("::")
        register = "#{owner.empty? ? "Object" : "(#{owner} rescue Object)"}.autoload(:#{name}, \"#{full(path)}\")"
        Statement.new(
          "if true",
          [
            statement(register),
            Statement.new("if Trace::TURN == #{number(2)}", [change], "end"),
            statement("say #{constant}"),
            statement("say #{constant}")
          ].first(3 + number(2)),
          "end"
        )
      end
    end
  end
end
