# frozen_string_literal: true

# compile_worker.rb FOLDER KEY_HASH [ROOT EXCLUDED...]: Compiler runs this in another process, without RubyGems. It
# reads paths from stdin (an Array, as Marshal), has Ruby compile each file without running it, records the code into
# FOLDER, and writes to stdout, as Marshal, what could not be kept: [[path, message or nil], ...]. With a ROOT it
# freezes the string literals of the application's own files there, except for those in the EXCLUDED folders
# (FrozenLiterals).
require_relative "../../warmstart"
require_relative "../configuration"
require_relative "../location"
require_relative "../boot/image_key"
require_relative "../core_ext"

answer = $stdout.dup
answer.binmode
$stdout.reopen(File::NULL)

# to_binary writes equal strings once if they are the same object, and whether they are depends on when garbage was
# collected. So that the output is always the same, nothing is collected. (A chunk is small.)
GC.disable

native = Warmstart::Native
folder, key_hash, root, *excluded = ARGV
abort "another key" unless native.key_hash(Warmstart::Image::Key.text) == key_hash

native.prepare(folder, Warmstart::Image::Key.text, Warmstart::Location.library_extension, nil)
Warmstart::CoreExt::LoadIseq.install
native.hook_enabled = true
if root
  require_relative "../boot/frozen_literals"
  problem = Warmstart::FrozenLiterals.enable(root, excluded) and abort "string literals cannot be frozen: #{problem}"
end
native.start_recording(idle: 0, trusting_times: true, wait: true)

# A file that is compiled silently at the highest warning level is silent at every level. A file that warns is compiled
# again at Ruby's usual level, at which most files are silent.
LISTENER =
  Module.new do
    attr_accessor :heard

    def warn(*, **) = self.heard = true
  end
Warning.extend(LISTENER)
CATEGORIES =
  %i[deprecated experimental performance strict_unused_block].select do |category|
    Warning[category]
    true
  rescue ArgumentError
    false
  end
usual = CATEGORIES.to_h { |category| [category, Warning[category]] }

compile =
  lambda do |path, verbose, categories|
    $VERBOSE = verbose
    categories.each { |category, on| Warning[category] = on }
    Warning.heard = false
    native.compile(path)
  end

failures = []
Marshal
  .load($stdin.binmode)
  .each do |path|
    kept = compile.call(path, true, CATEGORIES.to_h { |category| [category, true] })
    kept = compile.call(path, false, usual) if Warning.heard
    failures << [path, nil] unless kept
  rescue ScriptError, StandardError, SystemStackError => error
    failures << [path, "#{error.class}: #{error.message.lines.first.to_s.strip}"]
  end

$VERBOSE = false
native.request_commit(nil, false, false)
native.wait(600_000) or abort "cannot write #{folder}"
result = native.commit_result || {}
abort result[:message] unless [nil, :missing].include?(result[:error]) # (missing: there was no image before)

answer.write(Marshal.dump(failures))
answer.flush
exit!(0)
