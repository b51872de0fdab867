# frozen_string_literal: true

require_relative "test_helper"

# Who is watching, and for what (ext/warmstart/ruby/private/traced.c).
class TracedTest < TestCase
  # Older Rubies export which events are wanted, and Windows' library of Ruby exports all that is.
  TOLD = Program::RUBY_NUMBER < "3.2" || File::ALT_SEPARATOR

  def traced(script)
    run =
      program(
        { "main.rb" => "def traced?(*events) = p(Warmstart::Native.traced?(*events))\n#{script}" },
        witness: false
      ).boot
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    run.stdout.split
  end

  test "nobody watches" do
    assert_equal %w[false false], traced("traced?('line')\ntraced?('line', 'call', 'c_call', 'raise')\n")
  end

  test "what is watched is told from what is not" do
    %w[line call c_call class].each do |event|
      others = %w[line call c_call class] - [event]
      assert_equal %w[true false true],
                   traced(
                     "TracePoint.new(:#{event}) {}.enable\ntraced?('#{event}')\ntraced?(#{others.map(&:inspect).join(", ")})\ntraced?('line', 'call', 'c_call', 'class')\n"
                   ),
                   event
    end
  end

  test "events that do not live in code: not every Ruby tells them apart" do
    others = TOLD ? "false" : "true"
    assert_equal %w[true false], traced("TracePoint.new(:raise) {}.enable\ntraced?('raise')\ntraced?('line', 'call')\n")
    assert_equal [others, "false"],
                 traced(
                   "TracePoint.new(:script_compiled) {}.enable\ntraced?('raise')\ntraced?('line', 'call', 'c_call', 'class')\n"
                 )
  end

  test "what was watched once and is watched no more: nobody watches; while another hook is there, it counts" do
    counts = TOLD ? "false" : "true"
    assert_equal ["false", counts, "false"], traced(<<~RUBY)
      TracePoint.new(:call) {}.enable {}
      traced?('call')
      TracePoint.new(:script_compiled) {}.enable
      traced?('call')
      traced?('line')
    RUBY
  end

  test "the look leaves nothing behind" do
    output =
      traced(
        "watch = TracePoint.new(:script_compiled) {}\nwatch.enable\ntraced?('call')\nputs TracePoint.stat.values.join(','), watch.enabled?\n"
      )
    assert_equal %w[false 1,0 true], output
  end
end
