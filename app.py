"""The dashboard: `streamlit run app.py`."""

from pages._ui.frame import draw_frame, navigation

draw_frame()
navigation().run()
