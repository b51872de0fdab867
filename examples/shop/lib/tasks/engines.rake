# frozen_string_literal: true

# Runs the migrations of the engines that make up the shop, one engine after the other: those of the users build on
# tables of the core, but are older.
task migrate_engines: %w[environment db:load_config] do
  [Spree::Core::Engine, SolidusLegacyPromotions::Engine, Spree::Auth::Engine, ActiveStorage::Engine].each do |engine|
    folders = engine.paths["db/migrate"].existent
    ActiveRecord::MigrationContext.new(folders, ActiveRecord::Base.connection_pool.schema_migration).migrate
  end
end

task "db:migrate" => :migrate_engines
