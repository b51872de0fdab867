# frozen_string_literal: true

require "digest"
require "open3"
require "tmpdir"

# A headless Chromium, if there is one. It returns a page's DOM after its scripts have run, a screenshot, and the lines
# that the console printed.
class Browser
  NAMES = %w[chromium chromium-browser google-chrome google-chrome-stable].freeze
  OPTIONS = %w[
    --headless=new
    --no-sandbox
    --disable-gpu
    --disable-dev-shm-usage
    --hide-scrollbars
    --no-first-run
    --disable-extensions
    --disable-background-networking
    --enable-logging=stderr
    --v=0
    --virtual-time-budget=15000
  ].freeze
  SECONDS = 90

  def self.find
    ENV
      .fetch("PATH", "")
      .split(File::PATH_SEPARATOR)
      .product(NAMES)
      .map { |folder, name| File.join(folder, name) }
      .find { |path| File.executable?(path) }
  end

  def initialize(path = self.class.find)
    @path = path
  end

  # @return [Array(String, Array<String>)] the DOM as HTML, and the console's lines
  def dom(file, width: 1200, dark: false)
    output, errors = run("--dump-dom", "--window-size=#{width},900", scheme(dark), "file://#{file}")
    [output.force_encoding(Encoding::UTF_8), errors.lines(chomp: true).grep(/CONSOLE/)]
  end

  def screenshot(file, image, width:, height: 1000, dark: false)
    run("--screenshot=#{image}", "--window-size=#{width},#{height}", scheme(dark), "file://#{file}")
    image
  end

  private

  def scheme(dark) = "--blink-settings=preferredColorScheme=#{dark ? 0 : 1}"

  def run(*arguments)
    Dir.mktmpdir("warmstart-browser-") do |profile|
      output, errors, =
        Open3.capture3("timeout", SECONDS.to_s, @path, *OPTIONS, "--user-data-dir=#{profile}", *arguments)
      [output, errors]
    end
  end
end
