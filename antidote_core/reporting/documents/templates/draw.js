{% include "unpack.js" %}

const places = document.querySelectorAll('.chart');
unpack(document.getElementById('plotly')).then(() => {
  for (const place of places) {
    const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
    place.replaceChildren();
    Plotly.newPlot(place, figure.data, figure.layout,
      {responsive: true, displaylogo: false, modeBarButtonsToRemove: ['select2d', 'lasso2d']});
  }
  document.body.dataset.drawn = 'yes';
}, () => {
  for (const place of places) place.textContent = 'This browser is too old to draw this chart; its numbers stand below.';
});
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details')) part.open = true;
});
