// Shows operations while their words are typed; without script the form asks the server for the same.
const box = document.querySelector('#q');
const found = document.querySelector('#found');

function filter() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const it of document.querySelectorAll('[data-search]'))
    it.hidden = !words.every(word => it.dataset.search.includes(word));
  for (const it of document.querySelectorAll('[data-chapter]'))
    it.hidden = it.querySelector('[data-search]:not([hidden])') === null;
  const all = document.querySelectorAll('.operation');
  found.textContent = `${[...all].filter(it => !it.hidden).length} of ${all.length} operations`;
}

/** What a link leads to is open, also where the browser would not open it by itself. */
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target?.closest('details:not([open])');
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView();
}

box.addEventListener('input', filter);
addEventListener('hashchange', open);
open();
