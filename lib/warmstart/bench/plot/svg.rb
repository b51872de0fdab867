# frozen_string_literal: true

module Warmstart
  module Bench
    module Plot
      # An SVG document of panels, one below the other. Colours are classes, so that they can differ in dark mode. It
      # has no script and loads nothing.
      # @api private
      module SVG
        WIDTH = 800
        MARGIN = 24
        SERIES = 6

        STYLE = <<~CSS
          .ground{fill:#ffffff}.text{fill:#1b2026}.faint{fill:#5c6672}.grid{stroke:#e3e7ec}.axis{stroke:#aab3bd}
          .s0{--c:#5c6672}.s1{--c:#c9671b}.s2{--c:#8d7200}.s3{--c:#1a66d6}.s4{--c:#157a4a}.s5{--c:#9a2f88}
          @media(prefers-color-scheme:dark){
          .ground{fill:#14171b}.text{fill:#e6e9ed}.faint{fill:#9aa5b1}.grid{stroke:#2b3138}.axis{stroke:#55606b}
          .s0{--c:#a7b1bc}.s1{--c:#f29a55}.s2{--c:#d9bb3c}.s3{--c:#7fb2ff}.s4{--c:#5fcb94}.s5{--c:#e58bd5}}
          text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;font-size:13px;font-variant-numeric:tabular-nums}
          .title{font-size:15px;font-weight:600}.small{font-size:12px}.end{text-anchor:end}.middle{text-anchor:middle}
          .dot{fill:var(--c);fill-opacity:.75}.box{fill:var(--c);fill-opacity:.22;stroke:var(--c)}.line{stroke:var(--c);fill:none}.named{fill:var(--c)}
          .strong{stroke-width:3}.path{stroke-width:2.2;stroke-linejoin:round}
        CSS

        # Frequent variants have the same colour in every picture.
        KNOWN = {
          "plain" => 0,
          "bootsnap" => 1,
          "bootsnap_without_yaml" => 2,
          "warmstart" => 3,
          "warmstart sealed" => 4,
          "warmstart exec" => 5
        }.freeze

        module_function

        # The class for a variant's colour. index: the position in the picture, for a variant that is not in KNOWN.
        def series(name, index) = "s#{KNOWN.fetch(name, index % SERIES)}"

        def document(panels, title:)
          top = MARGIN
          parts =
            panels.map do |panel|
              part = "<g transform=\"translate(#{MARGIN} #{top})\">#{panel.to_svg(WIDTH - (2 * MARGIN))}</g>"
              top += panel.height + MARGIN
              part
            end
          <<~XML
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="#{WIDTH}" height="#{top}" viewBox="0 0 #{WIDTH} #{top}" role="img" aria-labelledby="title desc">
            <title id="title">#{escape(title)}</title>
            <desc id="desc">#{escape(panels.map(&:description).join(" "))}</desc>
            <style>#{STYLE}</style>
            <rect class="ground" width="#{WIDTH}" height="#{top}"/>
            #{parts.join("\n")}
            </svg>
          XML
        end

        # An element. Attributes are numbers or texts; the content is already XML.
        def element(name, content = nil, **attributes)
          list =
            attributes
              .map do |key, value|
                " #{key.to_s.tr("_", "-")}=\"#{value.is_a?(Numeric) ? value.round(2) : escape(value)}\""
              end
              .join
          content ? "<#{name}#{list}>#{content}</#{name}>" : "<#{name}#{list}/>"
        end

        def text(content, x, y, klass) = element("text", escape(content), x: x, y: y, class: klass)

        def line(x1, y1, x2, y2, klass) = element("line", x1: x1, y1: y1, x2: x2, y2: y2, class: klass)

        def escape(text)
          text
            .to_s
            .encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
            .gsub(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/, "?")
            .gsub(/[&<>"']/, "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;", "'" => "&#39;")
        end
      end
    end
  end
end
