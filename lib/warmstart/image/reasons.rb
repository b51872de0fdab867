# frozen_string_literal: true

module Warmstart
  module Image
    # Explains the words by which Warmstart tells why something did not come from the image. A test (cli_test.rb)
    # compares this table with the words in the C code, which it knows by the form in which they stand there: reason = "word",
    # return "word"; chosen(..., "word"), left_to_ruby(..., "word"). No word stands in two of these tables.
    # @api private
    module Reasons
      # Why an image is not used: core/system/error.c.
      IMAGE = {
        ok: "nothing is wrong",
        missing: "nothing was recorded yet: the first boot does that, or 'warmstart build'",
        system: "the system refused a call; the message says which",
        memory: "there was not enough memory",
        not_regular: "it is a folder, a FIFO or a symlink where a file must be, or a symlink where a folder must be",
        foreign_owner: "it belongs to another user, and an image is code that would run here",
        writable: "group or others may write to it, so they could have put code there; chmod go-w fixes it",
        truncated: "it is shorter than its header says: a copy was cut off, or the disk was full",
        magic: "Warmstart did not write this file",
        format: "another version of Warmstart wrote it; the next boot or build makes it anew",
        key: "another Ruby, other compile options or other encodings wrote it",
        checksum: "its contents do not match their checksum; the next boot or build makes it anew",
        bounds: "an offset points outside of the file: it is damaged",
        fingerprint:
          "it was sealed for another application, or for another state of this one (lockfile, REVISION, " \
            "--fingerprint); build it again",
        lock: "another process is writing the image, or the file system has no locks",
        full: "the disk is full, or the image has reached its maximum size (WARMSTART_MAXIMUM_SIZE)",
        changed: "another process changed it at the same moment",
        unreadable: "not all of it could be read: the file was cut short at the same moment, or its disk is broken",
        incomplete: "a file that belongs to it was removed; the next boot or build makes it anew",
        elsewhere:
          "a clone, a copy or a container's layer may have brought it into the application's folder; the next boot " \
            "or build makes it anew, and a " \
            "folder that WARMSTART_CACHE_DIR names may hold what was made elsewhere"
      }.freeze

      # Why one file was compiled, or checked again: ruby/code/judgement.c and ruby/documents/.
      FILE = {
        not_recorded: "the file is not in the image: no boot has loaded it yet, or it had just been written",
        gone: "the file is not there any more",
        mtime: "the file's modification time differs from the recorded one; its contents are compared",
        ctime: "the file's change time differs (a copy, a restored cache, a chmod); its contents are compared",
        inode: "the file was replaced, or came with a fresh checkout or a container's layer; its contents are compared",
        device: "the file lies on another file system now; its contents are compared",
        size: "the file's size differs, so its contents differ",
        type: "there is no regular file under this name any more",
        realpath: "a symlink on the way to the file leads elsewhere now, which __dir__ would show",
        encoding: "its magic comment names an encoding that Ruby may have to load, which only compiling does",
        warnings:
          "the file warns when Ruby compiles it, or may do so at the present warning level (-w, Warning[]); only " \
            "Ruby itself can print the warning",
        compile_option:
          "RubyVM::InstructionSequence.compile_option was changed in this process, or asks for what compiled code " \
            "does not keep (--debug-frozen-string-literal)",
        debug: "$DEBUG is on (-d): Ruby notes where each frozen literal was made",
        coverage: "Coverage is running and needs instrumented code",
        script_lines: "SCRIPT_LINES__ is defined, so Ruby has to keep the source",
        translate: "RubyVM::InstructionSequence.translate is defined: the program wants to see what Ruby compiles",
        literals:
          "string literals are to be frozen here and were not when it was recorded, or the reverse " \
            "(frozen_string_literals)",
        path_encoding:
          "the name that the program gave makes a path in another encoding than the recorded one, which __FILE__ and " \
            "backtraces would show",
        tags: "a YAML file with tags, whose meaning the program defines, so Psych reads it",
        not_plain:
          "a YAML file with a value that an image cannot hold (a time, a large number, an infinity ...), so Psych " \
            "reads it",
        core: "a method of Ruby's own that Psych uses was replaced, so Psych reads each YAML file",
        psych: "a method of Psych was replaced or wrapped, or a file of Psych's was edited",
        psych_version: "this version of Psych is newer than Warmstart, so Psych reads each YAML file; update Warmstart",
        options: "a YAML file is loaded with a keyword or a path that Warmstart does not support",
        encodings: "Encoding.default_internal is set, to another encoding than UTF-8",
        traced: "a TracePoint is enabled, which may trace Psych's work",
        refused: "Ruby refused the code of this entry (another build of the same Ruby?)"
      }.freeze

      # Why Ruby itself searches for a feature: reason_names in core/index/feature_index.c.
      FEATURE = {
        found: "the index knows the file",
        no_index: "the image has no load-path index yet; the end of the next boot writes one",
        index_off: "the index is off here (WARMSTART=0, WARMSTART_SEARCH=0, or another user's rights)",
        load_path: "there was not enough memory to read the current $LOAD_PATH",
        not_canonical: "the name is absolute, begins with . or ~, or has empty, . or .. parts: Ruby expands it",
        unknown_feature: "the index has no such name: nothing on the recorded load path holds it",
        absent: "the index knows the name, but in no entry of the present $LOAD_PATH",
        opaque_entry:
          "an entry of $LOAD_PATH that only Ruby understands (not a String, ~, empty, a link that is new) comes first",
        unknown_entry: "an entry that the index does not know, or that has changed, has something under that name",
        many_unknown_entries: "too many entries that the index does not know come first",
        folder_changed: "a folder that comes first has changed since the index was made",
        too_long: "the path is too long"
      }.freeze

      # Why a require, or its search, was left to Ruby: ruby/require/way.c. docs/loading.md names Ruby's function behind each reason.
      WAY = {
        off:
          "the direct way is off here (WARMSTART_DIRECT=0, WARMSTART_CODE=0, another load_iseq, or a Ruby that lacks " \
            "what it needs)",
        provided: "the name is provided: Ruby answers false at once",
        loading: "it is being loaded: by this very thread (a circular require), or by another that is waited for",
        loading_natively: "Ruby itself is loading it at this moment",
        library: "a C extension",
        not_a_name: "not an ordinary String of ASCII characters",
        other_ending:
          "the name has another ending than .rb or a library's, and Ruby searches for those in another order",
        absolute: "an absolute path that the image does not know",
        relative: "the name begins with . or ~",
        unopened: "it cannot be opened (there may be no descriptor left), so Ruby's search passes it over",
        complete: "the boot is complete: files may appear anywhere, so Ruby searches",
        load_path_objects: "$LOAD_PATH has an object other than a String, whose to_path only Ruby may call",
        frozen_features: "$LOADED_FEATURES is frozen: Ruby raises an error after the file has run",
        alias: "a symlink is on the way to it: Ruby knows by its realpath whether it was loaded under another name",
        tracepoint: "a TracePoint may want :script_compiled (debuggers set their breakpoints by it)",
        load_iseq:
          "the program has put a RubyVM::InstructionSequence.load_iseq of its own over ours, which Ruby asks for " \
            "each file",
        wrapped: "inside load(file, true), where self and constants differ",
        verbose: "warnings are on (-w), and Ruby names frames in one of them that only its own loads show",
        autoload_inside: "it registers an autoload of itself while it runs",
        autoload: "the target of an autoload: only Ruby's own loads tell Ruby that the file is on its way",
        access_list: "its access list does not let this process read it",
        unfinished: "when it was recorded, its load ended with an exception, forked, or had not ended yet"
      }.freeze

      ALL = { **IMAGE, **FILE, **FEATURE, **WAY }.freeze

      # @param reason [Symbol, String]
      # @return [String] a sentence without capital and full stop
      def self.explain(reason) = ALL.fetch(reason.to_sym, "no explanation is known")
    end
  end
end
