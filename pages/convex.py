"""Algorithm 1: what the convex program promises, and what exact clustering makes of it."""

import streamlit as st

from pages._ui import convex_blocks as blocks
from pages._ui.frame import enter
from pages._ui.link import asked_by_link, tell_ignored
from pages._ui.run_jobs import watch
from pages._ui.show import attempt

enter()
link = asked_by_link()
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = blocks.settings()

futures = []
with main:
    notice = st.container()
    data = attempt(blocks.sample, asked)
    if data is None:
        st.stop()
    blocks.header(data)
    result = blocks.result_job(data, asked)
    futures.append(result)
    blocks.verdict(data, result)
    left, right = st.columns(2, gap="large")
    with left:
        blocks.group_costs(data, result)
    with right:
        st.subheader("How the centres fuse", anchor=False)
        path = blocks.path_job(data, asked, blocks.with_antidote())
        futures.append(path)
        blocks.clusterpath(data, asked, path)
    if asked.direct:
        search = blocks.direct_job(data, asked)
        futures.append(search)
        blocks.direct(data, asked, search)
    kind = blocks.choose_range()
    samples = {name: attempt(blocks.sample, asked, name) for name in blocks.PAPER_SETS}
    samples = {name: found for name, found in samples.items() if found is not None}
    sweeps = {name: blocks.sweep_job(samples[name], asked) for name in samples}
    blocks.differences(samples, sweeps, kind, asked.lam)
    blocks.derivation()

watch(*futures, *sweeps.values())
with notice:
    tell_ignored("convex", link)
