# frozen_string_literal: true

require "fileutils"

# What Ruby's manual does not say and the extension relies on, tried out on the Ruby that it is built for, when it is built. What does not
# behave as it must is left out of the extension (ext/warmstart/extconf.rb).
module Probes
  # Compiled code, as ext/warmstart/ruby/iseq_symbols.c reads it: struct ibf_header up to the lists, an object's first byte.
  HEADER = "a4L8"
  TYPE_AND_SPECIAL = 0x3f
  SPECIAL_NIL = 0x31
  T_SYMBOL = 0x14

  class << self
    # Does RubyVM.keep_script_lines keep the lines of files, or (Ruby 3.3) of evaluated strings only?
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

    # Does compiled code that has a VALUE (here, that of 42) in the place of a Symbol's name evaluate to it?
    # @return [Array(Integer, Integer), nil] the format's version where it does
    def symbols_by_value
      return unless [0].pack("J").bytesize == 8 && [1].pack("S") == [1].pack("v")

      binary = RubyVM::InstructionSequence.compile("[:warmstart_probe, :warmstart_other]").to_binary.b
      magic, major, minor, _size, _extra, _iseqs, count, _iseq_list, list = binary.unpack(HEADER)
      return unless magic == "YARB"

      number = place_of_symbol(binary, binary.byteslice(list, count * 4).unpack("L*"), "warmstart_probe")
      return unless number

      [major, minor] if RubyVM::InstructionSequence.load_from_binary(with_value(binary, list + (number * 4), (42 << 1) | 1)).eval == [42, :warmstart_other]
    rescue StandardError
      nil
    end

    private

    # An entry: its first byte; the encoding's number and the size, each as a small value of one byte; the name.
    def place_of_symbol(binary, offsets, name)
      offsets.index do |offset|
        first, _encoding, size = binary.byteslice(offset, 3).unpack("C3")
        first && first & TYPE_AND_SPECIAL == T_SYMBOL && size == (name.bytesize << 1 | 1) && binary.byteslice(offset + 3, name.bytesize) == name
      end
    end

    # The entry at `place` of the list points at a special constant behind the code: the VALUE, high bytes first.
    def with_value(binary, place, value)
      changed = binary.dup
      changed[place, 4] = [changed.bytesize].pack("L")
      changed << [SPECIAL_NIL, 0, value].pack("CCQ>")
      changed[12, 4] = [changed.bytesize].pack("L")
      changed
    end
  end
end
