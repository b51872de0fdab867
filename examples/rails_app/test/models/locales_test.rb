# frozen_string_literal: true

require "test_helper"

class LocalesTest < ActiveSupport::TestCase
  I18n.available_locales.each do |locale|
    test "#{locale} translates all that English does" do
      english, other = [:en, locale].map do |name|
        leaves(YAML.load_file(Rails.root.join("config/locales/#{name}.yml")).fetch(name.to_s))
      end

      assert_equal english.map { |key| key.sub(/\.(one|other)\z/, "") }.uniq,
                   other.map { |key| key.sub(/\.(one|other)\z/, "") }.uniq
    end
  end

  private

  def leaves(tree, prefix = nil)
    return [prefix] unless tree.is_a?(Hash)

    tree.flat_map { |key, value| leaves(value, [prefix, key].compact.join(".")) }
  end
end
