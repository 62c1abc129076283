"""The dashboard: `streamlit run app.py`."""

from pages._ui.shared.frame import draw_frame, navigation

draw_frame()
navigation().run()
