"""What a visit runs: the frame of every page, then the page that the URL names."""

from pages._ui.shared.frame import draw_frame, navigation

draw_frame()
navigation().run()
