# frozen_string_literal: true

module Attack
  # What is known not to be survived yet, by section: {what "id: message" looks like => why}. Such a case is counted and
  # not shown, and does not make the attack fail. An entry goes as soon as its cause is mended.
  KNOWN = {}.freeze

  def self.known?(section, failure) = KNOWN.fetch(section, {}).any? { |pattern, _| pattern.match?("#{failure[:id]}: #{failure[:message]}") }
end
