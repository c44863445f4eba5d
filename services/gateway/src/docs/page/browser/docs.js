// Filters operations while the user types; without JavaScript the form does the same on the server.
const searchBox = document.querySelector('#q');
const matchCount = document.querySelector('#match-count');

function filter() {
  const words = searchBox.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const it of document.querySelectorAll('[data-search]'))
    it.hidden = !words.every(word => it.dataset.search.includes(word));
  for (const it of document.querySelectorAll('[data-section]'))
    it.hidden = it.querySelector('[data-search]:not([hidden])') === null;
  const all = document.querySelectorAll('.operation');
  matchCount.textContent = `${[...all].filter(it => !it.hidden).length} of ${all.length} operations`;
}

/** Opens the target of a link; not every browser does so itself. */
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target?.closest('details:not([open])');
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView();
}

searchBox.addEventListener('input', filter);
addEventListener('hashchange', open);
open();
