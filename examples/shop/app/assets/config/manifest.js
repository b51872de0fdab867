//= link_tree ../images
