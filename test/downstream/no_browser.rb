# frozen_string_literal: true

# actionpack's tests ask Selenium where the drivers of Chrome and Firefox are, and Selenium would fetch what it does not
# find. No test starts a browser, so that any program will do.
require "selenium/webdriver"

[Selenium::WebDriver::Chrome::Service, Selenium::WebDriver::Firefox::Service].each do |service|
  service.driver_path = "/bin/true"
end
