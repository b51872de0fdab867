# frozen_string_literal: true

# hash64 and hash128 as docs/image_format.md describes them. format_test.rb checks them, and the attack on images uses
# them for valid checksums.
module FormatHash
  MASK = (1 << 64) - 1
  K = [
    0xB84FC7434C27DA07,
    0x98A4992F374F2A8B,
    0xA4A697D80BE4F8D1,
    0x851ACEE8B02D2F3B,
    0xB849B8B4E38AD91B,
    0x1C52E09DA7E46667
  ].freeze

  module_function

  def hash64(bytes, seed)
    state = fold(seed ^ K[0], K[1])
    first, second, state = bytes.bytesize <= 16 ? [*short(bytes), state] : long(bytes, state)
    product = (first ^ state) * (second ^ K[3])
    fold(((product & MASK) + first & MASK) ^ K[4] ^ bytes.bytesize, ((product >> 64) + second & MASK) ^ state ^ K[5])
  end

  def hash128(bytes) = [hash64(bytes, K[4]), hash64(bytes, K[5])]

  def fold(a, b) = (((a * b) & MASK) ^ ((a * b) >> 64)) + a + b & MASK

  def absorb(lane, bytes, key)
    first, second = bytes.unpack("Q<2")
    fold(lane ^ first, key ^ second)
  end

  def short(bytes)
    size = bytes.bytesize
    if size >= 8
      [bytes.unpack1("Q<"), bytes.byteslice(-8, 8).unpack1("Q<")]
    elsif size >= 4
      [bytes.unpack1("L<"), bytes.byteslice(-4, 4).unpack1("L<")]
    elsif size.positive?
      [bytes.getbyte(0) << 16 | bytes.getbyte(size / 2) << 8 | bytes.getbyte(size - 1), 0]
    else
      [0, 0]
    end
  end

  def long(bytes, state)
    position = 0
    if bytes.bytesize > 64
      lanes = [state, state ^ K[1], state ^ K[2], state ^ K[3]]
      while bytes.bytesize - position > 64
        lanes = lanes.each_with_index.map { |lane, i| absorb(lane, bytes.byteslice(position + 16 * i, 16), K[2 + i]) }
        position += 64
      end
      state = fold(fold(lanes[0] ^ K[0], lanes[1]), fold(lanes[2] ^ K[1], lanes[3]))
    end
    while bytes.bytesize - position > 16
      state = absorb(state, bytes.byteslice(position, 16), K[2])
      position += 16
    end
    [*bytes.byteslice(-16, 16).unpack("Q<2"), state]
  end
end
