# frozen_string_literal: true

require "ripper"
require_relative "test_helper"
require_relative "support/rooms"

# Nothing points upwards: read from every #include, every call and every require.
class ArchitectureTest < TestCase
  ROOT = Program::REPOSITORY
  LIBC = %w[
    assert
    dirent
    dlfcn
    errno
    fcntl
    inttypes
    limits
    pthread
    setjmp
    signal
    stdarg
    stdbool
    stddef
    stdint
    stdio
    stdlib
    string
    strings
    time
    unistd
    stdatomic
    poll
    sched
    mach/mach
    getopt
    sys/file
    sys/mman
    sys/param
    sys/personality
    sys/random
    sys/resource
    sys/stat
    sys/statfs
    sys/statvfs
    sys/syscall
    sys/sysmacros
    sys/time
    sys/types
    sys/uio
    sys/vfs
    sys/wait
    sys/mount
    sys/attr
    sys/vnode
    sys/auxv
    sys/xattr
    linux/magic
    linux/stat
    copyfile
    sys/acl
    elf
    link
    netdb
    netinet/in
    poll
    pthread
    spawn
    ifaddrs
    sys/inotify
    sys/ioctl
    sys/prctl
    sys/shm
    sys/socket
    sys/un
    sys/utsname
    termios
    utime
    aclapi
    sddl
    windows
    winternl
    io
    process
    direct
    wchar
    wctype
    malloc
    mach/mach_time
    psapi
    winioctl
  ].freeze

  # What each room of the C code may use: the drawing in docs/architecture.md, which says why. The lowest first.
  ROOMS = {
    "core/bytes" => [],
    "core/path" => %w[core/bytes],
    "core/system" => %w[core/bytes core/path],
    "core/file_system" => %w[core/bytes core/system],
    "core/validation" => %w[core/bytes core/file_system core/system],
    "core/image" => %w[core/bytes core/system],
    "core/index" => %w[core/bytes core/file_system core/image core/path core/system core/validation],
    "core/recording" => %w[core/bytes core/file_system core/image core/index core/system],
    "core/adoption" => %w[core/bytes core/image core/index core/recording core/system],
    "ruby/private" => [],
    "ruby/boot" => [],
    "ruby/load_path" => %w[ruby/boot],
    "ruby/recorder" => %w[ruby/boot ruby/load_path ruby/private],
    "ruby/collector" => %w[ruby/boot ruby/private],
    "ruby/code" => %w[ruby/boot ruby/load_path ruby/private ruby/recorder],
    "ruby/documents" => %w[ruby/boot ruby/code ruby/private ruby/recorder],
    "ruby/require" => %w[ruby/boot ruby/code ruby/collector ruby/load_path ruby/private ruby/recorder],
    "ruby/file_system" => [],
    "ruby/command_line" => %w[ruby/boot ruby/recorder]
  }.freeze

  def rooms = @rooms ||= Rooms.new(File.join(ROOT, "ext/warmstart"))

  test "each room uses only the rooms that it may" do
    assert_equal ROOMS.keys.sort, rooms.names.sort
    arrows =
      rooms.arrows.to_h do |room, used|
        [room, room.start_with?("ruby/") ? used.reject { |other, _| other.start_with?("core/") } : used]
      end
    arrows.each do |room, used|
      used.each do |other, causes|
        assert_includes ROOMS.fetch(room), other, "#{room} must not use #{other}: #{causes.first(5).join(", ")}"
      end
    end
    ROOMS.each { |room, allowed| assert_empty allowed - arrows.fetch(room).keys, "#{room} does not use them any more" }
  end

  test "no rooms use one another in a circle" do
    assert_nil rooms.circle
    order = ROOMS.keys
    ROOMS.each { |room, allowed| allowed.each { |other| assert_operator order.index(other), :<, order.index(room) } }
  end

  test "no files of a room call one another in a circle" do
    assert_nil rooms.circle_of_files
    %w[profiler standby].each do |name|
      assert_nil Rooms.new(File.join(ROOT, "ext/warmstart_#{name}"), "*.{c,h}").circle_of_files
    end
  end

  # A room of lib/ is a folder of lib/warmstart with the file of its name, or a file alone; the front door is one of
  # three files, of which each may be the first.
  test "no rooms of lib use one another in a circle, and no files" do
    paths = Dir[File.join(ROOT, "lib/**/*.rb")].grep_v(%r{/warmstart/native/})
    door = %w[warmstart.rb warmstart/native.rb warmstart/first.rb].map { |name| File.join(ROOT, "lib", name) }
    files =
      paths.to_h do |path|
        names = File.read(path).scan(/^[^#\n]*\brequire_relative[ (]+"([^"#]+)"/).flatten
        [path, names.map { |name| "#{File.expand_path(name, File.dirname(path))}.rb" }]
      end
    assert_equal door.values_at(1, 0).sort, Rooms.circle(files).sort
    room = ->(path) { door.include?(path) ? door : path[%r{/lib/warmstart/([^/.]+)}, 1] }
    rooms = Hash.new { |hash, name| hash[name] = [] }
    files.each { |path, required| rooms[room.(path)] |= required.map(&room) - [room.(path)] }
    assert_operator rooms.size, :>, 20
    assert_nil Rooms.circle(rooms)
  end

  test "each folder says what lives in it, what it may use, and where to begin" do
    folders =
      Dir[File.join(ROOT, "ext/*/"), File.join(ROOT, "ext/warmstart/**/"), File.join(ROOT, "lib/warmstart/**/")].uniq
    folders.reject! { |path| path.match?(%r{/lib/warmstart/native/|/bench/bootsnap/bundler/}) }
    assert_operator folders.size, :>, 40
    folders.each { |folder| assert_equal 3, File.read(File.join(folder, "README.md")).lines.grep(/\S/).size, folder }
  end

  # A name in backquotes is that of a file, as far as it takes to tell it from others, or of what the file before it defines.
  test "what docs/architecture.md names as the place of a decision exists" do
    section = File.read(File.join(ROOT, "docs/architecture.md"))[/^## Where is it decided\?\n.*?(?=^## )/m]
    files = Dir.glob("{lib,ext,sig,docs,test}/**/*.{c,h,rb,rbs,md}", base: ROOT).grep_v(%r{/native/})
    text = found = nil
    names = section.scan(/`([^`]+)`/).flatten
    names.each do |name|
      if name.match?(/\.\w+\z/)
        found = files.select { |path| "/#{path}".end_with?("/#{name}") }
        assert_equal 1, found.size, "#{name}: #{found.inspect}"
        text = File.read(File.join(ROOT, found.first))
      else
        assert text.match?(
                 /^#{Regexp.escape(name)}\(|^ *(?:def (?:self\.)?#{Regexp.escape(name)}(?![\w?!])|#{name} =)/
               ),
               "#{name} is not in #{found}"
      end
    end
    assert_operator names.size, :>, 100
    assert_operator section.rstrip.lines.size, :<=, 98
  end

  test "an include and a call are both seen, and a circle" do
    root = temporary_folder
    {
      "core/a/a.c" => "#include \"core/b/b.h\"\nint\nws_a(void)\n{\n    return 1;\n}\n",
      "core/b/b.h" => "int ws_b(void);\n",
      "core/c/c.c" => "int ws_c(void);\nint\nws_c(void)\n{\n    return ws_a(); /* ws_b */\n}\n",
      "core/b/b.c" => "int ws_b(void) { return ws_c(); }\n"
    }.each do |path, text|
      FileUtils.mkdir_p(File.dirname(File.join(root, path)))
      File.write(File.join(root, path), text)
    end
    drawn = Rooms.new(root)
    assert_equal(
      {
        "core/a" => {
          "core/b" => ["core/a/a.c: core/b/b.h"]
        },
        "core/b" => {
          "core/c" => ["core/b/b.c: ws_c"]
        },
        "core/c" => {
          "core/a" => ["core/c/c.c: ws_a"]
        }
      },
      drawn.arrows
    )
    assert_equal %w[core/a core/b core/c], drawn.circle.sort
  end

  def includes(folder)
    Dir[File.join(ROOT, "ext/warmstart", folder, "**/*.{c,h}")].to_h do |path|
      [path.delete_prefix("#{ROOT}/"), File.read(path).scan(/^\s*#\s*include\s+([<"])(.+?)[>"]/)]
    end
  end

  test "the core includes libc and itself only" do
    files = includes("core")
    refute_empty files
    files.each do |path, list|
      list.each do |quote, name|
        allowed =
          (
            if quote == "<"
              LIBC.include?(name.delete_suffix(".h"))
            else
              name.start_with?("core/") && File.file?(File.join(ROOT, "ext/warmstart", name))
            end
          )
        assert allowed, "#{path} includes #{name}"
      end
    end
  end

  test "the core does not know Ruby" do
    Dir[File.join(ROOT, "ext/warmstart/core/**/*.{c,h}")].each do |path|
      code = File.read(path).gsub(%r{/\*.*?\*/}m, "")
      refute_match(/\b(VALUE|rb_[a-z_]+\s*\(|Qnil|ruby\.h)\b/, code, path)
    end
  end

  test "the bindings include Ruby, libc, the core and themselves" do
    includes("ruby").each do |path, list|
      list.each do |quote, name|
        allowed =
          if quote == "<"
            name.start_with?("ruby") || LIBC.include?(name.delete_suffix(".h"))
          elsif path.end_with?("ruby/boot/standby_waiting.c") && name == "../warmstart_standby/standby.h"
            true
          else
            name.match?(%r{\A(core|ruby)/\w+/\w+\.h\z}) && File.file?(File.join(ROOT, "ext/warmstart", name))
          end
        assert allowed, "#{path} includes #{name}"
      end
    end
  end

  test "undeclared functions of Ruby are declared in one file" do
    declared = /^(?:extern )?(?:VALUE|int|void|const char \*|rb_iseq_t \*|const rb_iseq_t \*)\s*\*?(rb_\w+)\(/
    Dir[File.join(ROOT, "ext/warmstart/ruby/**/*.{c,h}")].each do |path|
      next if path.end_with?("private_api.h")

      assert_empty File.read(path).scan(declared).flatten - %w[rb_thread_call_without_gvl], path
    end
  end

  # The interposer is a standby's, too.
  STANDBY = %w[../warmstart_standby/trace.h ../warmstart_standby/standby.h].freeze

  test "a standby and its client are plain C, and need nothing of Warmstart's" do
    files = Dir[File.join(ROOT, "ext/warmstart_standby/*.{c,h}")]
    refute_empty files
    files.each do |path|
      File
        .read(path)
        .scan(/^\s*#\s*include\s+([<"])(.+?)[>"]/)
        .each do |quote, header|
          assert (
                   if quote == "<"
                     LIBC.include?(header.delete_suffix(".h"))
                   else
                     File.file?(File.join(File.dirname(path), header))
                   end
                 ),
                 "#{path} includes #{header}"
        end
    end
  end

  test "what is preloaded, and where a recording lies, is plain C" do
    %w[
      interposer.c
      arena.c
      arena.h
      arena_space_posix.c
      arena_space_windows.c
      calls.h
      calls_windows.c
      system.h
    ].each do |name|
      path = File.join(ROOT, "ext/warmstart_profiler", name)
      File
        .read(path)
        .scan(/^\s*#\s*include\s+([<"])(.+?)[>"]/)
        .each do |quote, header|
          assert (
                   if quote == "<"
                     LIBC.include?(header.delete_suffix(".h"))
                   else
                     (%w[arena.h calls.h system.h] + STANDBY).include?(header)
                   end
                 ),
                 "#{name} includes #{header}"
        end
    end
  end

  # What a program that requires warmstart/setup loads: every file is reached from there, and none is from the standard
  # library.
  ACCELERATOR = %w[
    warmstart.rb
    warmstart/api.rb
    warmstart/version.rb
    warmstart/failsafe.rb
    warmstart/first.rb
    warmstart/native.rb
    warmstart/setup.rb
    warmstart/start.rb
    warmstart/boot/training.rb
    warmstart/configuration.rb
    warmstart/file_names.rb
    warmstart/location.rb
    warmstart/boot/session.rb
    warmstart/boot/frozen_literals.rb
    warmstart/core_ext.rb
    warmstart/bundle.rb
    warmstart/integrations/rails.rb
    warmstart/boot/moments.rb
    warmstart/boot/sizes.rb
    warmstart/boot/gc_governor.rb
    warmstart/boot/memory_limits.rb
    warmstart/boot/adoption.rb
    warmstart/boot/default_gems.rb
    warmstart/boot/tweaks.rb
  ].freeze

  def accelerator
    lib = File.join(ROOT, "lib")
    ACCELERATOR.map { |name| File.join(lib, name) } +
      Dir[File.join(lib, "warmstart/{bundle,boot/session}/**/*.rb"), File.join(lib, "warmstart/boot/image_key.rb")]
  end

  # "3.10" comes before "3.2" as text, and a later Ruby of the same major number may have another signature.
  test "versions of Ruby are compared as numbers" do
    text, major = /\bRUBY_VERSION\b *(?:[<>=]|\.start_with)/, /API_VERSION_M(?:AJ|IN)OR *[<>=]/
    files =
      Dir[File.join(ROOT, "{lib,ext,test,bin,exe,bench,fuzz}/**/*")].select do |path|
        File.file?(path) && (path.match?(/\.(?:rb|c|h)\z/) || !File.basename(path).include?("."))
      end
    assert_operator files.size, :>, 300
    found =
      files
        .grep_v(/architecture_test/)
        .select do |path|
          (content = File.binread(path)).match?(/#{text}|RUBY_#{major}/n) && !content.start_with?("\x7FELF".b)
        end
    assert_empty found
  end

  # The Prism of Ruby 3.3 compiles that into a call of a method that does not exist (core#hash_merge_ptr).
  test "the accelerator puts no Hash with other keys into a literal" do
    assert_empty accelerator.select { |path| File.read(path).match?(/\{\s*\*\*\w/) }
  end

  test "the accelerator requires no standard library" do
    accelerator.each do |path|
      names = File.read(path).scan(/^\s*require\s+["'](.+?)["']/).flatten
      # (Bundler's setup is what lib/warmstart/bundle.rb is there for: what it loads the program has asked for.)
      names.reject! { |name| name.match?(%r{\A(?:bundler|rubygems)(?:/|\z)}) } if path.match?(%r{/warmstart/bundle})
      assert_empty names, path
    end
  end

  # (native.rb says why. Where nothing of the program's has run yet, it makes no difference.)
  test "the accelerator holds the constants of Ruby's own that it names" do
    held = File.read(File.join(ROOT, "lib/warmstart/native.rb"))[/CONSTANTS = %i\[(.*?)\]/m, 1].split
    named =
      [*accelerator, File.join(ROOT, "lib/warmstart/boot/standby.rb")].flat_map do |path|
        tokens = Ripper.lex(File.read(path)).reject { |_, type,| %i[on_sp on_comment].include?(type) }
        tokens
          .each_cons(2)
          .filter_map do |(_, _, before), (_, type, name)|
            name if type == :on_const && !%w[:: . : def].include?(before)
          end
      end
    core = Object.constants.map(&:to_s).select { |name| Object.const_source_location(name)&.empty? }
    assert_operator core.size, :>, 80
    assert_empty (named.uniq & core) - held
    assert_empty held - named
  end

  test "the accelerator does not require the command line, builders or benchmarks" do
    accelerator.each do |path|
      File
        .read(path)
        .scan(/^\s*require_relative\s+["'](.+?)["']/)
        .flatten
        .each do |name|
          target = File.expand_path(name, File.dirname(path)).delete_prefix("#{ROOT}/lib/")
          refute_match(%r{\Awarmstart/(cli|bench|profiler)}, target, path)
          assert accelerator.include?(File.join(ROOT, "lib", "#{target}.rb")), "#{path} requires #{target}"
        end
    end
  end

  test "a boot loads nothing but Warmstart's own files" do
    program = program({ "main.rb" => "puts $LOADED_FEATURES\n" }, args: %w[--disable-gems], witness: false)
    ours = program.boot.stdout.lines(chomp: true) - program.plain.stdout.lines(chomp: true)
    assert_includes ours, Program::SETUP
    assert_empty ours.reject { |path| path.start_with?("#{ROOT}/lib/warmstart") }
    assert_empty ours.map { |path| path.delete_prefix(ROOT) }.grep(/cli|bench|profiler/)
  end

  test "every patch of Ruby lives in core_ext, with install and uninstall" do
    text = File.read(File.join(ROOT, "lib/warmstart/core_ext.rb"))
    kinds = text.scan(/^    (?:class|module) \w+\n.*?^    end\n/m)
    assert_equal 3, kinds.size
    kinds.each { |kind| assert_match(/def install\b.*def uninstall\b/m, kind) }
    others = Dir[File.join(ROOT, "lib/**/*.rb")].reject { |path| path.include?("/core_ext.rb") }
    others.each do |path|
      refute_match(/^\s*(class|module) ::?(Kernel|Object|Module|Warning|RubyVM)\b/, File.read(path), path)
    end
  end

  # What changes a method or a variable that is not Warmstart's, outside of core_ext: where, what, and what takes it out.
  PATCHES = {
    "lib/warmstart/boot/default_gems.rb" => "Gem::Specification.load_defaults; puts itself back when it is called",
    "lib/warmstart/boot/tweaks.rb" => "a TZInfo source's eager_load!; uninstall",
    "lib/warmstart/bundle.rb" => "Bundler::Definition.new, for the one call that Bundler's setup makes next",
    "lib/warmstart/boot/standby.rb" => "the session of the gem debug, while the standby forks",
    "lib/warmstart/bundle/becoming.rb" =>
      "Bundler's and RubyGems' variables, once the real definition takes a record's place; Gem.loaded_specs for that time",
    "lib/warmstart/bundle/light/definition.rb" =>
      "methods of Warmstart's own subclasses of Bundler's and RubyGems' classes",
    "lib/warmstart/bundle/light/specification.rb" => "variables of a real specification, where the program sets them",
    "lib/warmstart/bundle/path_gemspecs.rb" =>
      "Bundler.load_gemspec's Hash of what it has loaded: an error in the place of one file, until Bundler asks for that",
    "lib/warmstart/bundle/recorder.rb" =>
      "methods of Bundler's definition, its sources and its RubyGems' integration, while Bundler.setup runs",
    "lib/warmstart/bundle/replay.rb" =>
      "methods of Bundler's runtime and RubyGems' integration, while Bundler.setup runs",
    "lib/warmstart/bundle/watch/hooks.rb" =>
      "methods that look at files, folders and variables, while Bundler reads the lockfile and finds the gems",
    "lib/warmstart/configuration.rb" => "its own variables",
    "lib/warmstart/image/compile_worker.rb" => "Warning, in the process that does nothing but compile",
    "lib/warmstart/stores/http.rb" => "the socket of its own connection",
    "ext/warmstart/ruby/code/judgement.c" => "compile_option=, by core_ext",
    "ext/warmstart/ruby/code/real_names.c" => "File.rename, symlink and link, until the end of the boot",
    "ext/warmstart/ruby/code/script_lines.c" => "script_lines of code from the image, by core_ext",
    "ext/warmstart/ruby/collector/governor_patches.c" => "GC's methods and Process._fork, until the governor ends",
    "ext/warmstart/ruby/documents/documents.c" => "IO.open, by core_ext",
    "ext/warmstart/ruby/file_system/paths_patch.c" => "File.expand_path and absolute_path, by core_ext",
    "ext/warmstart/ruby/file_system/listing.c" => "its own class",
    "ext/warmstart/ruby/private/patch.c" => "what the others name, and takes it out",
    "ext/warmstart/ruby/recorder/exec_patch.c" => "exec, while a boot is recorded",
    "ext/warmstart/ruby/recorder/warnings.c" => "Warning, while a boot is recorded",
    "ext/warmstart/ruby/require/autoloads.c" => "autoload, by core_ext",
    "ext/warmstart/ruby/require/hook.c" => "load_iseq, by core_ext",
    "ext/warmstart/ruby/require/relative.c" => "require and require_relative, by core_ext"
  }.freeze
  PATCHING = {
    "rb" =>
      /\.(?:prepend|extend|alias_method|define_method|define_singleton_method|remove_method|undef_method|class_eval|module_eval|instance_variable_set)\b|
                        \binstance_variable_set\(|send\(:(?:define_method|alias_method|prepend)|^\s*class\s<<\s::/x,
    "c" =>
      /rb_(?:define_(?:method|singleton_method|private_method|module_function|alias)\((?:rb_[mce][A-Z]|rb_singleton_class|ws_iseq_class)|
                        define_(?:hooked|virtual)_variable|prepend_module|include_module|extend_object|add_method|undef_method\(rb_[mce][A-Z])|
                        ws_patch_install\(/x
  }.freeze

  test "whatever changes methods or variables of others outside of core_ext is in the list" do
    files =
      Dir
        .glob("{lib/warmstart,ext/warmstart}/**/*.{rb,c}", base: ROOT)
        .reject { |path| path.match?(%r{/core_ext\.rb|/native/|/profiler/|/bench/}) }
    found =
      files.select do |path|
        File
          .foreach(File.join(ROOT, path))
          .any? { |line| !line.match?(/^\s*#/) && line.match?(PATCHING.fetch(path[/\w+\z/])) }
      end
    assert_equal PATCHES.keys.sort, found.sort
  end

  test "every Ruby file is frozen and opens with a word about itself" do
    files = Dir[File.join(ROOT, "{lib,test,bench}/**/*.rb")].reject { |path| path.include?("/examples/") }
    files.each { |path| assert_match(/\A(#!.*\n)?# frozen_string_literal: true\n/, File.read(path), path) }
  end

  test "what a platform calls its libraries is said in one place" do
    said = Dir[File.join(ROOT, "lib/**/*.rb")].select { |path| File.read(path).match?(/"bundle" : "so"/) }
    assert_equal [File.join(ROOT, "lib/warmstart/location.rb")], said
  end

  # An extension is linked to Ruby's library before the system's. What of that library stands for a call of the system's
  # and asks for Ruby's thread crashes in ours.
  test "which folders hold no code is said once in C and once in Ruby, and both agree" do
    require_relative "../lib/warmstart/configuration"
    code = File.read(File.join(ROOT, "ext/warmstart/core/index/scanner.c"))
    names = code[/ws_scan_without_code\[\] = \{ (.*), NULL \};/, 1].scan(/"(.*?)"/).flatten
    assert_equal Warmstart::Configuration::WITHOUT_CODE, names
  end

  test "no thread of ours sleeps by the name that Ruby's library for Windows has taken" do
    callers =
      Dir[File.join(ROOT, "ext/**/*.c")].select do |path|
        File.read(path).gsub(%r{/\*.*?\*/}m, "").match?(/\b[Ss]leep\s*\(/)
      end
    assert_empty callers
  end

  test "what is printed has one prefix" do
    Dir[File.join(ROOT, "lib/warmstart/*.rb")].each do |path|
      File
        .read(path)
        .scan(/\$stderr\.puts\s+"(.*?)"/)
        .flatten
        .each { |text| assert text.start_with?("warmstart: "), "#{path}: #{text}" }
    end
    Dir[File.join(ROOT, "ext/warmstart/**/*.c")].each do |path|
      File
        .read(path)
        .scan(/fprintf\(stderr, "(.*?)"/)
        .flatten
        .each { |text| assert text.start_with?("warmstart: "), "#{path}: #{text}" }
    end
  end
end
