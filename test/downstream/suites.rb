# frozen_string_literal: true

require_relative "source"
require_relative "suite"
require_relative "standby_day"

module Downstream
  MINITEST = "\"minitest\", \"~> 5.25\""
  RSPEC = Source.new("ruby-rspec", "sid", "3.13.2c6e5m8s7")
  RSPEC_GEMS = %w[core expectations mocks support].map { |name| "\"rspec-#{name}\", path: \"SOURCE/rspec-#{name}\"" }
  RAILS = Source.new("rails", "trixie", "7.2.2.2+dfsg")
  RAILS_GEMS = ->(*names) { [*names.map { |name| "#{name.dump}, path: \"SOURCE\"" }, MINITEST] }
  RUBY = Source.new("ruby3.3", "trixie", "3.3.8")
  SERVERS = ["test/integration*_test.rb"].freeze # (they listen on fixed ports)

  # (Sources come from a gem if it contains the tests, because a gem's version never changes; else from Debian's trixie.
  # Those that name sid could not be fetched from trixie: Debian's archive answered 404.)
  #
  # One line for each suite. The versions of the gems are those of the lockfiles (lock.rb).
  SUITES = [
    Suite.new(
      "rack",
      source: Source.new("ruby-rack", "sid", "3.2.7"),
      files: "test/spec_*.rb",
      gems: ["\"rack\", path: \"SOURCE\"", MINITEST, "\"minitest-global_expectations\"", "\"webrick\"", "\"logger\""]
    ),
    Suite.new(
      "sinatra",
      source: Source.new("ruby-sinatra", "sid", "4.2.1"),
      files: "test/*_test.rb",
      gems: [
        "\"sinatra\", path: \"SOURCE\"",
        "\"rack-protection\", path: \"SOURCE/rack-protection\"",
        MINITEST,
        "\"rack-test\"",
        "\"rackup\"",
        "\"webrick\"",
        "\"builder\"",
        "\"erubi\"",
        "\"haml\"",
        "\"slim\"",
        "\"activesupport\""
      ],
      except: SERVERS
    ),
    Suite.new(
      "i18n",
      source: Source.new("ruby-i18n", "sid", "1.15.2"),
      files: "test/**/*_test.rb",
      gems: ["\"i18n\", path: \"SOURCE\"", MINITEST, "\"mocha\"", "\"test_declarative\"", "\"oj\"", "\"racc\""]
    ),
    Suite.new(
      "thor",
      source: Source.new("ruby-thor", "sid", "1.5.0"),
      runner: :rspec,
      load: %w[lib spec],
      files: "spec/**/*_spec.rb",
      gems: [
        "\"thor\", path: \"SOURCE\"",
        "\"rspec\", \"~> 3.13\"",
        "\"webmock\"",
        "\"coveralls_reborn\"",
        "\"rake\"",
        "\"rdoc\"",
        "\"readline\"",
        "\"diff-lcs\""
      ]
    ),
    Suite.new(
      "tzinfo",
      source: Source.new("ruby-tzinfo", "trixie", "2.0.6"),
      files: "test/tc_*.rb",
      load: %w[lib test test/ts_all],
      gems: ["\"tzinfo\", path: \"SOURCE\"", MINITEST, "\"tzinfo-data\""]
    ),
    *%w[core expectations mocks support].map do |name|
      Suite.new(
        "rspec-#{name}",
        source: RSPEC,
        folder: "rspec-#{name}",
        runner: :rspec,
        load: %w[lib spec],
        files: "spec/**/*_spec.rb",
        gems: [
          *RSPEC_GEMS,
          "\"aruba\"",
          "\"thread_order\"",
          "\"coderay\"",
          "\"minitest\", \"~> 5.25\"",
          "\"test-unit\"",
          "\"flexmock\"",
          "\"mocha\"",
          "\"rr\"",
          "\"rake\""
        ],
        locked_as: "rspec-core"
      )
    end,
    Suite.new(
      "minitest",
      source: PackedGem.new("minitest", "6.0.6"),
      files: "test/minitest/test_*.rb",
      gems: ["\"minitest\", \"6.0.6\""],
      rubies: ">= 3.2"
    ),
    Suite.new(
      "rubocop",
      source: Source.new("rubocop", "trixie", "1.39.0+dfsg"),
      runner: :rspec,
      load: %w[lib spec],
      files: "spec/rubocop/*_spec.rb",
      gems: ["\"rubocop\", path: \"SOURCE\"", "\"rspec\", \"~> 3.13\"", "\"webmock\"", "\"rubocop-ast\"", "\"rake\""]
    ),
    Suite.new(
      "builder",
      source: PackedGem.new("builder", "3.3.0"),
      files: "test/test_*.rb",
      gems: ["\"builder\", path: \"SOURCE\"", MINITEST]
    ),
    Suite.new(
      "addressable",
      source: Source.new("ruby-addressable", "trixie", "2.8.7"),
      runner: :rspec,
      load: %w[lib spec],
      files: "spec/**/*_spec.rb",
      gems: [
        "\"addressable\", path: \"SOURCE\"",
        "\"rspec\", \"~> 3.13\"",
        "\"rspec-its\"",
        "\"rack-mount\", require: false",
        "\"activerecord\"",
        "\"bigdecimal\""
      ]
    ),
    Suite.new(
      "liquid",
      source: Source.new("ruby-liquid", "sid", "5.14.0"),
      files: "test/{unit,integration}/**/*_test.rb",
      gems: ["\"liquid\", path: \"SOURCE\"", MINITEST, "\"bigdecimal\"", "\"base64\"", "\"strscan\"", "\"lru_redux\""]
    ),
    Suite.new(
      "kramdown",
      source: PackedGem.new("kramdown", "2.5.2"),
      files: "test/test_*.rb",
      gems: ["\"kramdown\", \"2.5.2\"", MINITEST, "\"rouge\"", "\"stringex\""]
    ),
    Suite.new(
      "rake",
      source: Source.new("rake", "trixie", "13.2.1"),
      runner: :test_unit,
      files: "test/test_*.rb",
      gems: ["\"rake\", path: \"SOURCE\"", "\"test-unit\"", "\"test-unit-ruby-core\""]
    ),
    Suite.new(
      "slim",
      source: PackedGem.new("slim", "5.2.2"),
      files: "test/core/test_*.rb",
      load: %w[lib test/core],
      gems: ["\"slim\", \"5.2.2\"", MINITEST, "\"asciidoctor\"", "\"kramdown\"", "\"logger\"", "\"ostruct\""]
    ),
    # (the server wants a file that its authors fetch)
    Suite.new(
      "jekyll",
      source: Source.new("jekyll", "trixie", "4.3.4+dfsg"),
      files: "test/test_*.rb",
      except: ["test/test_commands_serve*.rb"],
      gems: [
        "\"jekyll\", path: \"SOURCE\"",
        "\"jekyll-sass-converter\", \"~> 2.2\"",
        MINITEST,
        "\"minitest-reporters\"",
        "\"minitest-profile\"",
        "\"rspec-mocks\"",
        "\"shoulda\"",
        "\"simplecov\"",
        "\"nokogiri\"",
        "\"httpclient\"",
        "\"activesupport\", \"~> 7.0\"",
        "\"classifier-reborn\"",
        "\"jekyll-coffeescript\"",
        "\"jekyll-paginate\"",
        "\"tomlrb\"",
        "\"csv\"",
        "\"ostruct\"",
        "\"base64\"",
        "\"pathutil\"",
        "\"bigdecimal\"",
        "\"logger\""
      ]
    ),
    # (the tests of the caches need servers)
    Suite.new(
      "activesupport",
      source: RAILS,
      folder: "activesupport",
      files:
        "test/{,core_ext/**/,json/,concurrency/,messages/,notifications/,deprecation/,dependencies/,testing/}*_test.rb",
      gems: [
        *RAILS_GEMS["activesupport"],
        "\"builder\"",
        "\"rack\"",
        "\"rexml\"",
        "\"nokogiri\"",
        "\"listen\"",
        "\"msgpack\"",
        "\"zeitwerk\"",
        "\"benchmark\""
      ]
    ),
    Suite.new(
      "activemodel",
      source: RAILS,
      folder: "activemodel",
      files: "test/cases/**/*_test.rb",
      gems: [*RAILS_GEMS["activemodel", "railties"], "\"bcrypt\""]
    ),
    Suite.new(
      "actionview",
      source: RAILS,
      folder: "actionview",
      files: "test/**/*_test.rb",
      gems: [
        *RAILS_GEMS["actionview", "actionpack", "activerecord", "railties"],
        "\"sqlite3\"",
        "\"capybara\"",
        "\"prism\""
      ]
    ),
    Suite.new(
      "actionpack",
      source: RAILS,
      folder: "actionpack",
      files: "test/**/*_test.rb",
      first: ["no_browser.rb"],
      gems: [
        *RAILS_GEMS["actionpack", "activemodel", "railties"],
        "\"capybara\"",
        "\"selenium-webdriver\"",
        "\"rack-cache\"",
        "\"launchy\"",
        "\"dalli\"",
        "\"prism\""
      ]
    ),
    # (Without the tests that make whole applications and install bundles of the gems in Rails' own Gemfile: those of
    # test/application, test/engine, test/railties and most of test/commands, which stand on test/isolation. And without
    # test/generators, whose applications leave one another's files behind and end the process when they run in one.
    # new-rails-application does what they do.)
    Suite.new(
      "railties",
      source: RAILS,
      folder: "railties",
      files:
        "test/{*,command/base,{configuration,minitest,test_unit}/*,commands/{application,console,dbconsole}}_test.rb",
      gems: [
        *RAILS_GEMS["rails", "railties"],
        "\"sqlite3\"",
        "\"rack-cache\"",
        "\"minitest-mock\"",
        "\"minitest-retry\"",
        "\"cgi\""
      ]
    ),
    # (parts of Ruby itself that come with it as gems)
    Suite.new("psych", source: RUBY, runner: :ruby, load: %w[tool/lib test/lib], files: "test/psych/**/test_*.rb"),
    Suite.new(
      "rubygems",
      source: RUBY,
      runner: :ruby,
      load: %w[lib tool/lib test/lib],
      files: "test/rubygems/test_*.rb",
      rubies: "~> 3.3.0"
    ),
    # Bundler's own: of its parts, and of `bundler/setup` and `Bundler.require` in other processes. (Without those of the
    # parts that start other programs or install, which take most of the time; "commands", "install" and so on take hours.
    # What asks a server on the network, "realworld", is left out by itself.)
    *{ "bundler" => "bundler", "bundler-runtime" => "runtime" }.map do |name, folder|
      Suite.new(
        name,
        source: RUBY,
        runner: :rspec,
        load: %w[spec/bundler spec/lib],
        files: "spec/bundler/#{folder}/**/*_spec.rb",
        options: %w[--require spec_helper],
        bundler: false,
        env: {
          "RUBYLIB" => "SOURCE/lib"
        },
        rubies: "~> 3.3.0",
        except: [
          "spec/bundler/bundler/{,*/,source/git/}{cli,shared_helpers,git_proxy,gem_helper,installer,bundler,env,friendly_errors,plugin,definition}_spec.rb"
        ],
        gems: [
          "\"rspec-core\", \"~> 3.12\"",
          "\"rspec-expectations\"",
          "\"rspec-mocks\"",
          "\"rake\"",
          "\"webrick\"",
          "\"test-unit\""
        ],
        locked_as: "bundler",
        set_up: [
          "-rbundler",
          "-rsupport/rubygems_ext",
          "-e",
          "Spec::Rubygems.send(:install_gems, Spec::Path.test_gemfile, Spec::Path.base_system_gems.to_s)"
        ]
      )
    end,
    NewApplication.new("new-rails-application"),
    StandbyDay.new("standby-day")
  ].freeze
end
