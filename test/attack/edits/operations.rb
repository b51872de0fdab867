# frozen_string_literal: true

require "fileutils"
require_relative "tree"

module Attack
  # The edits of a tree: each method is one, and a, b, c are numbers that parameterize it. An edit that is not possible
  # does nothing.
  class Operations
    # An edit that is listed twice is more frequent.
    EDITS = %i[
      write_same_size
      write_same_size
      write_at_once
      write_longer
      replace
      touch
      rename_file
      rename_folder
      file_becomes_link
      file_becomes_link
      folder_becomes_link
      folder_becomes_link
      link_becomes_real
      link_becomes_real
      retarget
      hard_link
      delete_file
      delete_folder
      new_file
      new_file
      new_library
      new_link
      change_case
      chmod_file
      chmod_folder
      truncate
      line_ends
      file_becomes_folder
      folder_becomes_file
      reinstall
      back_up
      restore
      synchronize
      switch_branch
      edit_data
      bind
      unbind
      swap_folders
    ].freeze

    def self.draw(random) =
      [EDITS.sample(random: random), random.rand(1 << 16), random.rand(1 << 16), random.rand(1 << 16)]

    def initialize(tree, namespace: false)
      @tree = tree
      @namespace = namespace
    end

    def apply(edit)
      name, *numbers = edit
      send(name, *numbers)
    rescue SystemCallError
      nil # (an edit that is not possible is not possible in any repetition either)
    end

    private

    attr_reader :tree

    def path(name) = tree.path(name)
    def file(number) = tree.pick(tree.files.grep(/\.rb\z/i), number)
    def folder(number) = tree.pick(tree.folders - %w[gems gems/gems], number)

    def changed(name) = File.binread(path(name)).sub(/t\d{7}/) { tree.token }

    def keeping_times(name)
      stat = File.stat(path(name))
      yield
      File.utime(stat.atime, stat.mtime, path(name))
    end

    # Another content with the old size, time and inode.
    def write_same_size(a, _, _)
      name = file(a) or return
      keeping_times(name) { File.binwrite(path(name), changed(name)) }
    end

    def write_at_once(a, _, _) = file(a)&.then { |name| File.binwrite(path(name), changed(name)) }
    def write_longer(a, b, _) =
      file(a)&.then { |name| File.binwrite(path(name), changed(name) + ("# more\n" * (1 + (b % 3)))) }
    def touch(a, b, _) = file(a)&.then { |name| b.odd? ? FileUtils.touch(path(name)) : File.utime(b, b, path(name)) }

    # Writes a new file and renames it, as editors and rsync do: another inode, with the same time or another.
    def replace(a, b, _)
      name = file(a) or return
      time = File.mtime(path(name))
      File.binwrite(path("new~"), b.even? ? changed(name) : File.binread(path(name)))
      File.utime(time, time, path("new~")) if b % 4 < 2
      File.rename(path("new~"), path(name))
    end

    def synchronize(a, b, _) = 3.times { |n| replace(a + n, b & ~3, 0) }

    def rename_file(a, b, _)
      name, to = file(a), tree.pick(tree.places, b)
      File.rename(path(name), path(to)) if name && to
    end

    def rename_folder(a, b, _)
      name = folder(a) or return
      to =
        name.end_with?("-moved") ? name.delete_suffix("-moved") : "#{File.dirname(name)}/#{File.basename(name)}-moved"
      to = tree.pick(Tree::FOLDERS.reject { |other| File.exist?(path(other)) }, b) || to if b.odd?
      File.rename(path(name), path(to)) unless File.exist?(path(to))
    end

    # The target of a link in a folder: a relative path, as people write it, or an absolute one.
    def target(from, to, relative)
      return path(to) unless relative

      "#{"../" * from.count("/")}#{to}"
    end

    def file_becomes_link(a, b, c)
      name, into = file(a), folder(b)
      return unless name && into

      to = "#{into}/#{c % 3 == 0 ? File.basename(name) : "moved#{c % 5}.rb"}"
      return if File.exist?(path(to))

      if c.even?
        File.rename(path(name), path(to))
      else
        (
          File.link(path(name), path(to))
          File.unlink(path(name))
        )
      end
      File.symlink(target(name, to, c % 4 < 2), path(name))
    end

    def folder_becomes_link(a, b, c)
      name = folder(a) or return
      to = c % 3 == 0 ? "#{name}-real" : "moved#{c % 4}"
      return if File.exist?(path(to)) || File.symlink?(path(to))

      File.rename(path(name), path(to))
      File.symlink(target(name, to, b.even?), path(name))
    end

    def link_becomes_real(a, b, _)
      name = tree.pick(tree.links, a) or return
      real = File.realpath(path(name))
      return if real == tree.root || path(name).start_with?("#{real}/")

      File.unlink(path(name))
      b % 3 == 0 ? FileUtils.cp_r(real, path(name), preserve: b.even?) : File.rename(real, path(name))
    end

    def retarget(a, b, c)
      name = tree.pick(tree.links, a) or return
      to = File.directory?(path(name)) ? folder(b) : file(b)
      return unless to

      File.symlink(target(name, to, c.even?), path("link~"))
      File.rename(path("link~"), path(name))
    end

    def new_link(a, b, c)
      name = c.even? ? file(a) : folder(a)
      at = c.even? ? tree.pick(tree.places, b) : tree.pick(Tree::FOLDERS + %w[lib/deep2 over/deep], b)
      File.symlink(target(at, name, c % 4 < 2), path(at)) if name && at && !File.exist?(path(at))
    end

    def hard_link(a, b, c)
      name, to = file(a), c.even? ? tree.pick(tree.places, b) : file(b)
      return if !name || !to || name == to

      File.unlink(path(to)) if File.exist?(path(to)) || File.symlink?(path(to))
      File.link(path(name), path(to))
    end

    def delete_file(a, _, _) = file(a)&.then { |name| File.unlink(path(name)) }
    def delete_folder(a, b, _) = (FileUtils.rm_rf(path(folder(a))) if folder(a) && (b % 4).zero?)

    def new_file(a, b, _)
      name = tree.pick(tree.places.reject { |place| File.exist?(path(place)) }, a) or return
      tree.write(name, tree.source(File.basename(name, ".rb"))) if b
    end

    # The file is not a library that can be loaded. Ruby's error shows which file was found.
    def new_library(a, b, _)
      name = tree.pick(tree.places, a) or return
      library = path(name.sub(/rb\z/, RbConfig::CONFIG["DLEXT"]))
      b % 3 == 0 && File.exist?(library) ? File.unlink(library) : File.binwrite(library, "no library")
    end

    def change_case(a, _, _)
      name = file(a) or return
      File.rename(path(name), path("#{File.dirname(name)}/#{File.basename(name).swapcase.sub(/rb\z/i, "rb")}"))
    end

    def chmod_file(a, b, _) = file(a)&.then { |name| File.chmod([0o000, 0o644, 0o444, 0o600][b % 4], path(name)) }
    def chmod_folder(a, b, _) =
      folder(a)&.then { |name| File.chmod([0o000, 0o755, 0o755, 0o311, 0o755][b % 5], path(name)) }
    def truncate(a, b, _) = file(a)&.then { |name| File.truncate(path(name), b.even? ? 0 : File.size(path(name)) / 2) }

    def line_ends(a, _, _)
      name = file(a) or return
      text = File.binread(path(name))
      File.binwrite(path(name), text.include?("\r\n") ? text.gsub("\r\n", "\n") : text.gsub("\n", "\r\n"))
    end

    def file_becomes_folder(a, _, _)
      name = file(a) or return
      File.rename(path(name), path("kept~"))
      Dir.mkdir(path(name))
      File.rename(path("kept~"), path("#{name}/#{File.basename(name)}"))
    end

    def folder_becomes_file(a, _, _)
      name = tree.pick(tree.folders.grep(/\.rb\z/), a) or return
      inside = path("#{name}/#{File.basename(name)}")
      content = File.file?(inside) ? File.binread(inside) : tree.source(File.basename(name, ".rb"))
      FileUtils.rm_rf(path(name))
      tree.write(name, content)
    end

    # As rm -rf and unpacking again: tar gives the files their old times.
    def reinstall(a, b, _)
      name = tree.pick(Tree::GEMS.select { |gem| File.directory?(path(gem)) && !File.symlink?(path(gem)) }, a) or return
      FileUtils.cp_r(path(name), path("copy~"), preserve: true)
      FileUtils.rm_rf(path(name))
      File.rename(path("copy~"), path(name)) if b.even?
      FileUtils.cp_r(path("copy~"), path(name), preserve: true) if b.odd?
      FileUtils.rm_rf(path("copy~"))
      tree
        .files
        .grep(/\A#{Regexp.escape(name)}/)
        .grep(/\.rb\z/)
        .each_with_index do |file, index|
          write_same_size(tree.files.grep(/\.rb\z/i).index(file), 0, 0) if ((b >> index) & 4).positive?
        end
    end

    def backup = File.join(tree.base, "backup")

    def back_up(_, _, _)
      return if tree.mounted?

      FileUtils.rm_rf(backup)
      system("cp", "-a", tree.root, backup, err: File::NULL)
    end

    def restore(_, b, _)
      return if tree.mounted? || !File.directory?(backup) || b % 3 != 0

      FileUtils.rm_rf(tree.root)
      system("cp", "-a", backup, tree.root, err: File::NULL)
    end

    # As git: files that differ are removed and written. Back on the old branch they have the old content and new times.
    def switch_branch(a, b, _)
      @branches ||= []
      other = @branches.pop if b.odd?
      now =
        (other ? other.keys : Array.new(3) { |n| file(a + (n * 7)) }.compact.uniq).to_h do |name|
          [name, (File.binread(path(name)) if File.file?(path(name)))]
        end
      now.each_key do |name|
        content = other ? other[name] : changed(name)
        FileUtils.rm_f(path(name))
        tree.write(name, content) if content
      end
      @branches << now
    end

    def edit_data(a, b, _)
      name = tree.pick(tree.files.grep(/\.yml\z/), a) or return
      if b.even?
        keeping_times(name) { File.binwrite(path(name), changed(name)) }
      else
        File.binwrite(path(name), changed(name))
      end
    end

    def bind(a, b, _)
      from, to = folder(a), folder(b)
      if @namespace && from && to && from != to && !to.start_with?("#{from}/") && !from.start_with?("#{to}/")
        tree.mount(from, to)
      end
    end

    def unbind(_, _, _) = tree.unmount

    # Two folders, or a folder and a link to another folder, swap names.
    def swap_folders(a, b, _)
      one, other = folder(a), tree.pick(tree.folders + tree.links.select { |name| File.directory?(path(name)) }, b)
      return if !one || !other || one == other || one.start_with?("#{other}/") || other.start_with?("#{one}/")

      File.rename(path(one), path("swap~"))
      File.rename(path(other), path(one))
      File.rename(path("swap~"), path(other))
    end
  end
end
