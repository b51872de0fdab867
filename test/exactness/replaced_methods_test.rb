# frozen_string_literal: true

require_relative "../test_helper"

# docs/semantics.md lists what a program could notice, and says that the list is complete. Of the methods that Warmstart
# replaces this is found out: every method of every module is compared with the one that was there before.
class ReplacedMethodsTest < TestCase
  # (The modules are those of Ruby itself. A Method object that was taken before differs from one that is replaced.)
  BEFORE = <<~'RUBY'
    MODULES = ObjectSpace.each_object(Module).reject { |object| object.singleton_class? || object.name.nil? || object.name.start_with?("Witness", "Warmstart") }
    METHODS = MODULES.flat_map do |object|
      [object, object.singleton_class].flat_map { |owner| (owner.instance_methods(false) + owner.private_instance_methods(false)).map { |name| [object, owner, name, owner.instance_method(name)] } }
    end
    PREPENDED = MODULES.to_h { |object| [object, [object, object.singleton_class].map { |owner| owner.ancestors.first }] }
  RUBY
  AFTER = <<~'RUBY'
    changed = METHODS.reject { |_, owner, name, method| owner.instance_method(name) == method rescue false }
    added = MODULES.flat_map { |object| [object, object.singleton_class].flat_map { |owner| (owner.instance_methods(false) + owner.private_instance_methods(false)).map { |name| [object, owner, name] } } } - METHODS.map { |entry| entry.first(3) }
    [*changed, *added].each { |object, owner, name, _| puts "#{object}#{owner == object ? "#" : "."}#{name}" }
    MODULES.each { |object| puts "before #{object}" if [object, object.singleton_class].map { |owner| owner.ancestors.first } != PREPENDED.fetch(object) }
  RUBY
  LIST = File.read(File.join(Program::REPOSITORY, "docs/semantics.md")).gsub(/\s+/, " ")

  test "each method that is replaced or added is in the list" do
    program =
      program(
        { "before.rb" => BEFORE, "a.rb" => "A = 1\n", "main.rb" => "require_relative 'a'\n#{AFTER}" },
        witness: false
      )
    found = []
    { "recording" => {}, "warm" => {}, "read-only" => { "WARMSTART_READONLY" => "1" } }.each_value do |environment|
      run =
        program.ruby("-r", program.path("before.rb"), "-r", Program::SETUP, program.path("main.rb"), env: environment)
      assert_equal ["", "exit 0"], [run.stderr, run.status]
      found |= run.stdout.split("\n")
    end
    assert_operator found.size, :>=, 12
    missing = found.reject { |name| name == "before Warning" || LIST.include?("`#{name}`") }
    assert_empty missing
  end
end
