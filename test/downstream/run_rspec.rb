# frozen_string_literal: true

load Gem.bin_path("rspec-core", "rspec")
