# frozen_string_literal: true

require "fileutils"
require_relative "../../standby_program"

module Exactness
  module Standby
    # A world's application in a folder, what is given to its commands, and the changes to both.
    class Stage
      PAUSES = { none: 0, short: 0.04 }.freeze
      # A command whose standby never settles is compared all the same, but not from a standby.
      SECONDS, BEGINNING = 20, 1

      # What was garbage at the end of the boot is closed, so that the numbers of descriptors differ (docs/standby.md).
      DESCRIPTOR = /\bfd:\d+/

      # How many commands came from a standby.
      attr_reader :served, :commands

      def initialize(world, base)
        @program = StandbyProgram.new(base, world.files)
        @files = world.files
        @bundle = world.bundle?
        # (a bundle's paths are those of the application)
        @environment =
          (
            if @bundle
              World::BUNDLED.transform_values do |value|
                world.files.key?(value) || value == "home" ? path(value) : value
              end
            else
              {}
            end
          )
        @folder = ""
        @umask = 0o022
        @prefix = @arguments = []
        @mounts = []
        @served = @commands = 0
        restore
        commit
      end

      # Plays a change, or a pause. What is not possible is left out: both sides see the same then, too.
      def change(kind, *values)
        send(kind, *values)
      rescue SystemCallError, ArgumentError
        nil
      end

      # @return [Array(String, String), nil] what was printed in plain Ruby and with a standby, if that differs
      def difference
        before = answered
        plain = command(:plain)
        ours = command(:run)
        @commands += 1
        @served += 1 if answered.any? { |process, count| count > before.fetch(process, 0) }
        # (plain Ruby once more: what another process does meanwhile is no difference)
        [plain, ours] if ours != plain && command(:plain) == plain
      end

      # The same when there is a standby.
      def difference_from_standby = (difference if settled)

      def close
        unmount
        @program.stop
      end

      private

      # (a bundle needs RubyGems)
      def write_script = File.write(path("foo"), "#!#{RbConfig.ruby}\n#{@files["foo"]}")

      def path(name) = File.join(@program.folder, name)

      def command(way)
        folder = File.directory?(path(@folder)) ? path(@folder) : @program.folder
        client = [StandbyProgram::CLIENT, "--"] if way == :run
        environment =
          @program
            .environment
            .merge(@environment)
            .reject { |name, value| value.nil? || (way == :plain && name.match?(/WARMSTART|RUBYOPT/)) }
        result =
          @program.execute(
            [*@prefix, *client, @program.path("foo"), *@arguments],
            environment,
            chdir: folder,
            umask: @umask
          )
        result.visible.map(&:to_s).join("\n").scrub.gsub(DESCRIPTOR, "fd")
      end

      # How many commands came from each standby: {process => count}.
      def answered = @program.status.to_h { |one| one.values_at("pid", "commands") }

      # Waits until the standby of the last command is complete, or is known to be unfit.
      def settled
        deadline = now + SECONDS
        begun = now + BEGINNING
        loop do
          sleep 0.02
          found = @program.status
          boots = found.any? { |one| one["state"] == "boots" }
          if (found.any? && !boots) || (!boots && now > begun) || now > deadline
            return found.any? { |one| one["state"] == "waits" }
          end
        end
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # ---- changes ----

      def write(name, content, way)
        target = path(name)
        case way
        when :renamed
          File.write(path("new"), content) && File.rename(path("new"), target)
        when :appended
          File.write(target, content, mode: "a")
        when :same_times
          status = File.stat(target)
          File.write(target, content.ljust(status.size, "#")[0, status.size])
          File.utime(status.atime, status.mtime, target)
        else
          File.write(target, content)
        end
      end

      # Changes again and again for so many milliseconds, while a standby boots: so the last change may come in the very
      # tick of the clock of files in which the boot has read it.
      def storm(name, milliseconds)
        deadline = now + milliseconds / 1000.0
        %W[a\n b\n].cycle { |content| now < deadline ? File.write(path(name), content) : break }
      end

      def toggle(name, content)
        return FileUtils.rm_rf(path(name)) if File.symlink?(path(name)) || File.exist?(path(name))

        FileUtils.mkdir_p(File.dirname(path(name)))
        File.write(path(name), content)
      end

      def remove(name) = FileUtils.rm_rf(path(name))

      def mode(name, mode) = File.chmod(mode, path(name))

      def owner(name, user) = File.lchown(user, user, path(name))

      def touch(name, seconds) = File.utime(seconds, 1_000_000_000 + seconds, path(name))

      def link(name, target)
        FileUtils.rm_rf(path(name))
        File.symlink(target.start_with?("/") ? target : path(target), path(name))
      end

      def move(name, other)
        return if other.start_with?(name) || !File.lstat(path(name))

        FileUtils.rm_rf(path(other))
        File.rename(path(name), path(other))
      end

      def swap(name, other)
        File.rename(path(name), path("swapped"))
        File.rename(path(other), path(name)) if File.exist?(path(other))
        File.rename(path("swapped"), path(other))
      end

      # (the same contents and times, another file)
      def copy(name, other)
        return if other.start_with?("#{name}/")

        FileUtils.rm_rf(path("copied"))
        FileUtils.cp_r(path(name), path("copied"), preserve: true)
        FileUtils.rm_rf(path(other))
        File.rename(path("copied"), path(other))
      end

      def hard_link(name, other)
        File.stat(path(name)).file? or return
        FileUtils.rm_rf(path(other)) unless File.identical?(path(name), path(other))
        File.link(path(name), path(other))
      end

      def variable(name, value) = @environment[name] = value

      def folder(name) = @folder = name

      def umask(mask) = @umask = mask

      def prefix(words)
        @prefix = words if words.empty? || system(*words, "true", err: File::NULL)
      end

      def arguments(words) = @arguments = words

      # All files and links as they were at first, each a new one.
      def restore
        unmount
        FileUtils.rm_rf(
          [*@files.keys, *World::LINKS.keys, *World::ABSENT, ".bundle"].map { |name| path(name[%r{[^/]+}]) }.uniq
        )
        @files.each { |name, content| @program.write(name, content) }
        World::LINKS.each { |name, target| File.symlink(target, path(name)) }
        write_script if @bundle
      end

      def commit
        return unless system("git", "--version", out: File::NULL, err: File::NULL)

        git("init", "-q")
        git("add", "-A")
        git("commit", "-q", "-m", "first")
      end

      def checkout
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "other")
        git("checkout", "-q", "-f", "HEAD~1")
      end

      def git(*words)
        system(
          { "HOME" => @program.base },
          "git",
          "-c",
          "user.name=a",
          "-c",
          "user.email=a@b",
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "safe.directory=*",
          *words,
          chdir: @program.folder,
          out: File::NULL,
          err: File::NULL
        )
      end

      # These are tried only where nobody else sees them (command.rb).
      def host(name) = apart { system("hostname", name) }

      def mount(name) = apart { mounted(name) if system("mount", "-t", "tmpfs", "none", path(name), err: File::NULL) }

      def bind(name, other) =
        apart { mounted(other) if system("mount", "--bind", path(name), path(other), err: File::NULL) }

      def mounted(name) = @mounts << path(name)

      def unmount = @mounts.pop(@mounts.size).reverse_each { |place| system("umount", "-l", place, err: File::NULL) }

      def apart
        yield if ENV["EXACTNESS_APART"]
      end

      def pause(length)
        sleep PAUSES.fetch(length, 0)
      end
    end
  end
end
