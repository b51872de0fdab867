# frozen_string_literal: true

require_relative "../test_helper"
require "fileutils"
require "open3"

# Zeitwerk, which sits above Kernel#require and lives by autoload: the same program plain, while recording, warm and
# sealed. The gem is installed into tmp/ where no bundle of the examples has it.
class ZeitwerkTest < TestCase
  EXAMPLES = File.join(Program::REPOSITORY, "examples/tmp/gems/ruby", RbConfig::CONFIG["ruby_version"], "gems")
  OWN = File.join(Program::REPOSITORY, "tmp/zeitwerk", RbConfig::CONFIG["ruby_version"])
  # (One version and no range, so that a newer one changes nothing. They are those of the examples' lockfiles.)
  VERSION = Gem::Version.new(RUBY_VERSION) < Gem::Version.new("3.2") ? "2.6.18" : "2.8.3"

  # The folder to be put on the load path, or a reason to skip.
  def self.library
    @library ||=
      find ||
        begin
          output, status =
            Open3.capture2e("gem", "install", "--no-document", "--install-dir", OWN, "zeitwerk", "--version", VERSION)
          status.success? && find || "zeitwerk cannot be installed: #{output.lines.last.to_s.strip}"
        rescue SystemCallError => error
          "zeitwerk cannot be installed: #{error.message}"
        end
  end

  def self.find =
    Dir[File.join(EXAMPLES, "zeitwerk-#{VERSION}/lib"), File.join(OWN, "gems/zeitwerk-#{VERSION}/lib")].max

  def setup
    super
    library = self.class.library
    File.directory?(library) ? @library = library : missing(library)
  end

  HEAD = <<~RUBY
    require "zeitwerk"
    at_exit { puts Witness.features }
  RUBY

  def assert_zeitwerk(files, main:, **options)
    files = files.transform_keys { |name| "app/#{name}" }.merge("main.rb" => HEAD + main)
    plain = assert_same_behaviour(files, load_path: ["", @library], misses: :any, **options)
    assert_equal "exit 0", plain.status, plain.stderr
  end

  LOADER = "loader = Zeitwerk::Loader.new; loader.push_dir(File.join(__dir__, 'app'))\n"

  TREE = {
    "user.rb" => "class User; NAME = 'user'; def posts = [Blog::Post.new]; end\n",
    "blog.rb" => "module Blog; VERSION = 1; end\n",
    "blog/post.rb" => "module Blog\n  class Post < ApplicationRecord\n    def author = User::NAME\n  end\nend\n",
    "blog/comments/spam.rb" => "module Blog::Comments; class Spam; end; end\n",
    "application_record.rb" =>
      "class ApplicationRecord; def self.inherited(k) = ((@kids ||= []) << k.name; super); def self.kids = @kids; end\n",
    "admin/users_controller.rb" => "class Admin::UsersController; def call = Blog::Post.new.author; end\n"
  }.freeze

  test "explicit and implicit namespaces, loaded when they are touched" do
    assert_zeitwerk(TREE, main: LOADER + <<~RUBY)
      loader.setup
      p Admin::UsersController.new.call, Blog::VERSION, Blog::Comments::Spam, User.new.posts.map(&:class), ApplicationRecord.kids
      p Object.autoload?(:User), Blog.autoload?(:Post), Blog.constants.sort, Admin.constants
      begin; Blog::Missing; rescue NameError => error; p error.message, error.backtrace.first; end
    RUBY
  end

  test "eager loading" do
    assert_zeitwerk(TREE, main: LOADER + <<~'RUBY')
      loader.setup
      loader.eager_load
      p Blog.constants.sort, ApplicationRecord.kids, $LOADED_FEATURES.grep(/app\//).size
      p loader.unloadable_cpaths.sort rescue p $!.class
    RUBY
  end

  test "eager loading in a program with threads" do
    assert_zeitwerk(TREE, main: "Thread.new { sleep }\n#{LOADER}" + <<~RUBY)
      loader.setup
      loader.eager_load
      p Blog.constants.sort, ApplicationRecord.kids
    RUBY
  end

  test "reloading, with a file that changes, one that goes and one that comes" do
    assert_zeitwerk(TREE, main: LOADER + <<~'RUBY')
      loader.enable_reloading
      loader.setup
      p User::NAME, Blog::Post.new.author
      first = User
      loader.reload
      p User.equal?(first), User::NAME, $LOADED_FEATURES.grep(/app\//).size
      File.write(File.join(__dir__, "app/user.rb"), "class User; NAME = 'another user'; end\n")
      File.unlink(File.join(__dir__, "app/blog/comments/spam.rb"))
      File.write(File.join(__dir__, "app/fresh.rb"), "class Fresh; end\n")
      loader.reload
      p User::NAME, Blog::Post.new.author, Fresh, defined?(Blog::Comments)
      3.times { loader.reload; p User::NAME, Blog::VERSION }
    RUBY
  end

  test "collapsed and ignored folders, inflections, a custom root namespace" do
    files = {
      "models/html_parser.rb" => "class HTMLParser; end\n",
      "concerns/taggable.rb" => "module Taggable; end\n",
      "actions/show/view.rb" => "module Show; class View; end; end\n",
      "ignored/broken.rb" => "raise 'never'\n"
    }
    assert_zeitwerk(files, main: <<~RUBY)
      loader = Zeitwerk::Loader.new
      loader.inflector.inflect("html_parser" => "HTMLParser")
      app = File.join(__dir__, "app")
      loader.push_dir(app)
      %w[models concerns actions].each { |name| loader.collapse(File.join(app, name)) }
      loader.ignore(File.join(app, "ignored"))
      loader.setup
      p HTMLParser, Taggable, Show::View, defined?(Ignored)
      loader.eager_load
    RUBY
  end

  test "several loaders, and a file that another one shadows" do
    files = {
      "one/thing.rb" => "class Thing; FROM = 1; end\n",
      "two/thing.rb" => "class Thing; FROM = 2; end\n",
      "two/other.rb" => "class Other; end\n",
      "gem/lib/my_gem.rb" => "require 'zeitwerk'\nmodule MyGem; LOADER = Zeitwerk::Loader.for_gem; LOADER.setup; end\n",
      "gem/lib/my_gem/part.rb" => "class MyGem::Part; end\n"
    }
    assert_zeitwerk(files, main: <<~RUBY)
      loaders = %w[one two].map { |name| Zeitwerk::Loader.new.tap { |loader| loader.push_dir(File.join(__dir__, "app", name)); loader.setup } }
      $LOAD_PATH.unshift File.join(__dir__, "app/gem/lib")
      require "my_gem"
      p Thing::FROM, Other, MyGem::Part
      loaders.each(&:eager_load)
      Zeitwerk::Loader.eager_load_all
    RUBY
  end

  test "a file that does not define what its name says, and one that fails at first" do
    files = {
      "wrong.rb" => "Right = 1\n",
      "flaky.rb" => "$tries = $tries.to_i + 1\nraise 'not yet' if $tries == 1\nclass Flaky; end\n"
    }
    assert_zeitwerk(files, main: LOADER + <<~RUBY)
      loader.setup
      begin; Wrong; rescue NameError => error; puts error.class, error.message; end
      begin; Flaky; rescue RuntimeError => error; puts error.message, error.backtrace.first; end
      p Flaky, $tries
    RUBY
  end

  test "threads that touch the same constants" do
    # (It ends after the others, so that the order of what is loaded is no question of time.)
    files = TREE.merge("slow.rb" => "sleep 0.05\nclass Slow\n  sleep 0.01 until $others_have_ended\n  VALUE = 1\nend\n")
    assert_zeitwerk(files, main: LOADER + <<~RUBY)
      loader.setup
      p 8.times.map { |i| Thread.new { i.even? ? Slow::VALUE : Blog::Post.new.author.tap { $others_have_ended = true } } }.map(&:value).tally
    RUBY
  end

  test "callbacks, and constants that are required by path" do
    assert_zeitwerk(TREE, main: LOADER + <<~'RUBY')
      loader.on_load { |cpath, value, path| puts "#{cpath} #{value.class} #{File.basename(path)}" }
      loader.setup
      p require(File.join(__dir__, "app/user")), User::NAME
      p require(File.join(__dir__, "app/blog.rb")), Blog::Post
      require_relative "app/application_record"
    RUBY
  end

  test "folders that are collapsed; reloads in the middle, again and again" do
    assert_same_behaviour(
      {
        "app/user.rb" => "class User; include Named; def post = Post; end\n",
        "app/post.rb" => "class Post; end\n",
        "app/concerns/named.rb" => "module Named; end\n",
        "app/admin/panel.rb" => "class Admin::Panel; PART = Part; class Part2; end; end\n",
        "app/admin/panel/part.rb" => "class Admin::Panel::Part; end\n",
        "app/shop.rb" => "module Shop; end\n",
        "app/shop/cart.rb" => "class Shop::Cart; end\n",
        "main.rb" => <<~'RUBY'
        require "zeitwerk"
        loader = Zeitwerk::Loader.new
        loader.push_dir("#{__dir__}/app")
        loader.collapse("#{__dir__}/app/concerns")
        loader.enable_reloading
        loader.setup
        p User.new.post, Shop::Cart, Witness.features
        loader.reload
        p Witness.features, User.instance_method(:post).source_location, Admin::Panel::PART
        loader.eager_load
        p Witness.features
        3.times { loader.reload; loader.eager_load }
        p Witness.features.size, Admin::Panel.constants.sort
      RUBY
      },
      args: ["-I", @library]
    )
  end
end
