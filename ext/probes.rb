# frozen_string_literal: true

require "fileutils"

# The extension relies on some behaviour of Ruby that its manual does not promise. The probes try it out when the
# extension is built, on the Ruby that it is built for. What does not behave as expected is left out of the extension
# (ext/warmstart/extconf.rb).
module Probes
  # Constants of the format of compiled code, as ext/warmstart/ruby/private/iseq_symbols.c reads it: struct ibf_header up
  # to its lists, and the first byte of an object.
  HEADER = "a4L8"
  TYPE_AND_SPECIAL = 0x3f
  SPECIAL_NIL = 0x31
  T_SYMBOL = 0x14

  # A program that embeds a Ruby of its own, because a wrong assumption may crash the process. It writes the names of
  # what holds, one a line. The dangerous probes come last.
  C_ANSWERS = "probed_in_c.txt"
  C_NAMES = %i[mesg frames jumps direct].freeze
  C_PROGRAM = <<~'C'
    #include <stdio.h>
    #include <string.h>
    #include <ruby.h>
    #include <ruby/debug.h>

    static FILE *answers;
    static int states[4], frames_fit;

    static void
    answer(const char *name, int holds)
    {
        if (holds) fprintf(answers, "%s\n", name);
        fflush(answers);
    }

    static int
    is_text(VALUE value, const char *text)
    {
        return RB_TYPE_P(value, T_STRING) && strcmp(StringValueCStr(value), text) == 0;
    }

    /* Called by `caller` of a file, and by `evaluated` of none. */
    static VALUE
    look(VALUE self)
    {
        VALUE frames[2];
        int lines[2];
        if (rb_profile_frames(0, 2, frames, lines) != 2) return Qnil;
        VALUE path = rb_profile_frame_absolute_path(frames[1]), name = rb_profile_frame_method_name(frames[1]);
        if (!NIL_P(rb_profile_frame_first_lineno(frames[0])) || !is_text(rb_profile_frame_method_name(frames[0]), "look")) return Qnil;
        if (!is_text(rb_profile_frame_classpath(frames[0]), "Kernel") || NIL_P(rb_profile_frame_first_lineno(frames[1]))) return Qnil;
        frames_fit += is_text(name, "caller") ? is_text(path, "/probe/file.rb") : is_text(name, "evaluated") && NIL_P(path);
        return Qnil;
    }

    static VALUE
    protect(VALUE self, VALUE number)
    {
        int state = 0;
        VALUE value = rb_protect(rb_yield, Qnil, &state);
        states[NUM2INT(number)] = state;
        if (state) rb_jump_tag(state);
        return value;
    }

    #ifdef PROBE_DIRECT
    extern VALUE rb_iseq_eval(const void *iseq, const void *box);
    extern const void *rb_iseqw_to_iseq(VALUE iseq);

    static int
    evaluates(void)
    {
        VALUE iseq = rb_funcall(rb_path2class("RubyVM::InstructionSequence"), rb_intern("compile"), 1, rb_str_new_cstr("[self, 1 + 1].inspect"));
        return is_text(rb_iseq_eval(rb_iseqw_to_iseq(iseq), NULL), "[main, 2]");
    }
    #endif

    int
    main(int argc, char **argv)
    {
        int state = 0;
        answers = fopen("probed_in_c.txt", "w");
        ruby_sysinit(&argc, &argv);
        RUBY_INIT_STACK;
        if (!answers || ruby_setup()) return 1;
        answer("started", 1);
        answer("mesg", is_text(rb_attr_get(rb_exc_new_cstr(rb_eIOError, "text"), rb_intern("mesg")), "text"));

        rb_define_global_function("look", look, 0);
        rb_eval_string_protect("RubyVM::InstructionSequence.compile('def caller = look', '/probe/file.rb', '/probe/file.rb').eval\n"
                               "eval 'def evaluated = look', binding, '/probe/file.rb'\ncaller\nevaluated", &state);
        answer("frames", frames_fit == 2);

        rb_define_global_function("protect", protect, 1);
        rb_eval_string_protect("def returns = protect(0) { return }\nreturns\nprotect(1) { break }\nbegin; protect(2) { raise }; rescue; end\ncatch(1) { protect(3) { throw 1 } }", &state);
        answer("jumps", states[0] == 1 && states[1] == 2 && states[2] == 6 && states[3] == 7);
    #ifdef PROBE_DIRECT
        answer("direct", evaluates());
    #endif
        return 0;
    }
  C

  class << self
    # Runs the C program and returns those of C_NAMES that hold. If the program does not even start (another system's
    # Ruby, a library that is not found), nothing can be tried out. Then all of them are taken to hold if they were once
    # tried on this version of Ruby, and none otherwise.
    # @param direct [Boolean] whether Ruby has the functions that the direct way needs
    # @param tried [Boolean] whether the probes were tried on this version of Ruby
    # @yield [source] compiles and runs a C program
    # @return [Array<Symbol>]
    def in_c(direct:, tried:)
      FileUtils.rm_f(C_ANSWERS)
      yield "#{"#define PROBE_DIRECT\n" if direct}#{C_PROGRAM}"
      answers = File.file?(C_ANSWERS) ? File.readlines(C_ANSWERS, chomp: true).map(&:to_sym) : []
      answers = tried ? C_NAMES : [] unless answers.include?(:started)
      (answers & C_NAMES) - (direct ? [] : [:direct])
    ensure
      FileUtils.rm_f(C_ANSWERS)
    end

    # Does Ruby give the symbol to extensions? Where Ruby has no shared library, mkmf links its programs with Ruby's
    # archive, in which the linker finds what is hidden, too; an extension that needs it cannot be loaded. So one is
    # loaded. (With mkmf's methods, which only exist in an extconf.rb.)
    # @param symbol [String]
    def exported?(symbol)
      # (A Ruby in development loads no extension that does not say for which interface it was built.)
      File.write("conftest.c", <<~C)
        #if __has_include("ruby/internal/abi.h")
        #include "ruby/internal/config.h"
        #include "ruby/internal/dllexport.h"
        #include "ruby/internal/abi.h"
        #endif
        extern char #{symbol};
        __attribute__((visibility("default"))) void *conftest_address = &#{symbol};
        __attribute__((visibility("default"))) void Init_conftest(void) {}
      C
      config = RbConfig::CONFIG.merge("DLDFLAGS" => $DLDFLAGS.to_s)
      library = "conftest.#{config["DLEXT"]}"
      link = "$(LDSHARED) #{MakeMakefile::OUTFLAG}#{library} conftest.#{config["OBJEXT"]} $(DLDFLAGS)"
      commands = [
        cc_command(config["CCDLFLAGS"].to_s),
        RbConfig.expand(link, config),
        [RbConfig.ruby, "--disable-gems", "-e", "require File.expand_path('conftest')"]
      ]
      commands.all? { |command| xsystem(command) }
    ensure
      FileUtils.rm_f(Dir["conftest*"])
    end

    # Does IO.open close a file as ext/warmstart/ruby/documents/documents.c does? It must ask closed?, then call close,
    # and ignore one IOError, which it knows by its message.
    def files_close_as_known?
      calls = []
      file =
        Class.new(File) do
          define_method(:closed?) do
            calls << :closed?
            false
          end
          define_method(:close) do
            calls << :close
            super()
            read
          end
        end
      other =
        Class.new(File) do
          define_method(:close) do
            super()
            raise IOError, "another"
          end
        end
      raised =
        begin
          other.open(File::NULL) { 2 }
        rescue IOError => error
          error.message
        end
      [file.open(File::NULL) { 1 }, calls, raised, text_of_closed] == [1, %i[closed? close], "another", "closed stream"]
    rescue IOError
      false
    end

    # How Ruby tells of a circular require (load_lock, rb_backtrace_each), as ext/warmstart/ruby/require/loading.c does:
    # two files that require one another, in a module, a block, a method and an evaluated text. The known forms differ
    # in the opening quote and in the name of a text's frame.
    CIRCULAR = { 1 => %w[` m], 2 => %w[' <compiled>] }.freeze
    CIRCLE = {
      "conftest_main.rb" =>
        "class K\n  def m = eval('require \"./conftest_a.rb\"', nil, 'text', 7)\nend\n[1].each { K.new.m }\n",
      "conftest_a.rb" => "module M\n  require './conftest_b.rb'\nend\n",
      "conftest_b.rb" => "require './conftest_a.rb'\n"
    }.freeze

    # @return [Integer, nil] which of the known forms
    def circular_form
      CIRCLE.each { |name, text| File.write(name, text) }
      command = [{ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-w", "conftest_main.rb"]
      told = IO.popen([*command, { err: %i[child out] }], &:read)
      CIRCULAR.key(CIRCULAR.each_value.find { |form| told == circular_text(*form) })
    rescue SystemCallError
      nil
    ensure
      FileUtils.rm_f(CIRCLE.keys)
    end

    # How Ruby marks a text that is evaluated without a path, for require_relative (rb_current_realfilepath), as
    # ext/warmstart/ruby/require/relative.c does: by the String "(eval)" alone, or also by a path "(eval at FILE:LINE)".
    # @return [Integer, nil] 1 or 2
    def evaluated_form
      path = eval("__FILE__", nil) # rubocop:disable Style/EvalWithLocation
      nameless = ["(eval at x:1)", "(eval at x", "(eval at)", "x(eval at x:1)"].map { |name| nameless?(name) }
      return unless nameless?(nil)
      return 1 if path == "(eval)" && nameless.none?

      2 if path.match?(/\A\(eval at .+:\d+\)\z/) && nameless == [true, false, false, false]
    end

    # Does RubyVM.keep_script_lines keep the lines of files? On Ruby 3.3 it keeps only those of evaluated strings.
    def files_keep_lines?
      return false unless RubyVM.respond_to?(:keep_script_lines=)

      before = RubyVM.keep_script_lines
      RubyVM.keep_script_lines = true
      File.write("conftest_lines.rb", "$lines = -> {}\n")
      load "./conftest_lines.rb"
      !RubyVM::InstructionSequence.of($lines).script_lines.nil?
    ensure
      RubyVM.keep_script_lines = before unless before.nil?
      FileUtils.rm_f("conftest_lines.rb")
    end

    # Can a VALUE replace a Symbol's name in compiled code? The probe puts that of 42 there and evaluates the code.
    # @return [Array(Integer, Integer), nil] the format's version if it can
    def symbols_by_value
      return unless [0].pack("J").bytesize == 8 && [1].pack("S") == [1].pack("v")

      binary = RubyVM::InstructionSequence.compile("[:warmstart_probe, :warmstart_other]").to_binary.b
      magic, major, minor, _size, _extra, _iseqs, count, _iseq_list, list = binary.unpack(HEADER)
      return unless magic == "YARB"

      number = place_of_symbol(binary, binary.byteslice(list, count * 4).unpack("L*"), "warmstart_probe")
      return unless number

      if RubyVM::InstructionSequence.load_from_binary(with_value(binary, list + (number * 4), (42 << 1) | 1)).eval ==
           [42, :warmstart_other]
        [major, minor]
      end
    rescue StandardError
      nil
    end

    private

    def circular_text(quote, evaluated)
      a, b = %w[a b].map { |name| File.realpath("conftest_#{name}.rb") }
      frames = [
        %w[conftest_main.rb:4 <main>],
        %w[conftest_main.rb:4 each],
        ["conftest_main.rb:4", "block in <main>"],
        %w[conftest_main.rb:2 m],
        %w[conftest_main.rb:2 eval],
        ["text:7", evaluated],
        %w[text:7 require],
        ["#{a}:1", "<top (required)>"],
        ["#{a}:2", "<module:M>"],
        ["#{a}:2", "require"],
        ["#{b}:1", "<top (required)>"],
        ["#{b}:1", "require"]
      ]
      "#{b}:1: warning: #{b}:1: warning: loading in progress, circular require considered harmful - #{a}\n" \
        "#{frames.map { |place, label| "\tfrom #{place}:in  #{quote}#{label}'\n" }.join}\n"
    end

    def nameless?(name)
      eval("require_relative 'conftest/nothing'", nil, *name) # rubocop:disable Style/EvalWithLocation
    rescue LoadError => error
      error.message.start_with?("cannot infer basepath")
    end

    def text_of_closed
      File.open(File::NULL).tap(&:close).read
    rescue IOError => error
      error.message
    end

    # An entry is its first byte, the encoding's number and the size (each a small value of one byte), and the name.
    def place_of_symbol(binary, offsets, name)
      offsets.index do |offset|
        first, _encoding, size = binary.byteslice(offset, 3).unpack("C3")
        first && first & TYPE_AND_SPECIAL == T_SYMBOL && size == (name.bytesize << 1 | 1) &&
          binary.byteslice(offset + 3, name.bytesize) == name
      end
    end

    # Makes the list's entry at `place` point to a special constant behind the code: the VALUE, high bytes first.
    def with_value(binary, place, value)
      changed = binary.dup
      changed[place, 4] = [changed.bytesize].pack("L")
      changed << [SPECIAL_NIL, 0, value].pack("CCQ>")
      changed[12, 4] = [changed.bytesize].pack("L")
      changed
    end
  end
end
