# frozen_string_literal: true

module Warmstart
  module Bundle
    class Watch
      # Reads the instructions of each script that is compiled while a Gemfile or a gemspec is evaluated, and judges all
      # that are not calls (calls.rb judges these when they are made). An instruction is allowed if it is known to
      # depend only on literals, local variables and constants that every process has. Any other is a refusal, and so is
      # one that only a later Ruby has. RubyVM::InstructionSequence#to_a needs no parser, and shows what Ruby executes.
      # @api private
      class Code
        # Instructions that work on the stack, on literals and on local variables, and those that call methods, which
        # calls.rb judges.
        # rubocop:disable Naming/VariableNumber
        PLAIN =
          %i[
            adjuststack
            anytostring
            branchif
            branchnil
            branchunless
            checkkeyword
            checkmatch
            checktype
            concatarray
            concatstrings
            concattoarray
            dup
            duparray
            dupchilledstring
            duphash
            dupn
            dupstring
            expandarray
            getblockparam
            getblockparamproxy
            getlocal
            getlocal_WC_0
            getlocal_WC_1
            getspecial
            intern
            invokeblock
            jump
            leave
            newarray
            newarraykwsplat
            newhash
            newrange
            nop
            objtostring
            once
            opt_and
            opt_aref
            opt_aref_with
            opt_ary_freeze
            opt_aset
            opt_aset_with
            opt_case_dispatch
            opt_div
            opt_duparray_send
            opt_empty_p
            opt_eq
            opt_ge
            opt_getconstant_path
            opt_getinlinecache
            opt_gt
            opt_hash_freeze
            opt_le
            opt_length
            opt_lt
            opt_ltlt
            opt_minus
            opt_mod
            opt_mult
            opt_neq
            opt_new
            opt_newarray_max
            opt_newarray_min
            opt_nil_p
            opt_not
            opt_or
            opt_plus
            opt_regexpmatch2
            opt_reverse
            opt_send_without_block
            opt_setinlinecache
            opt_size
            opt_str_freeze
            opt_str_uminus
            opt_succ
            pop
            pushtoarray
            pushtoarraykwsplat
            putchilledstring
            putnil
            putobject
            putobject_INT2FIX_0_
            putobject_INT2FIX_1_
            putself
            putspecialobject
            putstring
            send
            setblockparam
            setlocal
            setlocal_WC_0
            setlocal_WC_1
            setn
            setspecial
            splatarray
            splatkw
            swap
            throw
            topn
            toregexp
          ].to_h { |name| [name, true] }.freeze
        # rubocop:enable Naming/VariableNumber

        # The position of the inner instructions (of a block, a method or a module) in an instruction.
        INNER = { send: 2, once: 1, defineclass: 2, definemethod: 2, definesmethod: 2 }.freeze
        LOCALS = %i[getlocal setlocal getblockparam getblockparamproxy setblockparam].freeze
        # Array#max, #min and #include? of an Array literal, by name, or by number from Ruby 3.4 on. (Other numbers are
        # #hash and #pack.)
        ARRAY_METHODS = [:max, :min, :include?, 1, 2, 6].freeze
        # The flag of a call without receiver and arguments. If there were a local variable of that name, the same
        # source would read the variable (VM_CALL_VCALL of Ruby's vm_callinfo.h).
        BARE = 0x8

        # Classes and modules that every process has. What is called on them is observed.
        MODULES =
          %w[
            ENV
            File
            Dir
            IO
            FileTest
            Pathname
            Kernel
            Gem
            Gem::Specification
            Gem::Version
            Gem::Requirement
            Gem::Dependency
            Gem::Platform
            Bundler
            String
            Symbol
            Array
            Hash
            Integer
            Float
            Range
            Regexp
            NilClass
            TrueClass
            FalseClass
            Comparable
            Enumerable
            Exception
            StandardError
            ScriptError
            ArgumentError
            RuntimeError
            LoadError
            NameError
            NoMethodError
            KeyError
            TypeError
            IOError
            SystemCallError
            Errno::ENOENT
            File::SEPARATOR
            File::Separator
            File::ALT_SEPARATOR
            File::PATH_SEPARATOR
            File::NULL
            IO::NULL
            File::FNM_DOTMATCH
            File::FNM_EXTGLOB
            File::FNM_PATHNAME
            File::FNM_CASEFOLD
          ].to_h { |name| [name, true] }.freeze
        # Constants with plain values that a program could have set before: the record contains their values.
        VALUES =
          %w[
            RUBY_VERSION
            RUBY_ENGINE
            RUBY_ENGINE_VERSION
            RUBY_PLATFORM
            RUBY_PATCHLEVEL
            RUBY_RELEASE_DATE
            RUBY_DESCRIPTION
            Gem::VERSION
            Gem::Platform::RUBY
            Gem::Platform::CURRENT
            Bundler::VERSION
            RbConfig::CONFIG
          ].to_h { |name| [name, true] }.freeze

        # Instructions that put a literal String on the stack. (Ruby 4.1 has two of them under new names.)
        STRINGS = %i[putstring putchilledstring dupstring dupchilledstring putobject].freeze

        # Methods that Ruby performs without a call for plain values, as long as nobody has redefined them.
        OPERATORS = {
          opt_plus: :+,
          opt_minus: :-,
          opt_mult: :*,
          opt_div: :/,
          opt_mod: :%,
          opt_eq: :==,
          opt_neq: :!=,
          opt_lt: :<,
          opt_le: :<=,
          opt_gt: :>,
          opt_ge: :>=,
          opt_ltlt: :<<,
          opt_and: :&,
          opt_or: :|,
          opt_aref: :[],
          opt_aref_with: :[],
          opt_aset: :[]=,
          opt_aset_with: :[]=,
          opt_length: :length,
          opt_size: :size,
          opt_empty_p: :empty?,
          opt_succ: :succ,
          opt_not: :!,
          opt_nil_p: :nil?,
          opt_regexpmatch2: :=~,
          opt_reverse: :reverse,
          opt_str_freeze: :freeze,
          opt_ary_freeze: :freeze,
          opt_hash_freeze: :freeze,
          opt_str_uminus: :-@,
          opt_newarray_max: :max,
          opt_newarray_min: :min,
          opt_duparray_send: :include?,
          objtostring: :to_s,
          checkmatch: :===,
          opt_case_dispatch: :===
        }.freeze

        # operators: names of such methods that were used. locals: names that would mean something else in a gemspec if
        # the main script had local variables of these names.
        attr_reader :locals, :operators

        # @param watch [Watch] is told of refusals
        def initialize(watch)
          @watch = watch
          @paths = {}
          @made = {}
          @used = []
          @required = {}
          @locals = {}
          @operators = []
        end

        # Whether the instructions of this file (or eval) were read.
        def read?(path) = @paths.key?(path)

        # @param kind [Symbol] :gemfile, :gemspec, or :file for one that these require
        def read(iseq, kind)
          @paths[iseq.path] = kind
          @kind = kind
          walk(iseq.to_a, 0, [])
        end

        # Somebody requires this file. Its instructions have to be among those that were read: if it was loaded before,
        # nobody knows what it has defined.
        def require(path, place)
          @required[path] ||= place
        end

        # Called at the end.
        # @param before [Array<Symbol>] top-level constants that were there already
        # @return [String, nil] a refusal
        def problem(before)
          path, place = @required.find { |name, _| !@paths.key?(name) && !@paths.key?("#{name}.rb") }
          return "#{place} requires #{path}, which was loaded before" if path

          name = constants.find { |constant| before.include?(constant.to_sym) }
          return "the constant #{name}, which a required file makes, was there before" if name

          place, _, names = @used.find { |_, around, used| !known?(around, used) }
          "#{place}: the constant #{names.join("::")}" if place
        end

        # The first names of the constants that were defined by files that the Gemfile or a gemspec required. A record
        # is valid only in a process that has not defined them before.
        def constants = @made.keys.flat_map { |name| name.split("::") }.uniq

        # @return [Hash{String => String}] digests of the plain values that are read, by name
        def values
          @used
            .map { |_, _, names| names.join("::") }
            .uniq
            .select { |name| VALUES.key?(name) }
            .to_h { |name| [name, Record.value(name)] }
        end

        private

        # scope: names of the modules around, outermost first; depth: how many of the blocks around belong to the same
        # method or script.
        def walk(script, depth, scope)
          outer = @place
          @place = [script[6], script[8]]
          note_locals(script) if @kind == :gemspec
          script[12].each { |_, inner| walk(inner, depth + 1, scope) if inner }
          previous = []
          script[13].each do |element|
            @place[1] = element if element.is_a?(Integer)
            next unless element.is_a?(Array)

            judge(element, previous, depth, scope)
            previous = [element, *previous.first(2)]
          end
          use_chain(scope)
          @place = outer
        end

        def judge(instruction, previous, depth, scope)
          name = instruction.first
          name = name.name.delete_suffix("_without_ints").to_sym if name.end_with?("_without_ints")
          @operators |= [OPERATORS[name]] if OPERATORS.key?(name)
          return special(name, instruction, previous, scope, depth) unless PLAIN.key?(name)

          outer_local(instruction, depth) if @kind == :gemspec
          call(instruction[1], previous) if instruction[1].is_a?(Hash) && instruction[1].key?(:mid)
          case name
          when :opt_getconstant_path
            use(instruction[1].select { |constant| constant.match?(/\A[[:upper:]]/) }, scope)
          when :opt_getinlinecache
            @chain = []
          when :opt_setinlinecache
            use_chain(scope)
          end
          inner = INNER[name] && instruction[INNER[name]]
          walk(inner, depth + 1, scope) if inner.is_a?(Array)
        end

        def special(name, instruction, previous, scope, depth)
          case name
          when :getconstant
            @chain ? @chain << instruction[1] : refuse("a constant of a value, #{instruction[1]}")
          when :opt_newarray_send
            array_method(instruction.last)
          when :getinstancevariable, :setinstancevariable
            @kind == :gemfile || scope.any? || refuse("the variable #{instruction[1]}")
          when :setconstant
            make(instruction[1], previous, scope)
          when :defineclass
            define_module(instruction, previous, scope)
          when :definemethod, :definesmethod
            define_method(instruction, previous, scope)
          when :getglobal, :setglobal
            refuse("the global variable #{instruction[1]}")
          when :defined, :definedivar
            refuse("defined?")
          else
            refuse("the instruction #{name}, depth #{depth}")
          end
        end

        def array_method(name)
          @operators |= %i[max min include?]
          refuse("Array##{name}") unless ARRAY_METHODS.include?(name)
        end

        # ---- local variables ----

        # A gemspec is evaluated in the scope of the main script, so it can use that script's local variables.
        def outer_local(instruction, depth)
          name = instruction.first
          level =
            if name.end_with?("_WC_1")
              1
            else
              name.end_with?("_WC_0") ? 0 : (LOCALS.include?(name) ? instruction[2] : 0)
            end
          refuse("a local variable of the program") if level > depth
        end

        def note_locals(script)
          script[10].drop(script[4].fetch(:arg_size)).grep(Symbol).each { |name| @locals[name] = true }
        end

        def call(information, previous)
          name = information[:mid]
          return refuse(name) if name && name.start_with?("core#") && !name.match?(/\Acore#(?:lambda|hash_merge_\w+)\z/)

          @locals[name] = true if @kind == :gemspec && information[:flag].anybits?(BARE)
          require_relative_of(previous.first) if name == :require_relative
        end

        def require_relative_of(argument)
          unless argument && STRINGS.include?(argument.first) && argument[1].is_a?(String)
            return refuse("require_relative of a computed name")
          end

          require(File.expand_path(argument[1], File.dirname(@place.first)), place)
        end

        # ---- constants ----

        def use(names, scope)
          @used << [place, scope, names] unless names.empty?
        end

        def use_chain(scope)
          use(@chain, scope) if @chain
          @chain = nil
        end

        def known?(scope, names)
          path = names.join("::")
          return true if MODULES.key?(path) || VALUES.key?(path)

          (0..scope.size).any? { |count| @made.key?([*scope.first(count), *names].join("::")) }
        end

        # `putspecialobject 3` is the module (or script) that is being defined.
        def make(name, previous, scope)
          return refuse("a constant is made, #{name}") unless @kind == :file && previous.first == [:putspecialobject, 3]

          @made[[*scope, name].join("::")] = true
        end

        # flags: 0 a class, 1 a singleton class, 2 a module; other values: with a superclass, or within a computed
        # module.
        def define_module(instruction, previous, scope)
          _, name, inner, flags = instruction
          return refuse("a module or class is defined, #{name}") unless @kind == :file && previous.first == [:putnil]

          if flags == 1
            return refuse("a singleton class") unless scope.any? && previous[1] == [:putself]
          else
            unless [0, 2].include?(flags) && previous[1] == [:putspecialobject, 3]
              return refuse("a class with a superclass, or within another, #{name}")
            end

            scope += [name]
            @made[scope.join("::")] = true
          end
          walk(inner, 0, scope)
        end

        def define_method(instruction, previous, scope)
          unless @kind == :gemfile || (@kind == :file && scope.any?)
            return refuse("a method is defined, #{instruction[1]}")
          end
          unless instruction.first == :definemethod || previous.first == [:putself]
            return refuse("a method of a value, #{instruction[1]}")
          end

          walk(instruction[2], 0, scope)
        end

        def place = @place.join(":")

        def refuse(what)
          @watch.refuse("#{place}: #{what}")
        end
      end
    end
  end
end
