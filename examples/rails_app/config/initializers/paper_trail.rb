# frozen_string_literal: true

PaperTrail.config.version_limit = 20
PaperTrail.serializer = PaperTrail::Serializers::JSON
