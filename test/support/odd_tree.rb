# frozen_string_literal: true

require "fileutils"
require "socket"

# A folder tree with everything that a file system may contain: odd names, all kinds of links, FIFOs, sockets.
module OddTree
  NAMES = [
    "plain",
    ".hidden",
    "with space",
    "new\nline",
    "tab\t",
    "-dash",
    "\u00e9\u4e2d",
    "\xff\xfe bytes".b,
    "x" * 255,
    "*?[]{}",
    "~",
    "..."
  ].freeze

  module_function

  # @return [String] the folder
  def make(folder)
    fill(folder)
    %w[folder folder/deep folder/deep/er empty].each { |name| FileUtils.mkdir_p(File.join(folder, name)) }
    fill(File.join(folder, "folder/deep"))
    File.write(File.join(folder, "folder/inner"), "inner")
    File.symlink("folder", File.join(folder, "link_to_folder"))
    File.symlink("plain", File.join(folder, "link_to_file"))
    File.symlink("nowhere", File.join(folder, "dangling"))
    File.symlink("..", File.join(folder, "folder/up"))
    File.symlink("self", File.join(folder, "self"))
    File.mkfifo(File.join(folder, "fifo"))
    Dir.chdir(folder) { UNIXServer.new("socket").close }
    folder
  end

  def fill(folder)
    NAMES.each_with_index do |name, index|
      path = File.join(folder.b, name.b)
      File.binwrite(path, "x" * index)
      File.utime(index, Time.at(1_000_000_000 + index, 123_456_789 + index, :nsec), path)
    end
  end
end
