# frozen_string_literal: true

require_relative "../test_helper"

# Ruby 4.1's Module#autoload_relative and Kernel#autoload_relative: an autoload of a file beside the one that calls.
class AutoloadRelativeTest < TestCase
  THERE = Module.method_defined?(:autoload_relative)

  def setup
    skip "this Ruby has no autoload_relative" unless THERE || name.include?("what_is_raised")
  end

  TRY =
    "def try = begin; p yield; rescue Exception => error; p error.class, error.message, error.backtrace, error.cause, (error.path if error.is_a?(LoadError)); end\n"

  # A file of an autoload must be provided before `module X` in it asks whether X is still to be loaded.
  test "the file defines its constant in each way" do
    bodies = [
      "module X; end",
      "class X; end",
      "class X < Struct.new(:a); end",
      "X = 1",
      "module X; module Y; end; end",
      "p M.autoload?(:X), defined?(M::X); module X; end",
      "",
      "raise 'first' if ($n = $n.to_i + 1) == 1; class X; end"
    ]
    files = bodies.each_with_index.to_h { |body, index| ["sub/x#{index}.rb", "module M\n#{body}\nend\n"] }
    main = bodies.each_index.map { |index| <<~RUBY }.join
      module M; autoload_relative :X, 'sub/x#{index}'; end
      p M.autoload?(:X).delete_prefix(__dir__)
      3.times { try { M::X.class } }
      p M.autoload?(:X), Witness.features.grep(/sub/).size
      M.send(:remove_const, :X) if M.const_defined?(:X)
    RUBY
    assert_same_behaviour({ **files, "main.rb" => TRY + main }, misses: :any)
  end

  test "trees of files that register and require one another" do
    files = {
      "app/m.rb" =>
        "module M\n autoload_relative :A, 'm/a'\n autoload_relative 'B', 'm/b.rb'\n autoload :C, 'app/m/c'\nend\nautoload_relative :Top, '../top'\n",
      "app/m/a.rb" => "module M\n module A; autoload_relative :Inner, 'a/inner'; B; end\nend\n",
      "app/m/b.rb" => "class M::B; autoload_relative :Inner, './a/inner'; include M::A; end\n",
      "app/m/a/inner.rb" =>
        "module M\n module A; module Inner; V = caller.size; end; end\n class B; module Inner; end; end\nend\n",
      "app/m/c.rb" => "require_relative 'b'\nmodule M; class C < B; end; end\n",
      "top.rb" => "class Top; p [__FILE__.delete_prefix(__dir__), M::A.autoload?(:Inner)]; end\n"
    }
    main =
      "require 'app/m'\n[%w[M::C M::A::Inner Top], %w[Top M::B::Inner M::A], %w[M::B M::C]].fetch(ARGV[0].to_i).each { |name| try { Object.const_get(name) } }\np Witness.features\n"
    3.times do |order|
      assert_same_behaviour({ **files, "main.rb" => TRY + main.sub("ARGV[0].to_i", order.to_s) }, misses: :any)
    end
  end

  test "whose file calls: evaluated text, blocks, methods, links, C between" do
    assert_same_behaviour(
      {
        "real/lib.rb" =>
          "def beside(name, path) = autoload_relative(name, path)\nclass K; def self.beside(name, path) = autoload_relative(name, path); end\nBLOCK = proc { |name, path| autoload_relative(name, path) }\n",
        "link" => :real,
        "main.rb" => TRY + <<~'RUBY'
        require_relative "link/lib"
        def where(name) = Object.autoload?(name) || K.autoload?(name)
        count = 0
        look = lambda do |&register|
          name = :"N#{count += 1}"
          try { [register.call(name, "x#{count}"), where(name), where(name)&.encoding, where(name)&.frozen?] }
        end
        look.call { |*all| beside(*all) }
        look.call { |*all| K.beside(*all) }
        look.call(&BLOCK)
        look.call { |*all| Object.class_exec { autoload_relative(*all) } }
        look.call { |*all| eval("autoload_relative(*all)") }
        look.call { |*all| eval("autoload_relative(*all)", binding, "/no/where.rb") }
        look.call { |*all| eval("autoload_relative(*all)", binding, "(eval)") }
        look.call { |*all| Object.class_eval("autoload_relative(:#{all[0]}, '#{all[1]}')", "where.rb") }
        look.call { |*all| K.send(:autoload_relative, *all) }
        look.call { |*all| K.public_send(:autoload_relative, *all) }
        look.call { |*all| Kernel.autoload_relative(*all) }
        look.call { |*all| method(:autoload_relative).call(*all) }
        look.call { |*all| [all].each { |one| autoload_relative(*one) } }
        look.call { |*all| [all].each(&BLOCK) }
        look.call { |*all| Object.instance_method(:autoload_relative).bind_call(self, *all) }
        look.call { |*all| Module.instance_method(:autoload_relative).bind_call(K, *all) }
        look.call { |*all| "text".instance_eval { autoload_relative(*all) } }
        look.call { |*all| 1.instance_eval { autoload_relative(*all) } }
        look.call { |*all| BasicObject.autoload_relative(*all) }
        look.call { |*all| Class.new { autoload_relative(*all) } }
        look.call { |*all| Ractor.new(*all) { |*name| Object.autoload_relative(*name) }.value }
        p Object.singleton_class.send(:autoload_relative, :S, "s"), Object.singleton_class.autoload?(:S)
      RUBY
      },
      args: %w[-W:no-experimental],
      misses: :any
    )
  end

  test "names, paths, and what is raised in which order" do
    assert_same_behaviour({ "main.rb" => TRY + <<~'RUBY' }, misses: :any)
      Speaks = Struct.new(:kind, :answer) do
        def respond_to_missing?(name, all = false) = name == kind || super
        def method_missing(name, *) = name == kind ? (p [name, answer]; answer) : super
        def inspect = "#<Speaks>"
      end
      text = ->(answer) { Speaks.new(:to_str, answer) }
      path = ->(answer) { Speaks.new(:to_path, answer) }
      names = [:Name, "Text", text.("Asked"), :lower, "with space", 1, nil, text.(1), :"Ä", :String]
      paths = ["a", "./b", "../c/./d//e", "/abs/f", "~/g", "", "h/", "i.rb", "j.so", path.("k"), path.(text.("l")), path.(1), 1, nil, "m\0", "ä", "n".encode("UTF-16LE"), "o".b, "\xff".b, "p".encode("Windows-1252"), "q".encode("US-ASCII")]
      ask = ->(name) { Object.autoload?(name.is_a?(Speaks) ? "Asked" : name) }
      [*([:autoload_relative, paths] if Module.method_defined?(:autoload_relative)), :autoload, ["a", path.("k"), 1, ""]].each_slice(2) do |method, given|
        names.product(given) do |name, one|
          try { [Kernel.send(method, name, one), ask.(name), ask.(name)&.encoding] }
          Object.send(:remove_const, name) rescue $!.class if name == :Name
        end
        try { eval("#{method}(1, path.('z'))", binding, "(eval)") }
        try { eval("#{method}(:lower, path.('z'))", binding, "(eval)") }
        try { eval("#{method}(text.('Z'), 1)", binding, "(eval)") }
        try { Module.new.freeze.send(method, :X, "x") }
        try { Module.new.send(method) }
        try { Module.new.send(method, :X, "x") { } }
      end
    RUBY
  end

  test "what programs see of the methods, put over them, and find in the place" do
    assert_same_behaviour(
      { "x.rb" => "module X; end\n", "y.rb" => "class Y; end\n", "main.rb" => TRY + <<~RUBY },
      show = ->(method) { p [method.name, method.original_name, method.owner, method.arity, method.parameters, method.source_location] }
      [Module.instance_method(:autoload_relative), Kernel.instance_method(:autoload_relative), Kernel.method(:autoload_relative), Class.new.method(:autoload_relative)].each(&show)
      p [Module, Kernel, Kernel.singleton_class].map { |owner| [owner.public_method_defined?(:autoload_relative), owner.private_method_defined?(:autoload_relative)] }
      class Module
        alias before_mine autoload_relative
        def autoload_relative(name, path) = (p [:mine, name, path]; before_mine(name, path))
      end
      Kernel.prepend(Module.new { def autoload_relative(*all) = (p [:prepended, all]; super) })
      try { autoload_relative :X, "x" }
      try { Class.new { autoload_relative :X, "x"; p autoload?(:X) } }
      try { Object.autoload_relative :Y, "y" }
      try { X }
      try { Y }
    RUBY
      misses: :any
    )
  end

  test "registered before Warmstart is there; Kernel's autoload has been taken away" do
    lib = { "x.rb" => "module X; V = 1; end\n", "y.rb" => "module M; class Y; end; end\n", "z.rb" => "module Z; end\n" }
    register =
      "autoload_relative :X, 'x'\nmodule M; autoload_relative :Y, 'y'; private_constant :Y; def self.y = Y; end\n"
    removed = "module Kernel; remove_method :autoload; class << self; remove_method :autoload; end; end\n"
    touch = "p X::V, M.y\nautoload_relative :Z, 'z'\np Z\n"
    [register, register + removed].each do |before|
      assert_same_behaviour(
        { **lib, "before.rb" => before, "main.rb" => touch },
        args: %w[-r ./before.rb],
        misses: :any
      )
    end
  end
end
