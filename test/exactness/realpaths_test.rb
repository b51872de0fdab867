# frozen_string_literal: true

require_relative "../test_helper"

# Ruby does not load a file again under another name. It remembers the realpath that a path had when it first asked, and
# forgets only what is no feature any more once $LOADED_FEATURES has been changed by somebody else (load.c:
# require_internal, realpath_internal_cached, get_loaded_features_index). What went the direct way is remembered in the
# same way.
class RealpathsTest < TestCase
  # In the folder of the program; what it has renamed and linked is undone at its end, for the next boot finds the same
  # files.
  START = <<~RUBY
    def at(name) = File.join(__dir__, name)
    def try(name)
      p [name, require(at(name))]
    rescue LoadError, RuntimeError => error
      p [name, error.class]
    end
    def becomes_link(folder, target)
      File.rename(at(folder), at(target))
      File.symlink(target, at(folder))
      at_exit { File.unlink(at(folder)); File.rename(at(target), at(folder)) }
    end
  RUBY
  FILES =
    %w[a b c]
      .to_h { |name| ["d/#{name}.rb", "p [:#{name}, __FILE__, __dir__]\n"] }
      .merge("other/x.rb" => "p :x\n")
      .freeze

  # (A sealed image believes that nothing is renamed.)
  def same(main, files = {})
    assert_same_behaviour(
      { **FILES, **files, "main.rb" => START + main },
      misses: :any,
      variants: %i[recording warm native]
    )
  end

  {
    "nothing" => "",
    "adds a feature" => "$LOADED_FEATURES << at('junk.rb')",
    "deletes a feature" => "$LOADED_FEATURES.delete(at('d/b.rb'))",
    "deletes this feature" => "$LOADED_FEATURES.delete(at('d/a.rb'))",
    "sorts the features" => "$LOADED_FEATURES.sort!"
  }.each do |name, change|
    test "a folder becomes a link after files of it were loaded, and the program changes #{name}" do
      same <<~RUBY
        try("d/b.rb")
        try("d/a.rb")
        becomes_link("d", "e")
        #{change}
        try("other/x.rb")
        %w[e/a.rb e/b e/b.rb e/c.rb d/a.rb d/b.rb d/c.rb].each { |path| try(path) }
      RUBY
    end

    test "the program changes #{name}, and then a folder becomes a link" do
      same <<~RUBY
        try("d/b.rb")
        try("d/a.rb")
        #{change}
        try("other/x.rb")
        becomes_link("d", "e")
        %w[e/a.rb e/b.rb d/c.rb e/c.rb d/a.rb].each { |path| try(path) }
      RUBY
    end
  end

  test "the program says that a file was loaded under another name" do
    same <<~RUBY, "l" => :d
      $LOADED_FEATURES << at("l/a.rb")
      try("d/a.rb")
      try("d/b.rb")
      try("l/b.rb")
      $LOADED_FEATURES.delete(at("d/b.rb"))
      try("l/b.rb")
      $LOADED_FEATURES.delete(at("l/a.rb"))
      try("d/a.rb")
    RUBY
  end

  test "a file that was loaded under another name before us, and beside us" do
    same <<~RUBY, "l" => :d
      try("l/a.rb")
      try("d/a.rb")
      try("d/b.rb")
      try("l/b.rb")
      $LOADED_FEATURES.delete(at("l/a.rb"))
      try("d/a.rb")
      try("l/a.rb")
    RUBY
  end

  test "a path that led to another file when it was first asked for" do
    same <<~RUBY, "fails/a.rb" => "raise 'now' unless $again\np [:fails, __FILE__, __dir__]\n"
      try("fails/a.rb")
      $again = true
      becomes_link("fails", "moved")
      try("fails/a.rb")
      try("moved/a.rb")
    RUBY
    same <<~RUBY, "real/a.rb" => "raise 'now' unless $again\np [:real, __FILE__, __dir__]\n", "way/a.rb" => "p :way\n"
      Dir.mkdir(at("kept")) unless Dir.exist?(at("kept"))
      File.rename(at("way"), at("kept/way"))
      File.symlink("real", at("way"))
      at_exit { File.exist?(at("kept/way")) and File.unlink(at("way")) and File.rename(at("kept/way"), at("way")) }
      try("way/a.rb")
      $again = true
      File.unlink(at("way"))
      File.rename(at("kept/way"), at("way"))
      try("way/a.rb")
      try("real/a.rb")
      $LOADED_FEATURES << at("junk.rb")
      try("real/a.rb")
    RUBY
  end

  # A change of $LOADED_FEATURES makes Ruby build its index again, and ask for each realpath that it does not know.
  test "what went the direct way costs no system call when Ruby builds its index again" do
    missing("strace") unless system("strace", "-V", out: File::NULL, err: File::NULL)
    skip "Ruby asks for all of them again before 3.3" if Program::RUBY_NUMBER < Gem::Version.new("3.3")

    program = program({ **100.times.to_h { |i| ["f/f#{i}.rb", "F#{i} = 1\n"] }, "main.rb" => <<~RUBY })
      100.times { |i| require File.join(__dir__, "f/f\#{i}.rb") }
      mark = ->(name) { File.exist?(name) }
      mark.("/begin")
      $LOADED_FEATURES << "/junk.rb"
      require "/junk.rb"
      mark.("/end")
    RUBY

    2.times { program.boot }
    log = File.join(temporary_folder, "strace")
    program.traced(["strace", "-f", "-o", log])
    between =
      File
        .readlines(log)
        .drop_while { |line| !line.include?('"/begin"') }
        .take_while { |line| !line.include?('"/end"') }
    assert_operator between.size, :>, 0
    assert_empty between.grep(%r{/f[/"]})
  end
end
