# frozen_string_literal: true

module Attack
  # What Warmstart is known not to survive yet, by section: {pattern of "id: message" => why}. Such a case is counted
  # but not shown, and the attack does not fail because of it. An entry is removed when its cause is fixed.
  KNOWN = {}.freeze

  def self.known?(section, failure) =
    KNOWN.fetch(section, {}).any? { |pattern, _| pattern.match?("#{failure[:id]}: #{failure[:message]}") }
end
