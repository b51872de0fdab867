# frozen_string_literal: true

module LibraryAPI
  # A reader's token: a JWT of ours, in the Authorization header.
  module Authentication
    ALGORITHM = "HS256"

    def self.token_for(user, expires_at: 1.day.from_now)
      JWT.encode({ sub: user.id, exp: expires_at.to_i }, Rails.application.secret_key_base, ALGORITHM)
    end

    def current_user
      @current_user ||= begin
        token = headers["Authorization"].to_s.delete_prefix("Bearer ")
        claims, = JWT.decode(token, Rails.application.secret_key_base, true, algorithm: ALGORITHM)
        User.find_by(id: claims["sub"])
      rescue JWT::DecodeError
        nil
      end
    end

    def authenticate!
      error!({ error: "not signed in" }, 401) unless current_user
    end
  end
end
