/** Levels of the reference's headings below the page's own, which it skips. */
const LEVELS = { H3: '2', H4: '3', H5: '4' };

const UNNAMED = ['select', 'input', 'textarea'].map(name => `${name}:not([aria-label]), ${name}[aria-label='']`).join();

/** Landmarks of the parts before the operations, which have one. */
const LANDMARKS = {
  '.information-container': { role: 'banner' },
  '.scheme-container': { role: 'region', 'aria-label': 'Credentials' },
  '.filter-container': { role: 'search' },
};

/** Names controls, levels headings and marks parts of the reference that its own markup leaves without, now and whenever it changes. */
export function nameControls(root) {
  const observer = new MutationObserver(() => improve(root));
  observer.observe(root, { childList: true, subtree: true });
}

function improve(root) {
  for (const control of root.querySelectorAll(UNNAMED)) control.setAttribute('aria-label', nameOf(control));
  for (const heading of root.querySelectorAll('h3:not([aria-level]), h4:not([aria-level]), h5:not([aria-level])'))
    heading.setAttribute('aria-level', LEVELS[heading.tagName]);
  for (const region of root.querySelectorAll('pre:not([tabindex]), .microlight:not([tabindex])')) region.tabIndex = 0;
  for (const table of root.querySelectorAll('.responses-table:not([aria-label])'))
    table.setAttribute('aria-label', `Responses: ${table.closest('.opblock')?.id}`);
  for (const button of root.querySelectorAll('button')) nameButton(button);
  for (const tab of root.querySelectorAll('.curl-command div.btn')) makeButton(tab);
  for (const [selector, attributes] of Object.entries(LANDMARKS))
    for (const part of root.querySelectorAll(`${selector}:not([role])`))
      for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
}

/** The languages of a snippet are elements that only a mouse reaches. */
function makeButton(tab) {
  tab.setAttribute('aria-pressed', String(tab.classList.contains('active')));
  if (tab.role === 'button') return;
  tab.role = 'button';
  tab.tabIndex = 0;
  tab.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    tab.click();
  });
}

/** Voice control needs the text of a button in its name. */
function nameButton(button) {
  const [text, label] = [button.textContent.trim(), button.getAttribute('aria-label')];
  if (text && label && !label.includes(text)) button.setAttribute('aria-label', `${text}: ${label}`);
  if (button.matches('.close-modal:not([aria-label])')) button.setAttribute('aria-label', 'Close');
}

function nameOf(control) {
  const row = control.closest('tr');
  if (control.matches('.operation-filter-input')) return 'Find operations by section or path';
  if (control.matches('.body-param__text')) return 'Request body';
  if (control.id === 'servers') return 'Server';
  if (control.matches('.examples-select-element')) return 'Example';
  if (control.closest('.content-type-wrapper, .response-control-media-type, .content-type')) return 'Media type';
  return row?.dataset.paramName || control.placeholder || 'Value';
}
