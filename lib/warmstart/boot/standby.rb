# frozen_string_literal: true

module Warmstart
  # A process that boots as any other, waits where its boot is complete, and forks for each client that comes
  # (docs/standby.md). It is loaded only in such a process, and leaves nothing in its children.
  # @api private
  module Standby
    # Files that load what a command needs before it begins: those of libraries, and the application's own. Where a Rails
    # application is complete, any command of it can begin. With the others, the last one that the program passes is
    # what counts.
    FEATURES = %w[rspec/core].freeze
    FILES = %w[config/environment spec/spec_helper spec/rails_helper test/test_helper].freeze

    # Threads that a boot leaves, and that their library starts again in a child: part of what Thread#inspect tells,
    # and whether this version does it.
    STARTED_AGAIN = {
      # (Active Record discards its pools after a fork, and a new one has a new reaper)
      "connection_pool/reaper.rb" => -> { ::ActiveSupport.const_defined?(:ForkTracker) },
      # (the pool looks whether it is in another process before each task; a thread that works is none of these)
      "ruby_thread_pool_executor.rb" => -> do
        ::Concurrent::RubyThreadPoolExecutor.private_method_defined?(:ns_reset_if_forked)
      end,
      "@DEBUGGER__::SESSION@server " => -> { !debug_session.nil? }
    }.freeze

    GET_FLAGS = 3 # F_GETFL
    ACCESS_MODE = 3 # O_ACCMODE
    private_constant :GET_FLAGS, :ACCESS_MODE

    class << self
      # @param session [Session]
      def expect(session)
        @session = session
        @fiber = Fiber.current
        FILES.each { |name| expect_file(name, File.join(session.location.root, name)) }
        [*FEATURES, File.basename($PROGRAM_NAME)].uniq.each { |feature| expect_file(feature, feature) }
      end

      # @param point [String] a place at which the process could wait
      def pass(point)
        wait if Native.standby_pass(point)
      end

      private

      def expect_file(point, feature) = Native.landmark(feature, -> { pass(point) })

      # Returns in each child, which then goes on as the command.
      def wait
        @session.application_ready
        obstacle&.then { |why, descriptor| Native.standby_give_up(why, descriptor) }
        Native.end_governor(:complete) # (its thread would wake up 200 times a second)
        Process.respond_to?(:warmup) ? Process.warmup : GC.start
        Native.standby_seal(@session.directory.to_s)
        child = 0
        while child
          Native.standby_wait(child)
          child = fork_child
        end
        Native.standby_become
      end

      # @return [Integer, nil] nil: this is the child; -1: there is none
      def fork_child
        standby = Process.pid
        child = false
        session = debug_session
        session&.define_singleton_method(:active?) { false }
        begin
          child = Process.fork
        ensure
          session&.singleton_class&.send(:remove_method, :active?)
        end
        session&.activate(on_fork: true) unless child
        child
      rescue Exception # rubocop:disable Lint/RescueException
        # (In the child it is a fork hook that failed. The child has told the client that it is the command.)
        raise unless Process.pid == standby

        # No error may leave the standby, which would then go on as the program: with all that the program does.
        child = -1
      ensure
        # (nor may a fork hook's `throw`)
        Process.exit! if child == false && Process.pid == standby
      end

      # The session of the gem debug, if it is one on the terminal and nobody is in it. Its own fork hook
      # (DEBUGGER__::ForkInterceptor) would start its thread again in a child, and make the two a group of processes that
      # are debugged, which has a lock and another prompt. A command is alone. So the session seems to be none while this
      # process forks, and the child does the rest of what the hook does.
      def debug_session
        return unless defined?(::DEBUGGER__::SESSION) && Process.singleton_class.include?(::DEBUGGER__::ForkInterceptor)

        session = ::DEBUGGER__::SESSION
        alone =
          session.active? && !session.in_subsession? && !session.process_group.multi? &&
            session.instance_variable_get(:@ui).instance_of?(::DEBUGGER__::UI_LocalConsole) &&
            ::DEBUGGER__::CONFIG[:no_sigint_hook]
        session if alone && session.method(:activate).parameters.include?(%i[key on_fork])
      rescue NameError
        nil # (another version)
      end

      # What a child would not have, or would share with the others.
      # @return [String, Array(String, Integer), nil] why the process is of no use, and the descriptor that it is about
      def obstacle
        return "its boot is complete in another thread" unless Thread.current == Thread.main
        # (A fork makes the fiber that runs the only one, and what waits for it never runs.)
        return "its boot is complete in another fiber" unless Fiber.current.equal?(@fiber)
        # (Ruby forgets in a child what it has counted: rb_thread_atfork calls rb_reset_coverages.)
        return "its boot has started Coverage" if defined?(::Coverage) && ::Coverage.running?
        return "its boot leaves a Ractor" if defined?(Ractor) && Ractor.count > 1
        # (process.c, prefork: a fork flushes both. An object that gathers text would be flushed once more than in plain
        # Ruby, and in the standby, where nobody sees it.)
        unless IO === $stdout && IO === $stderr
          return "its boot leaves another object in the place of $stdout or $stderr"
        end

        thread = (Thread.list - [Thread.main]).find { |other| !started_again?(other) }
        return "its boot leaves a thread: #{thread.inspect}" if thread

        files = ObjectSpace.each_object(IO).select { |io| open?(io) }
        [$stdout, $stderr, *files].each { |io| flush(io) }
        file = files.find { |io| io.fileno > 2 && !shareable?(io) }
        ["its boot leaves #{file.inspect} open", file.fileno] if file
      end

      def started_again?(thread)
        _, known = STARTED_AGAIN.find { |file, _| thread.inspect.include?(file) }
        known && thread.stop? && known.call
      rescue NameError
        false
      end

      def open?(io)
        !io.closed?
      rescue IOError
        false # (`IO.allocate`, or what is left of an IO.new that failed)
      end

      # What is written here is an effect, and ends the process. (Of what is read, a flush would drop what was put back by
      # ungetc: rb_io_flush_raw calls io_unread. So only what can be written is flushed. Standard input
      # cannot; how the other two are open is not asked, as that would be an effect.)
      def flush(io)
        number = IO.instance_method(:fileno).bind_call(io)
        return if number.zero?
        return if number > 2 && (IO.instance_method(:fcntl).bind_call(io, GET_FLAGS) & ACCESS_MODE) == File::RDONLY

        IO.instance_method(:flush).bind_call(io)
      rescue IOError, SystemCallError
        nil # (it is closed)
      end

      # Pipes and sockets are shared with their other end. How a file is open, the extension looks at. (If another object
      # has closed the descriptor, there is nothing that could be shared.)
      def shareable?(io)
        io.stat.file? || (io.stat.chardev? && !io.tty?)
      rescue Errno::EBADF
        true
      end
    end
  end
end
