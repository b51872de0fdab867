# frozen_string_literal: true

# Builder runs this in another process, which records: it sets up the bundle of BUNDLE_GEMFILE as the application's
# config/boot.rb does, before anything else is loaded.
$stdout.reopen($stderr) # (a Gemfile is code, and may print)
require_relative "../bundler"
