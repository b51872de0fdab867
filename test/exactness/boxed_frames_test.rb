# frozen_string_literal: true

require_relative "../test_helper"

# From Ruby 4.0 on, the frame of a file says which box it runs in, also where boxes are off
# (ext/warmstart/ruby/private/box.c).
class BoxedFramesTest < TestCase
  # Prism in Ruby 4.0.5 compiles a local variable of a String that is evaluated in a module's body as the file's own
  # last one where that has its name, and writes to a place in Ruby's library beside the box (main_box). From then on
  # Ruby asks the frames which box they run in. Plain Ruby goes on, as long as all that runs is in files that were
  # loaded.
  test "Ruby asks the frames which box they run in" do
    skip "there are no boxes" unless defined?(Ruby::Box)

    assert_same_behaviour(
      {
        "overwrites.rb" => "module Shown\n  instance_eval 'shown = Thread.new { }'\nend\nshown = 5\n",
        "wrapped.rb" => "p self, Module.nesting.size\n",
        "direct.rb" =>
          "class Direct\n  def m = self.class.const_source_location(:Direct)\nend\np load(\"\#{__dir__}/wrapped.rb\", Module.new)\nautoload :Missing, 'missing'\np autoload?(:Missing)\n",
        "run.rb" => "require_relative 'direct'\np Direct.new.m\n",
        "main.rb" => "load \"\#{__dir__}/overwrites.rb\"\nload \"\#{__dir__}/run.rb\"\n"
      }
    )
  end

  test "what asks for the box of the file that runs" do
    assert_same_behaviour(
      {
        "a.rb" => <<~'RUBY',
      class A
        autoload :Missing, "#{__dir__}/missing.rb"
        def m = self.class.const_source_location(:A)
        p Object.const_defined?(:A), (defined?(Ruby::Box) ? Ruby::Box.current.inspect[/\w+/] : nil)
      end
      p load(__FILE__, Module.new) unless ($loaded = $loaded.to_i + 1) > 1
    RUBY
        "main.rb" => "require_relative 'a'\np A.new.m, A.autoload?(:Missing), $LOADED_FEATURES.size.positive?\n"
      }
    )
  end
end
