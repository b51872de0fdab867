# frozen_string_literal: true

# A small shop; running it again changes nothing. (The seeds of Solidus itself hold all countries and states.)
return if Rails.env.test?

germany = Spree::Country.find_or_create_by!(iso: "DE") do |country|
  country.assign_attributes(name: "Germany", iso_name: "GERMANY", iso3: "DEU", numcode: 276)
end
zone = Spree::Zone.find_or_create_by!(name: "Germany") { |new| new.countries << germany }

Spree::Store.find_or_create_by!(code: "shop") do |store|
  store.assign_attributes(name: "Example Shop", url: "shop.example", mail_from_address: "shop@shop.example",
                          default: true, default_currency: "EUR")
end

location = Spree::StockLocation.find_or_create_by!(name: "Warehouse") do |new|
  new.assign_attributes(country: germany, default: true, propagate_all_variants: true)
end
tax = Spree::TaxCategory.find_or_create_by!(name: "Standard") { |category| category.is_default = true }
Spree::TaxRate.find_or_create_by!(name: "VAT") do |rate|
  rate.assign_attributes(amount: 0.19, zone: zone, tax_categories: [tax], included_in_price: true,
                         calculator: Spree::Calculator::DefaultTax.new)
end
shipping = Spree::ShippingCategory.find_or_create_by!(name: "Parcel")
Spree::ShippingMethod.find_or_create_by!(name: "Parcel") do |method|
  method.assign_attributes(zones: [zone], shipping_categories: [shipping],
                           calculator: Spree::Calculator::Shipping::FlatRate.new(preferred_amount: 5, preferred_currency: "EUR"))
end

goods = { "Apron" => 19, "Bread knife" => 29, "Coffee mill" => 59, "Cutting board" => 25, "Kettle" => 45, "Ladle" => 12,
          "Mixing bowl" => 18, "Mortar" => 32, "Oven cloth" => 9, "Pepper mill" => 27, "Rolling pin" => 15, "Salt cellar" => 11,
          "Saucepan" => 49, "Sieve" => 14, "Tea pot" => 39, "Whisk" => 13 }

goods.each.with_index(1) do |(name, price), number|
  sku = format("KIT-%03d", number)
  next if Spree::Variant.exists?(sku: sku)

  product = Spree::Product.create!(name: name, sku: sku, price: price, available_on: 1.year.ago, tax_category: tax,
                                   shipping_category: shipping, description: "#{name}, made to last.")
  location.stock_items.find_by!(variant: product.master).set_count_on_hand(10)
end
