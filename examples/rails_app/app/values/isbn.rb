# frozen_string_literal: true

# An ISBN of 13 digits, as printed or scanned.
class ISBN < Dry::Struct
  attribute :digits, Dry.Types::Strict::String

  def self.new(text)
    text.is_a?(Hash) ? super : super(digits: text.to_s.delete("- "))
  end

  def valid?
    digits.match?(/\A97[89]\d{10}\z/) && (checksum % 10).zero?
  end

  def to_s = digits

  private

  def checksum
    digits.each_char.with_index.sum { |digit, index| digit.to_i * (index.even? ? 1 : 3) }
  end
end
