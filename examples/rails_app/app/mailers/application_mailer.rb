# frozen_string_literal: true

class ApplicationMailer < ActionMailer::Base
  default from: "library@library.example"
  layout "mailer"

  private

  def mail_to(user, **options)
    I18n.with_locale(user.locale) { mail(to: user.email, **options) }
  end
end
