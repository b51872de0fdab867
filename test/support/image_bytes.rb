# frozen_string_literal: true

require_relative "format_hash"

# The bytes of an image according to docs/image_format.md, for tests that damage them: the positions of a segment's
# parts, and functions that make the checksums valid again, so that the code behind them is reached. Payloads and their
# checksums are not changed.
module ImageBytes
  HEADER_SIZE = 456
  CHECKSUM_AT = 448
  SECTIONS_AT = 64
  SECTION_SIZE = 24
  SECTION_COUNT = 16
  ENTRIES = 2
  PAYLOADS = 12
  ENTRY_SIZE = 128
  SEEDS = {
    header: 0x7761726d73746172,
    section: 0x73656374696f6e73,
    payload: 0x7061796c6f616473,
    manifest: 0x6d616e6966657374,
    key: 0x6b6579746578746b
  }.freeze

  module_function

  # [offset, size] of each section; [0, 0] for one that is absent.
  def sections(bytes) =
    Array.new(SECTION_COUNT) { |number| bytes.byteslice(SECTIONS_AT + SECTION_SIZE * number, 16).unpack("Q<2") }

  # Makes the checksums of sections and header valid, for the sections that lie inside the file.
  def reseal(bytes)
    sections(bytes).each_with_index do |(offset, size), number|
      next if size.zero? || number == PAYLOADS || offset + size > bytes.bytesize

      put(
        bytes,
        SECTIONS_AT + SECTION_SIZE * number + 16,
        "Q<",
        FormatHash.hash64(bytes.byteslice(offset, size), SEEDS[:section])
      )
    end
    put(bytes, CHECKSUM_AT, "Q<", FormatHash.hash64(bytes.byteslice(0, CHECKSUM_AT), SEEDS[:header]))
  end

  # Makes the payloads' checksums valid, too. (Only for payloads whose code is known: an image is code.)
  def reseal_payloads(bytes)
    (entries, size), (payloads,) = sections(bytes).values_at(ENTRIES, PAYLOADS)
    (entries...(entries + size)).step(ENTRY_SIZE) do |at|
      home, offset, payload_size = bytes.byteslice(at + 80, 24).unpack("Q<3")
      next unless home.zero? && payloads + offset + payload_size <= bytes.bytesize

      put(bytes, at + 104, "Q<", FormatHash.hash64(bytes.byteslice(payloads + offset, payload_size), SEEDS[:payload]))
    end
    reseal(bytes)
  end

  def put(bytes, offset, format, *values)
    packed = values.pack(format)
    bytes[offset, packed.bytesize] = packed
    bytes
  end

  # A manifest's text with a valid checksum, and with the present size and header checksum of one segment.
  def manifest_with(text, id, segment)
    lines = text.lines.reject { |line| line.start_with?("checksum ") }
    lines.map! do |line|
      next line unless line.start_with?("segment #{id} ")

      format("segment %s %d %016x\n", id, segment.bytesize, segment.byteslice(CHECKSUM_AT, 8).to_s.unpack1("Q<") || 0)
    end
    seal_manifest(lines.join)
  end

  def seal_manifest(body) = body + format("checksum %016x\n", FormatHash.hash64(body, SEEDS[:manifest]))
end
