// The script of each page follows this one. Each page has an element with the role `status`.
/* eslint-disable no-unused-vars */
const status = document.querySelector('[role=status]');
const token = location.hash.slice(1);

/** Sends JSON and returns the body of a success; hands an error to `refused`, which shows its message, and returns undefined. */
async function send(path, body, refused = showError) {
  status.textContent = 'One moment…';
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) };
    const response = await fetch(path, init);
    const received = await response.json();
    status.textContent = '';
    if (response.ok) return received;
    refused(received.error);
    return undefined;
  } catch {
    status.textContent = 'The service can not be reached. Try again.';
    return undefined;
  }
}

function showError({ message, details }) {
  status.textContent = details?.fields?.[0]?.message ?? message;
}

/** Calls `submit` with the fields of a form instead of sending it. */
function onSubmit(selector, submit) {
  document.querySelector(selector).addEventListener('submit', event => {
    event.preventDefault();
    void submit(Object.fromEntries(new FormData(event.target)));
  });
}

/** Shows one of the parts of the page. */
function show(id) {
  for (const part of document.querySelectorAll('[data-part]')) part.hidden = part.id !== id;
}
