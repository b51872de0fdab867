# frozen_string_literal: true

# A QR code with a copy's barcode, as SVG.
class ShelfLabel
  def initialize(copy)
    @copy = copy
  end

  def to_svg
    RQRCode::QRCode.new(@copy.barcode).as_svg(module_size: 4, standalone: true)
  end
end
