# frozen_string_literal: true

module Warmstart
  # Records what is new, and hands it to the writer.
  # @api private
  class Session
    # Bytes: a boot that has recorded less was a warm one.
    RECORDED_LITTLE = 1 << 20

    # Milliseconds: after such a pause without a new file the thread that writes also commits by itself, code only: the
    # index and the statistics come with request_commit.
    IDLE = 1000

    # A first boot makes its index as soon as the load path has so many entries, and waits so long for it. (Where folders
    # are slow to read, it comes later.)
    LONG_LOAD_PATH = 64
    INDEX_MILLISECONDS = 1000

    # A warm boot writes its index again only if Ruby has searched in vain for more than this many names.
    MISSING_FEW = 8

    # Tells the recording Ruby's folders. It had begun before RbConfig was loaded, which knows them.
    def know_ruby_folders
      stable_roots.concat(Location.ruby_folders).uniq!
    end

    private

    def start_recording
      @announcement = location.announcement
      Native.start_recording(
        idle: IDLE,
        wait: configuration.training,
        maximum_size: configuration.maximum_size,
        ignored: configuration.ignore_directories,
        stable_roots: stable_roots,
        root: location.folder
      )
      # (The C functions in the place of Kernel#exec, Kernel.exec and Process.exec write the recording before Ruby
      # replaces the program. An exec that fails raises as in plain Ruby.)
      Native.define_exec(-> { before_exec })
    end

    # Folders that do not change while a program boots. (Warmstart's own lib is one of them; it may be a path gem's.)
    def stable_roots
      @stable_roots ||= [*Location.ruby_folders, File.expand_path("../../..", __dir__ || ".")]
    end

    # A first boot has no index, and Ruby searches the folders of hundreds of gems for each name. So the index is not left
    # to the end of the boot: it is written when these folders are on the load path, and the rest of the boot uses it.
    def index_at_once
      Native.request_index(LONG_LOAD_PATH, INDEX_MILLISECONDS) if configuration.search
    end

    # Asks the thread that writes (core/recording/) for a commit, if there is anything new.
    #
    # This runs at the end of each program. Where there is nothing new, methods of Ruby's classes are not called
    # (Integer#>, NilClass#nil?, BasicObject#!), because the program may have put others in their place.
    # @param last [Boolean] whether the program ends
    def request_commit(last: false)
      return if @discarded
      return unless Native.recording?

      outdated = @plain_again ? false : configuration.search && (Native.index_outdated? || missing_names?)
      learned = learn_size(last)
      learned = true if learn_kind
      learned = true if learn_adopted
      return unless learned || outdated || pending?

      # (`statistics` allocates, so they are only made if there is a thread that would write them: where a limit is used
      # up, every allocation may be the one that ends the program.)
      Native.start_writer && Native.request_commit(statistics, outdated, learned)
    end

    # Whether there are enough names to remember for which Ruby found no file. A warm boot does not write its index
    # again for a few.
    def missing_names? = Native.more?(Native.missing_pending, pending? ? 0 : MISSING_FEW)

    def pending? = Native.more?(Native.pending, 0)

    def boot_sizes
      @boot_sizes ||= BootSizes.new(Native.statistics)
    end

    # Learns how much memory a boot keeps. A warm boot tells. One that has recorded much gives an estimate, because
    # recording takes memory, and compiling leaves garbage. It is measured once, where the governor has ended (after a
    # pause it may begin again): a command takes much more when the application is ready, and little counts that it
    # takes later.
    def learn_size(last)
      return false if @measured

      governor = @governor or return false
      much = Native.more?(Native.recorded_size, RECORDED_LITTLE)
      return false unless last || governor.ended? || much

      @measured = governor.expects? ? false : true
      return false unless governor.matters?
      return boot_sizes.estimate(@command, governor.size - Native.recorded_size) if much

      boot_sizes.note(@command, governor.size, governor.uncollected, at_most: governor.collected? ? false : true)
    end

    # Learns that this command is a server.
    def learn_kind = @governor&.serves? ? boot_sizes.serves(@command) : false

    # What was taken over from another image is told once (`warmstart status`).
    def learn_adopted
      return false unless @adopted
      return false if @adopted_told

      @adopted_told = true
    end

    # Names this image's folder to first boots of other applications (Adoption), and the standby's client to the
    # application's scripts (CLI::Init::StandbyScripts). The folder for the first is there if an image could be written,
    # because its secret lies there, too.
    def announce
      return unless @announcement

      Native.write_new(@announcement, directory)
      Native.note_client(directory)
    end

    # The program ends.
    def end_recording
      report if configuration.stats
      Bundle.finish if @bundle
      request_commit(last: true)
    end

    # (A file that was loaded for this would be counted.)
    def report
      Native.counts.each { |event, count| $stderr.puts "warmstart: #{event}: #{count}" }
      Native.reasons.each { |(event, reason), count| $stderr.puts "warmstart: #{event} (#{reason}): #{count}" }
      @governor&.statistics&.each { |line| $stderr.puts "warmstart: #{line.sub(" ", ": ")}" }
    end

    # This program is about to be replaced by another one (exec).
    def before_exec
      Failsafe.run("the end of the recording") { request_commit(last: true) }
    end

    def statistics
      lines = Native.counts.map { |event, count| "#{event} #{count}" }
      lines.concat(Native.reasons.map { |(event, reason), count| "#{event}.#{reason} #{count}" })
      # (Array#join would ask a Symbol for to_str, which a program that defines method_missing for all objects can see.)
      lines.concat(Native.ways.map { |(way, reason), count| "way.#{reason ? "#{way}.#{reason}" : way} #{count}" })
      lines.concat((@adopted || {}).map { |name, count| "adopted.#{name} #{count}" })
      lines.concat(@governor&.statistics.to_a)
      lines.concat(boot_sizes.lines)
      "program #{$PROGRAM_NAME}\n#{lines.join("\n")}\n"
    end
  end
end
