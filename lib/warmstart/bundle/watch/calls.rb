# frozen_string_literal: true

require_relative "code"

module Warmstart
  module Bundle
    class Watch
      # Sees each script that is compiled and each method that is called while a Gemfile or a gemspec is evaluated.
      # code.rb judges what a script does besides calling methods. A call is allowed if its result depends only on its
      # arguments, on what the hooks observe, or on what the situation names. Any other call (the time, a random number,
      # output, a socket, somebody's own version of a method) is a refusal. All lists name what is allowed, so that a
      # method of a later Ruby is refused until it is known.
      # @api private
      class Calls
        # Frames of the watch itself, between the called method and its caller.
        OURS = [File.expand_path("..", __dir__), File.join(FOLDER, "native.rb")].freeze

        # Classes of plain values, and the methods of theirs whose result depends only on the receiver and the
        # arguments. (Not in the list: hash, object_id, sample, shuffle, pack, unpack, and to_s and inspect of what
        # shows an address.)
        PLAIN = [
          String,
          Symbol,
          Array,
          Hash,
          Integer,
          Float,
          Numeric,
          Rational,
          Range,
          Regexp,
          MatchData,
          NilClass,
          TrueClass,
          FalseClass,
          Comparable,
          Enumerable,
          Enumerator
        ].freeze
        VALUE =
          %i[
            !
            !=
            !~
            %
            &
            *
            **
            +
            +@
            -
            -@
            /
            <
            <<
            <=
            <=>
            ==
            ===
            =~
            >
            >=
            []
            []=
            ^
            |
            ~
            abs
            all?
            any?
            append
            assoc
            at
            b
            between?
            bytes
            bytesize
            bytesplice
            capitalize
            capitalize!
            captures
            casecmp
            casecmp?
            ceil
            center
            chars
            chomp
            chomp!
            chop
            chop!
            chr
            chunk_while
            clamp
            clear
            codepoints
            coerce
            collect
            collect!
            collect_concat
            combination
            compact
            compact!
            compare_by_identity
            concat
            count
            cover?
            cycle
            deconstruct
            deconstruct_keys
            default
            delete
            delete!
            delete_at
            delete_if
            delete_prefix
            delete_prefix!
            delete_suffix
            delete_suffix!
            detect
            difference
            dig
            div
            divmod
            downcase
            downcase!
            downto
            drop
            drop_while
            dump
            dup
            each
            each_char
            each_cons
            each_entry
            each_index
            each_key
            each_line
            each_pair
            each_slice
            each_value
            each_with_index
            each_with_object
            empty?
            encoding
            end
            end_with?
            entries
            eql?
            escape
            even?
            except
            exclude_end?
            fdiv
            fetch
            fetch_values
            fill
            filter
            filter!
            filter_map
            find
            find_all
            find_index
            first
            flat_map
            flatten
            flatten!
            floor
            force_encoding
            freeze
            frozen?
            getbyte
            grep
            grep_v
            group_by
            gsub
            gsub!
            has_key?
            has_value?
            hex
            include?
            index
            initialize
            initialize_copy
            initialize_dup
            initialize_clone
            inject
            insert
            inspect
            intern
            intersect?
            intersection
            invert
            itself
            join
            keep_if
            key
            key?
            keys
            last
            last_match
            lazy
            length
            lines
            ljust
            lstrip
            lstrip!
            map
            map!
            match
            match?
            max
            max_by
            member?
            merge
            merge!
            min
            min_by
            minmax
            modulo
            named_captures
            names
            negative?
            new
            next
            nil?
            none?
            nonzero?
            oct
            odd?
            one?
            ord
            partition
            permutation
            pop
            positive?
            post_match
            pow
            pred
            pre_match
            prepend
            product
            push
            quote
            reduce
            reject
            reject!
            remainder
            replace
            reverse
            reverse!
            reverse_each
            rewind
            rindex
            rjust
            rotate
            rotate!
            round
            rpartition
            rstrip
            rstrip!
            scan
            select
            select!
            shift
            size
            slice
            slice!
            slice_when
            sort
            sort!
            sort_by
            sort_by!
            source
            split
            squeeze
            squeeze!
            start_with?
            step
            store
            strip
            strip!
            sub
            sub!
            succ
            sum
            swapcase
            swapcase!
            take
            take_while
            tally
            then
            times
            to_a
            to_ary
            to_c
            to_f
            to_h
            to_hash
            to_i
            to_int
            to_proc
            to_r
            to_s
            to_set
            to_str
            to_sym
            tr
            tr!
            tr_s
            transform_keys
            transform_keys!
            transform_values
            transform_values!
            transpose
            truncate
            try_convert
            undump
            unicode_normalize
            union
            uniq
            uniq!
            unshift
            upcase
            upcase!
            update
            upto
            valid_encoding?
            value?
            values
            values_at
            with_index
            with_object
            zero?
            zip
          ].to_h { |name| [name, true] }.freeze

        # Objects whose singleton methods are called.
        SINGLE = [File, Dir, IO, FileTest, ENV].freeze
        OWN = {
          "File." => File.singleton_class,
          "Dir." => Dir.singleton_class,
          "IO." => IO.singleton_class,
          "FileTest." => FileTest.singleton_class,
          "ENV." => ENV.singleton_class
        }.freeze

        KERNEL = %i[
          is_a?
          kind_of?
          instance_of?
          nil?
          respond_to_missing?
          send
          public_send
          __send__
          class
          dup
          clone
          initialize_dup
          initialize_clone
          initialize_copy
          freeze
          frozen?
          tap
          then
          yield_self
          ===
          ==
          !=
          !
          !~
          =~
          <=>
          eql?
          format
          sprintf
          String
          Array
          Integer
          Float
          Hash
          Rational
          raise
          fail
          catch
          throw
          loop
          lambda
          proc
          block_given?
          binding
          eval
          require
          require_relative
          __method__
          __dir__
          itself
          Pathname
        ].freeze
        BASIC = %i[initialize ! != == equal? instance_eval instance_exec __send__ method_missing].freeze
        MODULE = %i[
          ===
          ==
          attr_reader
          attr_writer
          attr_accessor
          public
          private
          protected
          module_function
          private_constant
          private_class_method
          public_class_method
          freeze
          extend_object
          append_features
          allocate
          new
          initialize
        ].freeze
        # Methods that Ruby itself calls when something is defined.
        CALLBACKS = %i[method_added singleton_method_added inherited included extended const_added].freeze
        ERROR = %i[new initialize exception === == set_backtrace].freeze
        # Ruby itself asks an error that is about to be raised whether it has one (eval.c: setup_exception), and is
        # answered nil. Whoever asks later sees his callers in it.
        BACKTRACE = ::Exception.instance_method(:backtrace)
        CODE = %i[call () yield === to_proc lambda? arity].freeze
        FILE = %i[
          basename
          dirname
          extname
          join
          split
          expand_path
          absolute_path
          absolute_path?
          fnmatch
          fnmatch?
          path
        ].freeze
        READING = %i[
          read
          gets
          each_line
          readlines
          readline
          each
          close
          closed?
          eof?
          eof
          set_encoding
          external_encoding
          internal_encoding
          binmode
          rewind
          pos
          path
          to_path
          initialize
        ].freeze
        FOLDER = %i[
          chdir
          pwd
          getwd
          home
          each
          children
          entries
          each_child
          close
          read
          path
          to_path
          initialize
          glob
          []
          exist?
        ].freeze
        VARIABLES = %i[inspect to_s class].freeze
        PATHNAME = %i[
          new
          initialize
          join
          +
          /
          parent
          dirname
          basename
          extname
          expand_path
          to_s
          to_path
          to_str
          exist?
          file?
          directory?
          read
          readlines
          children
          entries
          relative?
          absolute?
          root?
          cleanpath
          relative_path_from
          sub
          sub_ext
          each_filename
          glob
          realpath
          ==
          ===
          eql?
          <=>
          freeze
          plus
          chop_basename
        ].freeze
        # Warmstart's own require calls methods of these on behalf of the file that requires.
        LOADER =
          [Method, RubyVM, RubyVM::InstructionSequence, Warning, TracePoint].flat_map do |owner|
              [owner, owner.singleton_class]
            end
            .freeze

        # Methods of RubyGems and Bundler that a Gemfile or a gemspec may call.
        DSL = %i[
          source
          gem
          git_source
          ruby
          group
          platforms
          platform
          path
          git
          github
          gist
          gemspec
          env
          install_if
          eval_gemfile
          lockfile
          method_missing
        ].freeze
        SPECIFICATION = %i[
          initialize
          add_dependency
          add_runtime_dependency
          add_development_dependency
          name
          version
          files
          test_files
          executables
          extensions
          require_paths
          metadata
          summary
          description
          homepage
          author
          authors
          email
          license
          licenses
          bindir
          platform
          full_name
          extra_rdoc_files
          rdoc_options
          required_ruby_version
          required_rubygems_version
          method_missing
          respond_to_missing?
        ].freeze
        VERSION = %i[
          initialize
          new
          create
          correct?
          <=>
          ==
          eql?
          bump
          release
          prerelease?
          segments
          to_s
          version
          canonical_segments
          approximate_recommendation
          satisfied_by?
          ===
          =~
          requirements
          as_list
          none?
          exact?
          default
          concat
          os
          cpu
          name
          requirement
          local
        ].freeze
        RUBYGEMS = %i[ruby_version rubygems_version win_platform? java_platform?].freeze
        # Features that are always loaded, so that a require of them changes nothing.
        REQUIRED = %w[rubygems bundler rbconfig].freeze

        REQUIRE = %r{/rubygems/core_ext/kernel_require\.rb>?\z}

        # Output is a refusal: a Gemfile that prints does so in each boot, and a replay would not print.
        OUTPUT = %i[warn write print puts p pp printf putc syswrite << display].to_h { |name| [name, true] }.freeze

        def initialize(watch)
          @watch = watch
          @code = Code.new(watch)
          @kinds = []
          @read = {}
          @brought = {}
          @places = {}
          @called = {}.compare_by_identity
        end

        attr_reader :code

        # The methods of Ruby's that were called. A record is valid only while they are defined in the same places:
        # another program may have replaced them.
        # @return [Array<Array(String, Symbol, String)>] owner ("File." for File's singleton methods), name, and place
        #   of definition
        def used_methods
          @code.operators.each { |name| PLAIN.each { |owner| called(owner, name) } }
          @called.flat_map do |owner, names|
            module_name = OWN.key(owner) || owner.name
            names.keys.filter_map do |name|
              if owner.method_defined?(name) || owner.private_method_defined?(name)
                [module_name, name, Record.definition(module_name, name)]
              end
            end
          end
        end

        # Observes while the block runs. May be nested (a Gemfile that has a gemspec).
        # @param kind [Symbol] :gemfile or :gemspec
        def watch(kind)
          @watch.attempt { @kinds.push(kind) }
          return yield if @trace

          begin
            @watch.attempt do
              @loaded = $LOADED_FEATURES.size
              (@trace = trace).enable(target_thread: Thread.current)
            end
            yield
          ensure
            @watch.attempt { forget }
            @watch.attempt { forget } # (again, as in Watch#run)
            @watch.attempt { compare_features }
          end
        ensure
          @watch.attempt { @kinds.pop }
        end

        private

        def forget
          @trace&.disable
          @trace = nil
        end

        # No file may have been loaded without being seen. (Outside of these windows Bundler and RubyGems load what they
        # need.)
        def compare_features
          path =
            $LOADED_FEATURES
              .drop(@loaded || 0)
              .find do |feature|
                feature.end_with?(".rb") && place(feature) == :user && !@brought.key?(feature) && !@code.read?(feature)
              end
          @watch.refuse("#{path} was loaded unseen") if path
        end

        def trace
          @lists = lists
          TracePoint.new(:c_call, :call, :script_compiled) do |call|
            next unless @watch.watching? && !@watch.refusal

            case call.event
            when :script_compiled
              @watch.note { compiled(call) }
            when :c_call
              c_call(call)
            else
              ruby_call(call)
            end
          end
        end

        # ---- scripts ----

        # Called for each script that is compiled. An evaluated script has the kind of the code that evaluates it; a
        # loaded file has the kind :file. A script that Ruby's, Bundler's or RubyGems' own code evaluates or requires
        # for itself is not judged.
        def compiled(call)
          iseq = call.instruction_sequence
          by_user = @code.read?(call.eval_script ? call.path : requirer)
          return call.eval_script || (@brought[iseq.path] = true) unless by_user ||
            (call.eval_script && place(iseq.path) == :user)
          return @watch.refuse("#{iseq.path} is required, or evaluated in its name") unless place(iseq.path) == :user

          kind = call.eval_script ? @read.fetch(call.path, @kinds.last) : :file
          @read[iseq.path] ||= kind
          @watch.refuse("#{iseq.path} is evaluated in two ways") unless @read[iseq.path] == kind
          @code.read(iseq, kind)
        end

        # The file that requires the one that is loaded now. (RubyGems' require stands between the two.)
        def requirer
          caller_locations
            .map(&:path)
            .find { |path| !%i[ours internal].include?(place(path)) && !path.match?(REQUIRE) } || ""
        end

        # ---- calls ----

        def c_call(call)
          path = call.path
          return if path.nil?
          return @watch.refuse("#{path}:#{call.lineno} prints or warns") if OUTPUT.key?(call.method_id) && prints?(call)
          return unless @code.read?(path)

          passed, @watch.passed = @watch.passed, nil
          return hooked(call) if passed == [call.defined_class, call.method_id]

          @watch.note { check(call, path, call.lineno) }
        end

        def prints?(call)
          object = call.self
          ::Warning.equal?(object) || $stdout.equal?(object) || $stderr.equal?(object) ||
            Kernel.equal?(call.defined_class)
        end

        # A method that is written in Ruby was called. (Most calls are Bundler's own: these return after one look at the
        # caller.)
        def ruby_call(call)
          whose = place(call.path)
          return if whose == :ours
          return if whose == :user && @code.read?(call.path)

          caller = caller_locations(3, 1)&.first&.path
          # (most calls end here)
          return if whose != :user && caller && %i[trusted library].include?(place(caller))

          @watch.note { ruby_call_of(call, whose) }
        end

        # A hook has noted the call, and passes it on to Ruby's method.
        def hooked(call)
          @watch.note { called(call.defined_class, call.method_id) } if OWN.value?(call.defined_class)
        end

        def ruby_call_of(call, whose)
          frames = caller_locations.drop_while { |location| place(location.path) == :ours }.drop(1)
          caller = frames.find { |location| !%i[ours internal].include?(place(location.path)) }
          by_user = caller && @code.read?(caller.path)
          if whose == :user && (by_user || @lists.key?(call.defined_class))
            return @watch.refuse("#{call.path} has a method of its own, #{describe(call)}")
          end
          return unless by_user
          if call.method_id == :require && Kernel.equal?(call.defined_class) && whose == :trusted
            return note_require(call, caller)
          end

          check(call, caller.path, caller.lineno)
        end

        # RubyGems' Kernel#require was called: notes with which path.
        def note_require(call, caller)
          path = call.binding.local_variable_get(call.parameters.first.last)
          return if REQUIRED.include?(path)
          if path.instance_of?(String) && File.absolute_path?(path)
            return @code.require(path, "#{caller.path}:#{caller.lineno}")
          end

          @watch.refuse("#{caller.path}:#{caller.lineno} requires #{path.inspect[0, 60]} by name")
        end

        def check(call, path, line)
          unless known?(call.defined_class, call.method_id, call.self)
            return @watch.refuse("#{path}:#{line} calls #{describe(call)}, which cannot be watched")
          end

          called(receiver(call), call.method_id)
          # (a program may have made an alias under the name that is called)
          called(receiver(call), call.callee_id) unless call.callee_id == call.method_id
        end

        # The class in which Ruby looks first for the method, if it is one of the plain classes.
        def receiver(call)
          object = call.self
          return object.singleton_class if SINGLE.any? { |owner| owner.equal?(object) }

          own = Kernel.instance_method(:class).bind_call(object)
          PLAIN.include?(own) ? own : call.defined_class
        end

        def called(owner, name)
          unless PLAIN.include?(owner) || [Kernel, BasicObject, Module, Class, Proc].include?(owner) ||
                   OWN.value?(owner)
            return
          end
          return if name.start_with?("require") # (Bundler's setup wraps it)

          (@called[owner] ||= {})[name] = true
        end

        def describe(call)
          object = call.self
          return "ENV.#{call.method_id}" if object.equal?(ENV)

          object.is_a?(Module) ? "#{object}.#{call.method_id}" : "#{call.defined_class}##{call.method_id}"
        end

        # @return [Symbol] whose file it is: :ours, :trusted (Bundler's, RubyGems'), :internal (in Ruby itself),
        #   :library (Ruby's library) or :user
        def place(path)
          @places[path] ||= if path.start_with?(*OURS)
            :ours
          elsif @watch.trusted?(path)
            :trusted
          elsif path.start_with?("<internal:")
            :internal
          else
            path.start_with?(*Situation::LIBRARIES) ? :library : :user
          end
        end

        # ---- what is known ----

        def known?(owner, name, object)
          return ::Gem::Specification === object if name == :respond_to?
          return true if CALLBACKS.include?(name)
          return BACKTRACE.bind_call(object).nil? if name == :backtrace && ::Exception === object

          list = @lists[owner]
          return list.include?(name) && !unknown_object?(name, object) if list
          return true if LOADER.include?(owner)
          if owner == ::Gem::Specification || owner == ::Gem::BasicSpecification
            return name.end_with?("=") || SPECIFICATION.include?(name)
          end
          if owner <= Exception || (owner.singleton_class? && object.is_a?(Class) && object <= Exception)
            return ERROR.include?(name)
          end

          attribute?(owner, name)
        end

        # Streams that were open before, and the program's arguments.
        def unknown_object?(name, object)
          return true if object.equal?(ARGV) || object.equal?($stdin)

          name != :initialize && object.is_a?(IO) && !object.closed? && object.fileno <= 2
        end

        # Whether it is a method of what the observed files define.
        def attribute?(owner, name)
          return false unless owner.method_defined?(name) || owner.private_method_defined?(name)

          path, = owner.instance_method(name).source_location
          path && @code.read?(path)
        end

        # @return [Hash{Module => Array<Symbol>, Hash}] methods by owner
        def lists
          table = {}.compare_by_identity
          PLAIN.each { |owner| table[owner] = table[owner.singleton_class] = VALUE }
          [Kernel, Kernel.singleton_class].each { |owner| table[owner] = KERNEL }
          table[BasicObject] = BASIC
          [Module, Class].each { |owner| table[owner] = MODULE }
          [Proc, Proc.singleton_class].each { |owner| table[owner] = CODE }
          table[Exception] = table[Exception.singleton_class] = ERROR
          table[ENV.singleton_class] = VARIABLES
          files(table)
          rubygems(table)
          table
        end

        def files(table)
          [File, IO, FileTest].each { |owner| table[owner.singleton_class] = FILE }
          [IO, File].each { |owner| table[owner] = READING }
          [Dir, Dir.singleton_class].each { |owner| table[owner] = FOLDER }
          table[Pathname] = table[Pathname.singleton_class] = PATHNAME
        end

        def rubygems(table)
          table[::Bundler::Dsl] = DSL
          table[::Bundler::RubyDsl] = DSL
          table[::Bundler.singleton_class] = %i[root]
          table[::Gem.singleton_class] = RUBYGEMS
          table[::Gem::Specification.singleton_class] = %i[new]
          [::Gem::Version, ::Gem::Requirement, ::Gem::Dependency, ::Gem::Platform].each do |owner|
            table[owner] = table[owner.singleton_class] = VERSION
          end
        end
      end
    end
  end
end
