# frozen_string_literal: true

namespace :library do
  desc "Import books from a spreadsheet: title, ISBN, author, publisher, category"
  task :import, [:file] => :environment do |_task, arguments|
    puts "#{BookImport.new(arguments.fetch(:file)).call} books imported"
  end
end
