# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/call_graph"

# Some functions run where there is no Ruby: in the child of a fork that a native thread made, in threads of our own, in
# a signal's handler, while another thread has Ruby's lock. Read from the sources: whatever is registered for such a
# place, and all that it calls, calls nothing of Ruby's.
class WithoutRubyTest < TestCase
  FILES = Dir[File.join(Program::REPOSITORY, "ext/warmstart{,_profiler}/**/*.c")].sort

  # How a function gets to such a place; the first group is its name.
  REGISTRATIONS = {
    "a child of fork" => /\b(?:ws_thread_after_fork|pthread_atfork)\(\s*(?:NULL, NULL, )?(\w+)\)/,
    "a thread of ours" =>
      /\b(?:ws_thread_start\([^,;]+,|pthread_create\([^,;]+,(?:\s+&attributes,)?|ws_job_list_start\([^,;]+,[^,;]+,)\s+(\w+),/,
    "without Ruby's lock" => /\brb_thread_call_without_gvl\(\s*(\w+),/,
    "what ends such a call" => /\brb_thread_call_without_gvl\(\s*\w+,\s+[^,;]+,\s+(\w+),/,
    "a signal" => /\bsa_(?:sigaction|handler) = (\w+);/,
    "the end of the process" => /\b(?:atexit|ws_when_leaving|ruby_vm_at_exit)\((\w+)\)/,
    # (since 3.2; before there are TracePoint's, with the lock)
    "an event of a thread" => /\brb_internal_thread_add_event_hook\(\s*(\w+),/
  }.freeze

  # Names in these places that are not ours, or are parameters: the function is found where they are given.
  NOT_OURS = %w[NULL function SIG_DFL RUBY_UBF_PROCESS RUBY_UBF_IO].freeze

  # What may be called there all the same, and why.
  ALLOWED = {
    # ruby/debug.h: can be called from any thread, at any time, including signal handlers.
    "rb_postponed_job_trigger" => %w[after_fork_in_child tick],
    # Before 3.3 there is no other one: it finds the main thread where there is no Ruby's.
    "rb_postponed_job_register_one" => %w[after_fork_in_child tick]
  }.freeze

  RUBYS =
    /\A(?:(?:rb|ruby|st|onig|onigenc|RB|RARRAY|RSTRING|TypedData)_\w+|RTEST|NIL_P|[A-Z]+2[A-Z]+|StringValue\w*|Q(?:nil|true|false|undef))\z/

  def graph = @graph ||= CallGraph.new(FILES, later: ALLOWED.keys)

  # [[kind, function], ...]
  def entries
    @entries ||=
      FILES.flat_map do |file|
        source = File.read(file, encoding: "UTF-8")
        REGISTRATIONS.flat_map do |kind, pattern|
          (source.scan(pattern).flatten - NOT_OURS).uniq.flat_map do |name|
            found = graph.find(name, file)
            refute_empty found, "#{file}: #{name} is not to be found"
            found = found.first(1) if kind == "an event of a thread"
            found.map { |function| [kind, function] }
          end
        end
      end
  end

  test "the places where there is no Ruby are found" do
    expected = {
      "a child of fork" => %w[after_fork_in_child end_landing forget_after_fork in_child],
      "a thread of ours" => %w[compare_some help read_some tick work],
      "a signal" => %w[ws_guard_handle],
      "the end of the process" => %w[at_end_of_vm ws_tree_close],
      "an event of a thread" => %w[on_thread_event]
    }
    found = entries.group_by(&:first).transform_values { |all| all.map { |_, function| function.name }.uniq.sort }
    expected.each { |kind, names| assert_empty names - found.fetch(kind), kind }
    assert_operator found.fetch("without Ruby's lock").size, :>=, 2
  end

  test "nothing that runs without Ruby calls Ruby" do
    problems =
      entries.flat_map do |kind, entry|
        graph
          .reachable([entry])
          .flat_map do |function, way|
            graph
              .words(function)
              .grep(RUBYS)
              .filter_map do |word|
                "#{kind}: #{way.join(" > ")} > #{word}" unless ALLOWED.fetch(word, []).include?(entry.name)
              end
          end
      end
    assert problems.empty?, problems.uniq.first(20).join("\n")
  end

  # A test of the test: what it found before it was mended, it must go on finding.
  test "a call that is hidden behind two others is found" do
    folder = temporary_folder
    path = File.join(folder, "hidden.c")
    File.write(
      path,
      "static void\nfar(void)\n{\n    rb_thread_current();\n}\n\nstatic int near(int x)\n{\n    if (x) far();\n    return 0;\n}\n\n" \
        "static void\nchild(void)\n{\n    near(1);\n}\n\nvoid\ninit(void)\n{\n    ws_thread_after_fork(child);\n}\n"
    )
    graph = CallGraph.new([path])
    reached = graph.reachable(graph.find("child", path))
    assert_equal [%w[child], %w[child near], %w[child near far]], reached.values
    assert_equal %w[rb_thread_current], reached.keys.flat_map { |function| graph.words(function).grep(RUBYS) }
  end

  # (Those of calls_windows.c stand in the place of the system's and are made by macros.)
  test "all functions are read" do
    read = graph.functions.group_by(&:file).transform_values(&:size)
    FILES
      .grep_v(/calls_windows/)
      .each do |file|
        ends = File.read(file, encoding: "UTF-8").scan(/^\}$/).size
        assert_equal ends, read.fetch(file, 0), file
      end
  end
end
