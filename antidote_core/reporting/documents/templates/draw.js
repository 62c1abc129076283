for (const place of document.querySelectorAll('.chart')) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  place.replaceChildren();
  Plotly.newPlot(place, figure.data, figure.layout,
    {responsive: true, displaylogo: false, modeBarButtonsToRemove: ['select2d', 'lasso2d']});
}
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details')) part.open = true;
});
