// Everything here has a way without script: links and forms. This makes them switch and answer in place.
(() => {
  const portal = document.getElementById('portal');
  const all = selector => portal.querySelectorAll(selector);

  const announce = text => {
    document.getElementById('announcer').textContent = text;
  };

  const show = tab => {
    for (const panel of all('[data-panel]')) panel.hidden = panel.dataset.panel !== tab;
    for (const link of all('.tabs [data-tab]')) {
      if (link.dataset.tab === tab) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  };
  const tabOfAddress = () => new URLSearchParams(location.search).get('tab') ?? 'subscriptions';

  // The panels of the page as it is now, without leaving it.
  const refresh = async () => {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok) return location.reload();
    const whole = await answer.text();
    // Only the content: parsing the style of the fresh page as well would offend the policy of this one.
    const content = whole.slice(whole.indexOf('<main '), whole.indexOf('</main>'));
    const fresh = new DOMParser().parseFromString(content, 'text/html').getElementById('portal');
    portal.replaceChildren(...fresh.childNodes);
    show(tabOfAddress());
  };

  const send = async (method, path, body) => {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { api } = portal.querySelector('[data-api]').dataset;
    const answer = await fetch(api + path, { method, ...json });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said;
    if (said.error?.code === 'portal_link_expired') location.reload();
    throw new Error(said.error?.code ?? 'failed');
  };

  // One thing at a time in one place; what fails is said there.
  const whileBusy = async (place, work) => {
    if (place.getAttribute('aria-busy') === 'true') return;
    place.setAttribute('aria-busy', 'true');
    place.querySelector('.failure')?.remove();
    try {
      await work();
    } catch (err) {
      const ended = err instanceof Error && err.message === 'subscription_ended';
      fail(place, ended ? 'This subscription has already ended.' : 'That didn’t go through. Please try again.');
    } finally {
      place.removeAttribute('aria-busy');
    }
  };

  const fail = (place, text) => {
    const shown = document.createElement('p');
    shown.className = 'failure';
    shown.textContent = text;
    (place.querySelector('.row, .foot') ?? place).append(shown);
    announce(text);
  };

  const sayChange = (card, text) => {
    card.querySelector('[data-status]').textContent = text;
    announce(text);
  };

  // Shown at once, confirmed when the processor has answered, taken back when it refuses.
  const change = form => {
    const { change: id, cancel } = form.dataset;
    const cancelAtPeriodEnd = cancel === 'true';
    const card = document.getElementById(id);
    form.closest('dialog')?.close();
    return whileBusy(card, async () => {
      const before = card.querySelector('[data-status]').textContent;
      sayChange(card, cancelAtPeriodEnd ? 'Canceling…' : 'Resuming…');
      try {
        await send('PATCH', `/subscriptions/${id}`, { cancelAtPeriodEnd });
      } catch (err) {
        card.querySelector('[data-status]').textContent = before;
        throw err;
      }
      // What the address told of an earlier action no longer holds.
      const address = new URL(location.href);
      address.searchParams.delete('notice');
      history.replaceState(null, '', address);
      // It is done, whether or not it can be shown in place.
      await refresh().catch(() => location.reload());
      document.getElementById(id)?.focus();
      announce(
        cancelAtPeriodEnd ? 'Your subscription is set to end. You can resume it.' : 'Your subscription goes on.',
      );
    });
  };

  const updatePaymentMethod = form =>
    whileBusy(form.closest('.card'), async () => {
      const { url } = await send('POST', '/setup-intent');
      location.assign(url);
    });

  // A new payment method shows once the processor has told of it.
  const lookAgain = async pauses => {
    for (const pause of pauses) {
      await new Promise(resolve => {
        setTimeout(resolve, pause);
      });
      const isAtWork = portal.contains(document.activeElement) || document.querySelector('[aria-busy], [open]');
      if (!isAtWork) await refresh().catch(() => undefined);
    }
  };
  if (portal.querySelector('[data-notice=payment-method-saved]')) void lookAgain([1_000, 2_000, 4_000]);

  document.addEventListener('click', event => {
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    const link = event.target.closest('a[data-tab], a[data-dialog], [data-close]');
    if (!link || !plain || !portal.contains(link)) return;
    if (link.dataset.dialog) {
      event.preventDefault();
      if (!link.closest('[aria-busy]')) document.getElementById(link.dataset.dialog).showModal();
    } else if (link.dataset.tab) {
      event.preventDefault();
      history.pushState(null, '', link.getAttribute('href'));
      show(link.dataset.tab);
      if (link.closest('[hidden]')) portal.querySelector('.tabs [aria-current]').focus();
    } else link.closest('dialog').close();
  });

  document.addEventListener('submit', event => {
    const form = event.target;
    if ('change' in form.dataset) {
      event.preventDefault();
      void change(form);
    } else if ('paymentMethod' in form.dataset) {
      event.preventDefault();
      void updatePaymentMethod(form);
    }
  });

  addEventListener('popstate', () => show(tabOfAddress()));
})();
