# frozen_string_literal: true

require "socket"
require_relative "../support/image_bytes"
require_relative "section"

module Attack
  # Corrupted and hostile images: the segment's bytes, the manifest's text, and other things in their places. Each case
  # damages a copy of one recorded image, either with wrong checksums, or with valid ones so that the code behind them
  # is reached. Then it boots three times: each boot must behave as plain Ruby, and the last one must be warm. (Payloads
  # never get valid checksums again: an image is code, and what stops a stranger from writing one is not its parser.
  # What must hold is that no table leads out of bounds or into an endless loop.)
  class Images < Section
    SLICE = 200
    LONG = 20_000

    FILES = {
      "lib/a.rb" => "class A; def m = [:a, __FILE__.size, __LINE__]; end\nrequire 'deep/b'\n",
      "lib/deep/b.rb" => "B = %w[b] * 20\ndef b = B.map(&:upcase)\n",
      "lib/c.rb" => (1..40).map { |i| "def c#{i}(x) = [x, #{i}, 'text #{i}']\n" }.join,
      "more/d.rb" => "D = { d: 1 }.freeze\n",
      "main.rb" => <<~RUBY
        require "a"
        cut, size = ENV["CUT"].to_s.split(":")
        File.truncate(cut, size.to_i) if cut && File.file?(cut)
        require "c"
        require "d"
        p A.new.m, b.size, c40(1), D, begin; require("none"); rescue LoadError; $!.message; end
      RUBY
    }.freeze
    HITS = FILES.keys.grep_v(/main/).sort.freeze
    NUMBERS = [
      0,
      1,
      2,
      7,
      15,
      16,
      17,
      127,
      255,
      4095,
      4096,
      65_535,
      (1 << 31) - 1,
      1 << 31,
      (1 << 32) - 16,
      (1 << 32) - 1,
      1 << 32,
      1 << 36,
      (1 << 36) + 16,
      (1 << 62),
      (1 << 63) - 1,
      1 << 63,
      (1 << 64) - 16,
      (1 << 64) - 1
    ].freeze
    SIZES = [0, 1, 1 << 20, 1 << 33, 1 << 36, (1 << 36) + 4096, 1 << 42].freeze

    KINDS = %i[
      bit
      header_bit
      header_number
      section_row
      section_swap
      table_bit
      table_number
      table_copy
      table_fill
      payload_bit
      truncated
      longer
      page
      spliced
      manifest_bit
      manifest_number
      manifest_lines
      manifest_words
      place
      other_key
      lock
      cut
      sparse
    ].freeze

    def prepare
      @program =
        Program.new(
          Dir.mktmpdir("program-", base),
          FILES,
          args: %w[--disable-gems],
          load_path: %w[lib more],
          env: {
            "CUT" => ""
          }
        )
      @template = File.join(base, "template")
      2.times { @program.boot(image: @template) }
      warm = @program.boot(image: @template)
      failed("the attack itself: not warm: #{warm.events}") unless warm.hits == HITS
      @plain = @program.plain(env: {})
      failed("the attack itself: it shows nothing: #{@plain.transcript}") unless @plain.stdout.include?("text 40")
      @manifest = Dir.children(@template).grep(/\.manifest\z/).first
      @segment = Dir.children(@template).grep(/\.segment\z/).max_by { |name| File.size(File.join(@template, name)) }
      @id = @segment[/-(\h{16})/, 1]
    end

    # The damage: the image's folder, the segment's bytes, the manifest's text; heals: whether a boot may replace the
    # image.
    Damage =
      Struct.new(:folder, :random, :segment, :manifest, :sealed, :heals, :environment, :what, keyword_init: true) do
        def path(name) = File.join(folder, name)
      end

    # (Programs run side by side. Each worker needs its own files for what a run shows.)
    def play(id)
      random = random(id)
      kind = KINDS[id.to_i % KINDS.size]
      folder do |base|
        program = @program.dup
        program.instance_variable_set(:@base, base)
        image = File.join(base, "image")
        FileUtils.cp_r(@template, image, preserve: true)
        damage = damage(kind, image, random)
        first = program.boot(image: image, env: damage.environment)
        same(@plain, first, damage.what)
        return unless damage.heals

        same(@plain, program.boot(image: image), "#{damage.what}: the boot after")
        warm(@plain, HITS, program.boot(image: image), "#{damage.what}: the boot after next")
      end
    end

    private

    def damage(kind, image, random)
      damage =
        Damage.new(
          folder: image,
          random: random,
          segment: File.binread(File.join(image, @segment)),
          manifest: File.binread(File.join(image, @manifest)),
          sealed: random.rand(4).positive?,
          heals: true,
          environment: {
          },
          what: kind.to_s.tr("_", " ")
        )
      written = send(kind, damage) || :segment
      write(damage, written) unless written == :nothing
      damage.what += " sealed" if damage.sealed
      damage
    end

    def write(damage, written)
      if written == :segment
        ImageBytes.reseal(damage.segment) if damage.sealed && damage.segment.bytesize >= ImageBytes::HEADER_SIZE
        File.binwrite(damage.path(@segment), damage.segment)
        damage.manifest = ImageBytes.manifest_with(damage.manifest, @id, damage.segment) if damage.sealed
      elsif damage.sealed
        damage.manifest = ImageBytes.seal_manifest(damage.manifest.sub(/^checksum .*\n\z/, ""))
      end
      File.binwrite(damage.path(@manifest), damage.manifest)
    end

    def flip(bytes, random, range)
      at = random.rand(range)
      bytes.setbyte(at, bytes.getbyte(at) ^ (1 << random.rand(8)))
    end

    def number(random) =
      random.rand(3).zero? ? random.rand(1 << [8, 16, 32, 64].sample(random: random)) : NUMBERS.sample(random: random)

    # The bytes of header and tables, without payloads and without the bytes of an entry that tell where its payload is
    # and what it must be.
    def tables(damage) = ImageBytes::HEADER_SIZE...ImageBytes.sections(damage.segment)[ImageBytes::PAYLOADS].first

    # Only this change may touch a payload, because the payload's own checksum detects it.
    def bit(damage)
      damage.sealed = false
      flip(damage.segment, damage.random, 0...damage.segment.bytesize)
      :segment
    end

    def payload_bit(damage)
      flip(
        damage.segment,
        damage.random,
        ImageBytes.sections(damage.segment)[ImageBytes::PAYLOADS].first...damage.segment.bytesize
      )
      :segment
    end

    def header_bit(damage)
      flip(damage.segment, damage.random, 0...ImageBytes::HEADER_SIZE)
      :segment
    end

    def header_number(damage)
      ImageBytes.put(
        damage.segment,
        4 * damage.random.rand(ImageBytes::CHECKSUM_AT / 4 - 1),
        damage.random.rand(2).zero? ? "L<" : "Q<",
        number(damage.random)
      )
      :segment
    end

    def row(number) = ImageBytes::SECTIONS_AT + (ImageBytes::SECTION_SIZE * number)

    def section_row(damage)
      at = row(damage.random.rand(ImageBytes::SECTION_COUNT))
      ImageBytes.put(damage.segment, at, "Q<", number(damage.random)) if damage.random.rand(2).zero?
      ImageBytes.put(damage.segment, at + 8, "Q<", number(damage.random))
      :segment
    end

    def section_swap(damage)
      one, other = [*0..ImageBytes::PAYLOADS].sample(2, random: damage.random).map { |number| row(number) }
      first = damage.segment.byteslice(one, 24)
      damage.segment[one, 24] = damage.segment.byteslice(other, 24)
      damage.segment[other, 24] = first unless damage.random.rand(4).zero?
      :segment
    end

    def table_bit(damage)
      (1 + damage.random.rand(8)).times { flip(damage.segment, damage.random, tables(damage)) }
      :segment
    end

    def table_number(damage)
      range = tables(damage)
      (1 + damage.random.rand(4)).times do
        at = damage.random.rand(range.begin...(range.end - 8)) / 4 * 4
        ImageBytes.put(damage.segment, at, damage.random.rand(2).zero? ? "L<" : "Q<", number(damage.random))
      end
      :segment
    end

    # Copies a part of a table over another part, so that rows occur twice. (Not in the table of entries: the payload of
    # another entry is other code.)
    def table_copy(damage)
      offset, size =
        ImageBytes
          .sections(damage.segment)
          .values_at(3, *4..10)
          .reject { |_, length| length.zero? }
          .sample(random: damage.random)
      length = 1 + damage.random.rand(size)
      from, to = Array.new(2) { offset + damage.random.rand(size - length + 1) }
      damage.segment[to, length] = damage.segment.byteslice(from, length)
      :segment
    end

    # Tables without a free slot, with numbers that all lead to one row, or out of bounds.
    def table_fill(damage)
      offset, size =
        ImageBytes
          .sections(damage.segment)
          .values_at(3, 6, 7, 9, 10)
          .reject { |_, length| length.zero? }
          .sample(random: damage.random)
      damage.segment[offset, size] = ([number(damage.random) & 0xffffffff].pack("L<") * (size / 4 + 1)).byteslice(
        0,
        size
      )
      :segment
    end

    def truncated(damage)
      damage.segment = damage.segment.byteslice(0, damage.random.rand(damage.segment.bytesize))
      :segment
    end

    def longer(damage)
      damage.segment << (damage.random.rand(2).zero? ? "\0" * 16 : damage.random.bytes(1 + damage.random.rand(5000)))
      :segment
    end

    def page(damage)
      damage.sealed = false
      at = damage.random.rand(damage.segment.bytesize)
      length = [4096, damage.segment.bytesize - at].min
      damage.segment[at, length] = damage.random.rand(2).zero? ? "\0" * length : damage.random.bytes(length)
      :segment
    end

    # Replaces the end of the segment by bytes of the segment in reverse order.
    def spliced(damage)
      damage.sealed = false
      other = damage.segment.reverse
      at = damage.random.rand(damage.segment.bytesize)
      damage.segment = damage.segment.byteslice(0, at) + other.byteslice(at..)
      :segment
    end

    def manifest_bit(damage)
      damage.sealed = false
      flip(damage.manifest, damage.random, 0...damage.manifest.bytesize)
      :manifest
    end

    def manifest_number(damage)
      numbers = damage.manifest.enum_for(:scan, /\b\h{16}\b|\b\d+\b/).map { Regexp.last_match.offset(0) }
      from, to = numbers.sample(random: damage.random)
      damage.manifest[from...to] = [
        number(damage.random).to_s,
        format("%016x", number(damage.random)),
        "9" * 40,
        "-1",
        ""
      ].sample(random: damage.random)
      :manifest
    end

    def manifest_lines(damage)
      lines = damage.manifest.lines
      line = lines.sample(random: damage.random)
      case damage.random.rand(4)
      when 0
        lines.delete(line)
      when 1
        lines.insert(damage.random.rand(lines.size), line)
      when 2
        lines.shuffle!(random: damage.random)
      else
        lines.insert(
          -2,
          *Array.new(1 + damage.random.rand(3000)) do |i|
            format("segment %016x %d %016x\n", i + 1, number(damage.random), i)
          end
        )
      end
      damage.manifest = lines.join
      :manifest
    end

    def manifest_words(damage)
      words = [
        "../x",
        "/etc/passwd",
        "segment ../../x 1 0000000000000001\n",
        "flags sealed portable\n",
        "root /\n",
        "fingerprint ../../x #{"0" * 32}\n",
        "%00",
        "%",
        "\0",
        "x" * 70_000,
        "\xff"
      ]
      at = damage.random.rand(damage.manifest.bytesize)
      word = words.sample(random: damage.random)
      damage.manifest[at, damage.random.rand(20)] = word.b
      damage.heals = false if damage.manifest.match?(/^flags .*sealed/) # (no boot replaces a sealed image)
      :manifest
    end

    # Puts something else in the place of a file.
    def place(damage)
      path = damage.path(damage.random.rand(2).zero? ? @manifest : @segment)
      kept = "#{path}.kept"
      File.rename(path, kept)
      how = %i[fifo folder link dangling loop socket zero empty none].sample(random: damage.random)
      damage.what = "#{how} in the place of #{File.extname(path)}"
      damage.heals = false if how == :folder && path.end_with?("manifest")
      case how
      when :fifo
        File.mkfifo(path, 0o600)
      when :folder
        Dir.mkdir(path, 0o700)
      when :link
        File.symlink(kept, path)
      when :dangling
        File.symlink("none", path)
      when :loop
        File.symlink(File.basename(path), path)
      when :socket
        Dir.chdir(damage.folder) { UNIXServer.new(File.basename(path)).close }
      when :zero
        File.symlink("/dev/zero", path)
      when :empty
        File.binwrite(path, "", perm: 0o600)
      end
      damage.sealed = false
      :nothing
    end

    def other_key(damage)
      damage.manifest = damage.manifest.sub(/^key \h{16}/, format("key %016x", damage.random.rand(1 << 64)))
      :manifest
    end

    def lock(damage)
      path = damage.path("lock")
      FileUtils.rm_f(path)
      how = %i[folder fifo link].sample(random: damage.random)
      damage.what = "#{how} in the place of the lock"
      damage.sealed = damage.heals = false
      case how
      when :folder
        Dir.mkdir(path)
      when :fifo
        File.mkfifo(path, 0o600)
      else
        File.symlink(@segment, path)
      end
      :nothing
    end

    # Truncates the file while the program has it mapped.
    def cut(damage)
      path = damage.path(@segment)
      size = damage.random.rand(damage.segment.bytesize)
      damage.environment = { "CUT" => "#{path}:#{size}" }
      damage.what = "cut at #{size}"
      damage.sealed = false
      :nothing
    end

    # Sizes for which the disk has no room, and which header and manifest may confirm.
    def sparse(damage)
      size = SIZES.sample(random: damage.random)
      damage.what = "sparse #{size}"
      path = damage.path(@segment)
      ImageBytes.put(damage.segment, 16, "Q<", size)
      ImageBytes.put(
        damage.segment,
        row(ImageBytes::PAYLOADS) + 8,
        "Q<",
        [size - ImageBytes.sections(damage.segment)[ImageBytes::PAYLOADS].first, 0].max
      )
      if damage.random.rand(2).zero?
        ImageBytes.put(damage.segment, row(ImageBytes::PAYLOADS), "Q<", number(damage.random))
      end
      ImageBytes.reseal(damage.segment) if damage.sealed
      File.binwrite(path, damage.segment)
      File.truncate(path, size)
      damage.manifest =
        ImageBytes.manifest_with(damage.manifest, @id, damage.segment).sub(
          /^(segment #{@id}) \d+/,
          "\\1 #{size}"
        ) if damage.sealed
      damage.manifest = ImageBytes.seal_manifest(damage.manifest.sub(/^checksum .*\n\z/, "")) if damage.sealed
      File.binwrite(damage.path(@manifest), damage.manifest)
      :nothing
    rescue Errno::EFBIG, Errno::EINVAL
      :nothing # (this file system does not allow such a file)
    end
  end
end
