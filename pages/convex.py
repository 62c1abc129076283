"""Algorithm 1: what the convex program promises, and what exact clustering makes of it."""

import streamlit as st

from pages._ui import convex_blocks as blocks
from pages._ui.shared import answers
from pages._ui.shared.frame import enter, or_show_error
from pages._ui.shared.link import asked_by_link, tell_ignored

enter()
link = asked_by_link()
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = blocks.settings()

jobs = []
with main:
    notice = st.container()
    data = or_show_error(blocks.sample, asked)
    if data is None:
        st.stop()
    blocks.header(data)
    result = blocks.result_job(data, asked)
    jobs.append(result)
    blocks.verdict(data, result)
    left, right = st.columns(2, gap="large")
    with left:
        blocks.group_costs(data, result)
    with right:
        st.subheader("How the centres fuse", anchor=False)
        path = blocks.path_job(data, asked, blocks.with_antidote())
        jobs.append(path)
        blocks.clusterpath(data, asked, path, result)
    if asked.direct:
        search = blocks.direct_job(data, asked)
        jobs.append(search)
        blocks.direct(data, asked, search)
    kind = blocks.choose_range()
    samples = {name: or_show_error(blocks.sample, asked, name) for name in blocks.PAPER_SETS}
    samples = {name: found for name, found in samples.items() if found is not None}
    sweeps = {name: blocks.sweep_job(name, samples[name], asked) for name in samples}
    blocks.differences(samples, sweeps, kind, asked.lam)
    blocks.derivation()

with notice:
    tell_ignored("convex", link)
answers.watch(*jobs, *sweeps.values())
