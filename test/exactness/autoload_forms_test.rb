# frozen_string_literal: true

require_relative "../test_helper"

# Autoload by who registers it, what it names and who touches it first.
class AutoloadFormsTest < TestCase
  PROBE =
    "[defined?(M::X), M.autoload?(:X), M.const_defined?(:X), M.const_defined?(:X, false), M.constants.sort, M.const_source_location(:X)]"

  {
    "a class" => "module M; p #{PROBE}; class X; p #{PROBE}; end; p #{PROBE}; end",
    "a module in compact style" => "p #{PROBE}; module M::X; p #{PROBE}; end",
    "an assignment" => "module M; p #{PROBE}; X = 1; p #{PROBE}; end",
    "const_set" => "M.const_set(:X, 1); p #{PROBE}",
    "nothing" => "p #{PROBE}",
    "another constant" => "module M; Y = 1; end",
    "a failure after the definition" => "module M; class X; end; end; raise 'late' if ($n = $n.to_i + 1) == 1",
    "a removal" => "module M; class X; end; remove_const :X; end",
    "a definition that is replaced" => "module M; class X; end; X = 2; end",
    "the constant itself" => "M::X rescue p $!.class; module M; X = 1; end",
    "its own require" =>
      "p require('m/x'), require_relative('x'), load(__FILE__) if ($n = $n.to_i + 1) == 1; module M; X ||= 1; end",
    "its own autoload" => "module M; autoload :X, 'm/x'; autoload :Y, 'm/x'; class X; end; end; p #{PROBE}",
    "a thread that touches it" =>
      "module M; class X; end; end; p Thread.new { defined?(M::X) }.value, Thread.new { M.autoload?(:X) }.value",
    "a reopened superclass" => "module M; class X < Struct.new(:a); end; class X; B = 1; end; end"
  }.each do |title, body|
    test "a file with #{title}" do
      touches = [
        "M::X",
        "M.const_get(:X)",
        "Object.const_get('M::X')",
        "module M; X; end",
        "module M; class X; end; end",
        "require %s; M::X",
        "M::X = 5",
        "M.send(:remove_const, :X)",
        "p(defined?(M::X)); M::X"
      ]
      # (There Ruby is not of one mind since 3.2 or 3.3: with -rjson before it, plain Ruby answers otherwise.)
      if ["nothing", "another constant", "its own autoload"].include?(title) && Program::RUBY_NUMBER >= "3.2"
        touches.delete("require %s; M::X")
      end
      assert_same_behaviour(
        { "m/x.rb" => "#{body}\n", "main.rb" => <<~RUBY },
        def try = begin; p yield; rescue Exception => error; p error.class, error.message, error.backtrace; end
        ["'m/x'", "'m/x.rb'", "\\"\#{__dir__}/m/x\\"", "\\"\#{__dir__}/m/x.rb\\"", "'./m/x'"].each do |feature|
          ["M.autoload(:X, %s)", "module M; autoload :X, %s; end", "M.module_eval { autoload :X, %s }"].each do |form|
            #{touches}.each do |touch|
              module M; end
              try { eval(format(form, feature)) }
              p #{PROBE}
              2.times { try { eval(touch.sub("%s", feature), TOPLEVEL_BINDING, "touch.rb", 1).inspect } }
              p #{PROBE}, Witness.features
              Object.send(:remove_const, :M)
              $LOADED_FEATURES.reject! { |path| path.include?("m/x") }
              $n = nil
            end
          end
        end
      RUBY
        args: %w[-w --disable-did_you_mean],
        misses: :any
      )
    end
  end

  # (Since Ruby 3.2 const_added is called for an autoload, too.)
  test "errors that const_added raises" do
    old =
      "class Old < StandardError; def self.made = new('old').tap { |error| error.set_backtrace(%w[a:1 b:2 c:3]) }; end\n"
    show =
      "rescue StandardError => error\n  puts error.class, error.backtrace.map { |line| line.sub(__dir__, '') }\nend\n"
    [
      "raise 'now'",
      "super",
      "raise Old.made",
      "[1].each { |x| raise ArgumentError, x.to_s }",
      "autoload(name, '')",
      "throw :nothing"
    ].each { |body| assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY }, variants: %i[recording warm]) }
        #{old}class Module; def const_added(name) = (name.to_s.size == 1 ? (#{body}) : nil); end
        begin
          Object.autoload(:Q, "a")
        #{show}
        begin
          autoload :R, File.join(__dir__, "a.rb")
        #{show}
        begin
          def self.deeper = Kernel.autoload(:S, "a")
          deeper
        #{show}
        p $LOADED_FEATURES.grep(/a\\.rb/).size
      RUBY
  end

  test "visibility, deprecation, const_missing and const_added" do
    assert_same_behaviour(
      {
        "x.rb" => "module M; class X; end; end\n",
        "y.rb" => "module M; class Y; end; end\n",
        "z.rb" => "module M; Z = 1; end\n",
        "w.rb" => "",
        "main.rb" => <<~RUBY
        module M
          def self.const_added(name) = (p [:added, name, autoload?(name)]; super)
          def self.const_missing(name) = (p [:missing, name]; super)
          autoload :X, "x"; private_constant :X
          autoload :Y, "y"; deprecate_constant :Y
          autoload :Z, "z"; autoload :W, "w"
          def self.x = X
        end
        begin; M::X; rescue NameError => error; p error.message; end
        p M.x, M::Y, M::Z, M.constants.sort
        begin; M::W; rescue NameError => error; p error.message, error.backtrace; end
        class C; include M; p Z; end
        p Witness.features
      RUBY
      },
      args: %w[-w],
      misses: :any
    )
  end

  test "registered before Warmstart was set up: private, in singleton classes, without a name, in a refinement" do
    owners = {
      "public" => %w[M M::%s],
      "private" => %w[M M.class_eval('%s')],
      "top" => %w[Object Object.class_eval('%s')],
      "own" => ["class << M; self; end", "M.singleton_class::%s"],
      "of_class" => ["class << C; self; end", "C.singleton_class.class_eval('%s')"],
      "object" => ["class << O; self; end", "O.singleton_class::%s"],
      "unnamed" => %w[U U::%s],
      "refining" => %w[R R.class_eval('%s')]
    }
    registered, touched =
      owners
        .map do |name, (owner, touch)|
          constant = "X#{name.delete("_")}"
          hidden = %w[private top of_class refining].include?(name) ? "private_constant :#{constant}" : ""
          [
            "(#{owner}).class_eval { autoload :#{constant}, '#{name}'; #{hidden} }\n",
            "p #{format(touch, constant)}::V\n"
          ]
        end
        .transpose
    files =
      owners.to_h do |name, (owner, _touch)|
        ["#{name}.rb", "p :#{name}\n(#{owner}).class_eval('module X#{name.delete("_")}; V = 1; end')\n"]
      end
    main = <<~RUBY
      module M; end; class C; end; O = Object.new; U = Module.new; Module.new { R = refine(String) { } }
      #{registered.join}
      require #{Program::SETUP.dump} if ENV["WITH_WARMSTART"]
      ENV["ASKED"].split.each { |name| require name }
      #{touched.join}
      p $LOADED_FEATURES.grep(/\\A\#{__dir__}/).map { |path| File.basename(path) }
    RUBY
    program = program({ "Gemfile" => "", **files, "main.rb" => main }, witness: false)
    ["", owners.keys.join(" ")].each do |asked|
      3.times do
        plain = program.plain(env: { "ASKED" => asked })
        assert_equal "exit 0", plain.status, plain.stderr
        assert_same_run plain, program.plain(env: { "ASKED" => asked, "WITH_WARMSTART" => "1" })
      end
    end
  end

  test "namespaces as Zeitwerk makes them, unloaded and loaded again" do
    plain =
      assert_same_behaviour(
        {
          "app/a.rb" => "class A; autoload :B, \"\#{__dir__}/a/b.rb\"; V = B::V; end\n",
          "app/a/b.rb" => "class A::B; V = 1; p [A.autoload?(:B), C.name]; end\n",
          "app/c.rb" => "class C; def self.d = D; end\n",
          "app/d.rb" => "class D < C; end\n",
          "app/ns/e.rb" => "module Ns; class E; F; end; end\n",
          "app/ns/f.rb" => "module Ns; F = [E]; end\n",
          "main.rb" => <<~'RUBY'
        def set = (%w[A C D].each { |name| Object.autoload(name, "#{__dir__}/app/#{name.downcase}.rb") }; Object.const_set(:Ns, Module.new) unless defined?(Ns); %w[E F].each { |name| Ns.autoload(name, "#{__dir__}/app/ns/#{name.downcase}.rb") })
        def unset = (%i[A C D Ns].each { |name| Object.send(:remove_const, name) if Object.const_defined?(name) }; $LOADED_FEATURES.reject! { |path| path.include?("/app/") })
        3.times do |round|
          set
          # (asked for in this order, F is not there when E needs it)
          p A::V, C.d, (round == 1 ? (require("#{__dir__}/app/ns/f.rb") rescue $!.message) : Ns::E), (Ns::F rescue $!.message), Witness.features
          unset
        end
      RUBY
        },
        misses: :any
      )
    assert_equal ["exit 0", 3], [plain.status, plain.stdout.scan(/^D$/).size], plain.stderr
  end
end
