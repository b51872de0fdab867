# frozen_string_literal: true

# Reads an image's raw bytes by docs/image_format.md and by nothing else, and checks every field that the page names.
# The image comes from test/core/make_sample.c, so no extension is needed: a C compiler is.
require "minitest/autorun"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "support/format_hash"

# A segment's bytes, taken apart.
class FormatSegment
  SECTIONS = %i[
    key
    strings
    entries
    entry_table
    load_path
    load_path_names
    directories
    holders
    features
    feature_table
    feature_lists
    statistics
    payloads
  ].freeze
  HEADER = %i[magic format_version byte_order file_size segment_id key_hash flags entry_count created reserved].freeze
  ROWS = {
    entries: [
      128,
      "Q<L<4Q<3q<2Q<6L<4",
      %i[
        path_hash
        path_offset
        path_size
        realpath_offset
        realpath_size
        device
        inode
        size
        mtime
        ctime
        content_low
        content_high
        payload_segment
        payload_offset
        payload_size
        payload_checksum
        flags
        warning_level
        order
        reserved
      ]
    ],
    load_path: [32, "L<2Q<2L<2", %i[expanded_offset expanded_size device inode flags reserved]],
    load_path_names: [24, "Q<L<4", %i[hash name_offset name_size entry reserved]],
    directories: [24, "L<6", %i[name_offset name_size parent holder_first holder_count reserved]],
    holders: [32, "L<2q<2Q<", %i[load_path_entry flags mtime ctime inode]],
    features: [32, "Q<L<6", %i[hash name_offset name_size directory list_first rb_count library_count]]
  }.freeze

  attr_reader :bytes

  def initialize(bytes)
    @bytes = bytes
  end

  def header = HEADER.zip(bytes.unpack("a8L<2Q<3L<2q<Q<")).to_h
  def header_checksum = bytes.unpack1("@448Q<")
  def table = Array.new(16) { |number| bytes.unpack("@#{64 + 24 * number}Q<3") }

  def section(name)
    offset, size, = table[SECTIONS.index(name)]
    bytes.byteslice(offset, size)
  end

  def rows(name)
    size, format, fields = ROWS.fetch(name)
    section(name).unpack("a#{size}" * (section(name).bytesize / size)).map { |row| fields.zip(row.unpack(format)).to_h }
  end

  def words(name) = section(name).unpack("L<*")

  def string(row, field)
    strings = section(:strings)
    offset, size = row.values_at(:"#{field}_offset", :"#{field}_size")
    raise "no NUL behind a string" unless strings.getbyte(offset + size).zero?

    strings.byteslice(offset, size)
  end

  # The row that a hash table gives for a name.
  def find(table_name, rows_name, field, name)
    table = words(table_name)
    slot = FormatHash.hash64(name, 0) % table.size
    table.size.times do |step|
      number = table[(slot + step) % table.size]
      return if number.zero?

      row = rows(rows_name)[number - 1]
      return row if string(row, field) == name
    end
    nil
  end
end

class FormatTest < Minitest::Test
  SEEDS = {
    header: 0x7761726d73746172,
    section: 0x73656374696f6e73,
    payload: 0x7061796c6f616473,
    manifest: 0x6d616e6966657374,
    name: 0,
    key: 0x6b6579746578746b
  }.freeze
  CORE = File.expand_path("../ext/warmstart/core", __dir__)
  KEY = "engine ruby\nversion 3.3.8\nplatform x86_64-linux\n"
  LOCKFILE = "GEM\n  specs:\n    rake (13.2.1)\n"
  # In the order of the boot: path, payload.
  FILES = [
    ["/srv/shop/config/boot.rb", "YARB first payload"],
    ["/srv/shop/app/models/order.rb", "YARB the second payload, longer than sixteen"],
    ["/lib/json.rb", "YARB 16 bytes 16"],
    ["/srv/shop/lib/filler.rb", "f" * 5000]
  ].freeze

  def self.sample
    @sample ||=
      Dir
        .mktmpdir("warmstart-format-")
        .then do |folder|
          Minitest.after_run { FileUtils.rm_rf(folder) }
          root = File.realpath(folder)
          program = File.join(folder, "make_sample")
          sources = Dir[File.join(CORE, "*/*.c")]
          output, status =
            Open3.capture2e(
              ENV.fetch("CC", "cc"),
              "-std=gnu99",
              "-O1",
              "-I#{File.dirname(CORE)}",
              "-I#{File.join(__dir__, "core")}",
              File.join(__dir__, "core/make_sample.c"),
              *sources,
              "-o",
              program,
              "-lpthread"
            )
          raise output unless status.success?

          File.binwrite(File.join(folder, "Gemfile.lock"), LOCKFILE)
          output, status = Open3.capture2e(program, File.join(folder, "image"), root)
          raise output unless status.success?

          [File.join(folder, "image"), root]
        end
  end

  def setup
    @folder, @root = self.class.sample
    @key_hash = format("%016x", hash64(KEY, :key))
    @manifest = File.binread(File.join(@folder, "#{@key_hash}.manifest"))
    @segment_lines = @manifest.scan(/^segment (\h{16}) (\d+) (\h{16})$/)
    @base, @delta =
      @segment_lines.map { |id,| FormatSegment.new(File.binread(File.join(@folder, "#{@key_hash}-#{id}.segment"))) }
  end

  def hash64(bytes, seed) = FormatHash.hash64(bytes, SEEDS.fetch(seed))

  def align(number) = (number + 15) / 16 * 16

  def test_the_folder_holds_what_the_page_names
    names = ["#{@key_hash}.manifest", "lock", *@segment_lines.map { |id,| "#{@key_hash}-#{id}.segment" }]
    assert_equal names.sort, Dir.children(@folder).sort
    assert_equal 0, File.size(File.join(@folder, "lock"))
  end

  def test_manifest
    low, high = FormatHash.hash128(LOCKFILE)
    body, checksum = @manifest.match(/\A(.*^)checksum (\h{16})\n\z/m).captures
    lines = [
      "warmstart manifest 1",
      "key #{@key_hash}",
      "generation 2",
      "flags sealed portable",
      "root #{@root}",
      format("fingerprint Gemfile.lock %016x%016x", high, low)
    ]
    lines +=
      [@base, @delta].map do |segment|
        format("segment %016x %d %016x", segment.header[:segment_id], segment.bytes.bytesize, segment.header_checksum)
      end
    assert_equal lines, body.lines(chomp: true)
    assert_equal format("%016x", hash64(body, :manifest)), checksum
  end

  def test_headers
    { @base => [0, 4], @delta => [1, 2] }.each do |segment, (flags, entry_count)|
      header = segment.header
      assert_equal "\x89WSIMG\r\n".b, header[:magic]
      assert_equal 1, header[:format_version]
      assert_equal 0x01020304, header[:byte_order]
      assert_equal segment.bytes.bytesize, header[:file_size]
      refute_equal 0, header[:segment_id]
      assert_equal hash64(KEY, :key), header[:key_hash]
      assert_equal flags, header[:flags]
      assert_equal entry_count, header[:entry_count]
      assert_in_delta Time.now.to_i, header[:created], 3600
      assert_equal 0, header[:reserved]
      assert_equal hash64(segment.bytes.byteslice(0, 448), :header), segment.header_checksum
      assert_equal "\0" * 8, segment.bytes.byteslice(456, 8)
    end
  end

  def test_sections_follow_each_other_and_are_covered_by_checksums
    [@base, @delta].each do |segment|
      position = 464
      segment.table.each_with_index do |(offset, size, checksum), number|
        next assert_equal([0, 0, 0], [offset, size, checksum]) if size.zero?

        assert_equal position, offset
        position = align(offset + size)
        assert_equal "\0" * (position - offset - size), segment.bytes.byteslice(offset + size, position - offset - size)
        assert_equal number == 12 ? 0 : hash64(segment.bytes.byteslice(offset, size), :section),
                     checksum,
                     "section #{number}"
      end
      assert_equal segment.bytes.bytesize, position
      assert_equal 0, segment.section(:payloads).bytesize % 16
    end
    assert_equal (0..12).to_a, (0..15).reject { |number| @base.table[number][1].zero? }
    assert_equal [0, 1, 2, 3, 12], (0..15).reject { |number| @delta.table[number][1].zero? }
  end

  def test_texts
    assert_equal KEY, @base.section(:key)
    assert_equal "files 3\nwall 0.5\n", @base.section(:statistics)
    assert @base.section(:strings).end_with?("\0")
  end

  def test_entries
    rows = @base.rows(:entries)
    assert_equal FILES.map(&:first), rows.map { |row| @base.string(row, :path) }
    rows.each_with_index do |row, i|
      path, payload = FILES[i]
      low = 0x1111111111111111 * (i % 15 + 1)
      expected = {
        path_hash: hash64(path, :name),
        device: 2049,
        inode: 1000 + i,
        size: 300 + i,
        mtime: 1_700_000_000_123_456_789 + i,
        ctime: 1_700_000_001_987_654_321 + i,
        content_low: low,
        content_high: low ^ FormatHash::MASK,
        payload_segment: 0,
        payload_size: payload.bytesize,
        payload_checksum: hash64(payload, :payload),
        flags: i.odd? ? 4 : 132,
        warning_level: 0x101,
        order: i,
        reserved: 0
      }
      assert_equal expected, row.slice(*expected.keys)
      assert_equal path, @base.string(row, :realpath)
      assert_equal payload, payload_of(@base, row)
    end
    assert_equal FormatSegment::ROWS[:entries].last, rows.first.keys
  end

  # Checks the zeroes behind it, too.
  def payload_of(segment, row)
    offset, size = row.values_at(:payload_offset, :payload_size)
    padded = segment.section(:payloads).byteslice(offset, align(size))
    assert_equal 0, offset % 16
    assert_equal "\0" * (align(size) - size), padded.byteslice(size..)
    padded.byteslice(0, size)
  end

  def test_a_portable_delta_that_refers_to_an_older_segment
    revalidated, added = @delta.rows(:entries)
    assert_equal FILES[0][0], @delta.string(revalidated, :path)
    assert_equal @base.header[:segment_id], revalidated[:payload_segment]
    assert_equal FILES[0][1], payload_of(@base, revalidated)
    assert_equal 1_700_000_060_000_000_000, revalidated[:mtime]
    assert_equal [0, 0, 0], revalidated.values_at(:ctime, :inode, :device)
    assert_equal "/srv/shop/current/new.rb", @delta.string(added, :path)
    assert_equal "/srv/shop/releases/7/new.rb", @delta.string(added, :realpath)
    assert_equal "new", payload_of(@delta, added)
    assert_equal [8, 0x702], added.values_at(:flags, :warning_level)
  end

  def test_hash_tables
    [@base, @delta].each do |segment|
      table = segment.words(:entry_table)
      assert_equal 1, table.size.digits(2).sum
      assert_operator table.size, :>=, 2 * segment.header[:entry_count]
      assert_equal (1..segment.header[:entry_count]).to_a, table.reject(&:zero?).sort
      segment
        .rows(:entries)
        .each { |row| assert_equal row, segment.find(:entry_table, :entries, :path, segment.string(row, :path)) }
      assert_nil segment.find(:entry_table, :entries, :path, "/nowhere.rb")
    end
    assert_equal [1], @base.words(:feature_table).reject(&:zero?)
    assert_equal @base.rows(:features).first, @base.find(:feature_table, :features, :name, "json")
  end

  def test_load_path_index
    entry, = @base.rows(:load_path)
    assert_equal "/lib", @base.string(entry, :expanded)
    assert_equal [2049, 77, 1, 0], entry.values_at(:device, :inode, :flags, :reserved)
    name, = @base.rows(:load_path_names)
    assert_equal "/lib", @base.string(name, :name)
    assert_equal [hash64("/lib", :name), 0, 0], name.values_at(:hash, :entry, :reserved)
    directory, = @base.rows(:directories)
    assert_equal "", @base.string(directory, :name)
    assert_equal [0, 0, 1, 0], directory.values_at(:parent, :holder_first, :holder_count, :reserved)
    holder, = @base.rows(:holders)
    assert_equal [0, 0, 1_700_000_000_000_000_001, 1_700_000_000_000_000_002, 78], holder.values
    feature, = @base.rows(:features)
    assert_equal "json", @base.string(feature, :name)
    assert_equal [hash64("json", :name), 0, 0, 1, 0],
                 feature.values_at(:hash, :directory, :list_first, :rb_count, :library_count)
    assert_equal [0], @base.words(:feature_lists)
  end

  # The page's numbers are the code's: what a person would copy from it.
  def test_the_page_tells_every_field
    page = File.read(File.expand_path("../docs/image_format.md", __dir__))
    fields = FormatSegment::HEADER + FormatSegment::ROWS.values.flat_map(&:last)
    names = fields.map { |field| field.to_s.sub(/\A(path|realpath|expanded|name)_(offset|size)\z/, '\1') }
    names.uniq.each { |name| assert_match(/\| #{name} \|/, page) }
    FormatSegment::SECTIONS.each_with_index do |name, number|
      assert_includes page, "| #{number} | #{name.to_s.upcase} |"
    end
    SEEDS.each { |name, seed| assert_includes page, "| #{name.to_s.upcase} | #{seed.to_s(16)} |" }
    FormatHash::K.each { |key| assert_includes page, format("%016X", key) }
  end
end
