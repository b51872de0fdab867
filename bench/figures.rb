# frozen_string_literal: true

require "etc"

module Benchmarks
  # The figures of the pages. docs/figures.md has a section for each benchmark and Ruby that `bin/bench --docs` has
  # measured: command, date, machine, and the table. README's table is made of these sections, and so is nobody's to
  # change by hand (test/figures_test.rb).
  class Figures
    APPLICATIONS = %w[rails_app shop].freeze
    # README's columns: a title, and the section, row and column that the figure comes from. %s is the application.
    COLUMNS = [
      %w[CPU %s warmstart CPU],
      ["of plain", "%s", "warmstart", "of plain"],
      ["of bootsnap", "%s", "warmstart", "of bootsnap"],
      ["tweak on neither side", "%s", "warmstart_without_tweaks", "of bootsnap"],
      ["tweak on both", "%s", "warmstart", "of bootsnap_without_tzinfo"],
      ["first boot, of plain", "first_boot", "%s: warmstart", "of plain"],
      %w[memory %s warmstart memory],
      %w[bootsnap's %s bootsnap memory],
      ["a server's", "servers", "%s: warmstart", "memory"],
      ["bootsnap's", "servers", "%s: bootsnap", "memory"],
      ["from a standby, wall", "standby", "%s, production: bin/rails runner 1: standby", "wall"]
    ].freeze

    HEADING = /^## (\w+), Ruby (\d+\.\d+)\n/
    MARKS = %r{(?<=^<!-- bin/bench --docs -->\n).*?(?=^<!-- end -->$)}m
    # What names the release in the system's folder of time zones: TZInfo's work depends on how many zones there are.
    ZONES = "/usr/share/zoneinfo/tzdata.zi"

    # @param folder [String] the repository
    def initialize(folder)
      @page = File.join(folder, "docs/figures.md")
      @readme = File.join(folder, "README.md")
    end

    # Puts a table into docs/figures.md, in the place of an earlier one of the same benchmark and Ruby, and makes
    # README's table anew.
    # @param command [String] what was typed
    # @param result [Hash] what Benchmark#run returns. ruby: the description of the Ruby that it has measured, if that
    #   is another one than this
    def write(name, command, result)
      introduction, sections = read
      ruby = result.fetch(:ruby, RUBY_DESCRIPTION)
      sections[[name, ruby[/\d+\.\d+/]]] = <<~TEXT
        #{wrap("#{result.fetch(:title).sub(/\S/, &:upcase)}:")}
        `#{command}`,
        #{wrap("#{Time.now.strftime("%-d %B %Y")}, #{ruby}.")}
        #{machine}.

        #{Warmstart::Bench::Table.new(result.fetch(:head), result.fetch(:rows)).markdown}

      TEXT
      body = sections.sort.map { |(benchmark, ruby), text| "## #{benchmark}, Ruby #{ruby}\n\n#{text.strip}\n" }
      File.write(@page, [introduction, *body].join("\n"))
      File.write(@readme, File.read(@readme).sub(MARKS) { summary })
    end

    # @return [String] README's table
    def summary
      rubies = read.last.keys.map(&:last).uniq.sort_by { |ruby| Gem::Version.new(ruby) }.reverse
      rows =
        rubies
          .product(APPLICATIONS)
          .filter_map do |ruby, application|
            cells = COLUMNS.map { |_, *place| cell(*place.map { |part| part.sub("%s", application) }, ruby: ruby) }
            ["#{application}, Ruby #{ruby}", *cells] if cells.first != "-"
          end
      "#{Warmstart::Bench::Table.new(["", *COLUMNS.map(&:first)], rows).markdown}\n"
    end

    # @return [String] what stands in README now
    def written = File.read(@readme)[MARKS]

    private

    # @return [Array(String, Hash{Array(String, String) => String})] what comes first, and the sections by benchmark and
    #   minor version of Ruby
    def read
      introduction, *rest = File.read(@page).split(HEADING)
      ["#{introduction.strip}\n", rest.each_slice(3).to_h { |name, ruby, text| [[name, ruby], text] }]
    end

    def cell(benchmark, row, column, ruby:)
      head, _, *rows = read.last[[benchmark, ruby]].to_s.lines.grep(/\A\|/).map { |line| line.split("|").map(&:strip) }
      index = head&.index(column)
      (index && rows.find { |cells| cells[1] == row }&.at(index)) || "-"
    end

    # A page's lines have 100 columns.
    def wrap(text) = text.gsub(/(.{1,100})(?:\s+|\z)/, "\\1\n").chomp

    def machine
      model = File.read("/proc/cpuinfo")[/model name\s*:\s*(.+)/, 1] if File.readable?("/proc/cpuinfo")
      zones = File.read(ZONES)[/\A# version (\S+)/, 1] if File.readable?(ZONES)
      "#{model || RUBY_PLATFORM}, #{Etc.nprocessors} cores, zoneinfo #{zones || "of an unknown release"}"
    end
  end
end
