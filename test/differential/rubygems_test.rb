# frozen_string_literal: true

require_relative "../test_helper"

# RubyGems' and Bundler's own decorators of require stay above ours: gems are activated as they would be.
class RubyGemsTest < TestCase
  with_rubygems

  # A gem installed by hand: a folder and a specification.
  def gem_files(name, version, files, default: false)
    specification = <<~RUBY
      Gem::Specification.new do |s|
        s.name = #{name.inspect}; s.version = #{version.inspect}; s.summary = s.author = "test"
        s.files = #{files.keys.inspect}; s.require_paths = ["lib"]
      end
    RUBY
    files
      .transform_keys { |path| "gems/gems/#{name}-#{version}/#{path}" }
      .merge("gems/specifications/#{"default/" if default}#{name}-#{version}.gemspec" => specification)
  end

  # GEM_HOME is a folder of the program.
  def assert_same_with_gems(files, **options)
    gems = { "GEM_HOME" => "GEMS", "GEM_PATH" => "GEMS" }
    main = files.fetch("main.rb")
    prelude = "Gem.paths = { 'GEM_HOME' => \"\#{__dir__}/gems\", 'GEM_PATH' => \"\#{__dir__}/gems\" }\n"
    assert_same_behaviour(
      files.merge("main.rb" => prelude + main),
      env: gems.transform_values { nil },
      load_path: [],
      **options
    )
  end

  test "a gem is activated when one of its files is required" do
    assert_same_with_gems(
      {
        **gem_files(
          "alpha",
          "1.0",
          { "lib/alpha.rb" => "require 'alpha/part'\nALPHA = caller(0).size\n", "lib/alpha/part.rb" => "PART = 1\n" }
        ),
        **gem_files(
          "alpha",
          "2.0",
          { "lib/alpha.rb" => "require 'alpha/part'\nALPHA = 2\n", "lib/alpha/part.rb" => "PART = 2\n" }
        ),
        "main.rb" =>
          "p require('alpha'), ALPHA, PART, Gem.loaded_specs['alpha'].version, $LOAD_PATH.first, require('alpha/part')\n"
      }
    )
  end

  test "gem chooses a version, and another one cannot follow" do
    assert_same_with_gems(
      {
        **gem_files("alpha", "1.0", { "lib/alpha.rb" => "ALPHA = 1\n" }),
        **gem_files("alpha", "2.0", { "lib/alpha.rb" => "ALPHA = 2\n" }),
        "main.rb" => <<~RUBY
        gem "alpha", "1.0"
        p require("alpha"), ALPHA
        begin; gem "alpha", "2.0"; rescue LoadError => error; p error.class, error.message; end
        begin; require "beta"; rescue LoadError => error; p error.message, error.path, error.backtrace; end
      RUBY
      }
    )
  end

  test "a newer gem installed beside a default gem wins, and its activation is seen" do
    assert_same_with_gems(
      {
        **gem_files("abbrev", "99.0", { "lib/abbrev.rb" => "module Abbrev; NEWER = 99; end\n" }),
        **gem_files("set", "99.0", { "lib/set.rb" => "SET_GEM = 99\n" }),
        **gem_files("benchmark", "99.0", { "lib/benchmark.rb" => "module Benchmark; NEWER = 99; end\n" }),
        "main.rb" => <<~RUBY
        $VERBOSE = nil
        p require("benchmark"), Benchmark.const_defined?(:NEWER), Gem.loaded_specs.keys.sort
        p require("json"), Gem.loaded_specs.keys.sort
      RUBY
      }
    )
  end

  test "default gems under their several names" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        $VERBOSE = nil
        %w[json json/ext set delegate forwardable time date psych yaml stringio strscan open3 fileutils tempfile tmpdir uri net/http openssl
           digest digest/sha2 zlib socket io/console etc fcntl monitor English shellwords singleton observer pstore logger erb ripper optparse].each do |name|
          p [name, require(name)]
        rescue LoadError => error
          p [name, error.message]
        end
        p Gem.loaded_specs.keys.sort
      RUBY
  end

  test "gems that were removed from the bundled set warn as in plain Ruby" do
    assert_same_behaviour(
      {
        "main.rb" =>
          "%w[abbrev base64 bigdecimal csv drb getoptlong mutex_m nkf observer ostruct racc rinda syslog].each { |name| begin; p [name, require(name)]; rescue LoadError => error; puts error.message; end }\n"
      },
      args: %w[-w]
    )
  end

  # (A replayed setup leaves out files of Bundler's own: test/bundler_test.rb.)
  test "under Bundler" do
    bundler = RbConfig::CONFIG["bindir"]
    assert_same_behaviour(
      {
        "Gemfile" => "gem 'local', path: 'local'\n",
        "local/local.gemspec" =>
          "Gem::Specification.new { |s| s.name = 'local'; s.version = '1'; s.summary = s.author = 'test'; s.files = ['lib/local.rb'] }\n",
        "local/lib/local.rb" => "require 'local/part'\nLOCAL = 1\n",
        "local/lib/local/part.rb" => "PART = 1\n",
        "main.rb" => <<~'RUBY'
        ENV["BUNDLE_GEMFILE"] = "#{__dir__}/Gemfile"
        ENV["BUNDLE_FROZEN"] = "false"
        require "bundler/setup"
        p require("local"), LOCAL, require("json"), require("set")
        begin; require "minitest"; rescue LoadError => error; p error.message; end
        Bundler.require
        p Gem.loaded_specs.keys.sort, $LOAD_PATH.first.delete_prefix(__dir__)
      RUBY
      },
      env: {
        "WARMSTART_BUNDLER" => "0",
        "BUNDLE_DISABLE_VERSION_CHECK" => "1",
        "PATH" => "#{bundler}:#{ENV["PATH"]}"
      },
      load_path: []
    )
  end
end
