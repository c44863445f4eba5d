// Everything on the page also works without script, by links and forms. This script does the same in place.
(() => {
  const portal = document.getElementById('portal');
  const texts = JSON.parse(portal.dataset.texts);
  const all = selector => portal.querySelectorAll(selector);

  // The server does not know the reader's time zone; this script does, before anything is painted.
  const zone = document.getElementById('zone');
  const showInZone = root => {
    if (!zone) return;
    const days = new Intl.DateTimeFormat(zone.dataset.locale, { dateStyle: 'medium' });
    for (const time of root.querySelectorAll('time')) time.textContent = days.format(new Date(time.dateTime));
    for (const period of root.querySelectorAll('[data-from]'))
      period.textContent = days.formatRange(new Date(period.dataset.from), new Date(period.dataset.to));
    zone.textContent = texts.zone.replace('{zone}', days.resolvedOptions().timeZone);
  };
  showInZone(portal);

  // Not every browser shows the letter of a logo that cannot be shown.
  const logo = document.querySelector('.mark img');
  const dropLogo = () => logo.replaceWith(logo.dataset.letter);
  if (logo?.complete && logo.naturalWidth === 0) dropLogo();
  logo?.addEventListener('error', dropLogo);

  const announce = text => {
    document.getElementById('announcer').textContent = text;
  };

  const showTab = tab => {
    for (const panel of all('[data-panel]')) panel.hidden = panel.dataset.panel !== tab;
    for (const link of all('.tabs [data-tab]')) {
      if (link.dataset.tab === tab) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  };
  const tabOfAddress = () => new URLSearchParams(location.search).get('tab') ?? 'subscriptions';

  // Replaces the content by that of a freshly loaded page.
  const refresh = async () => {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!response.ok) return location.reload();
    const whole = await response.text();
    // Only the content: the content security policy of this page forbids the style of the fresh one.
    const content = whole.slice(whole.indexOf('<main '), whole.indexOf('</main>'));
    const fresh = new DOMParser().parseFromString(content, 'text/html').getElementById('portal');
    showInZone(fresh);
    portal.replaceChildren(...fresh.childNodes);
    showTab(tabOfAddress());
  };

  const send = async (method, path, { body, key } = {}) => {
    const headers = { ...(body && { 'content-type': 'application/json' }), ...(key && { 'idempotency-key': key }) };
    const { api } = portal.querySelector('[data-api]').dataset;
    const response = await fetch(api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const result = await response.json().catch(() => ({}));
    if (response.ok) return result;
    if (result.error?.code === 'portal_link_expired') location.reload();
    throw new Error(result.error?.code ?? 'failed');
  };

  // Runs one action at a time per card, and shows a failure in that card.
  const runAction = async (card, action) => {
    if (card.getAttribute('aria-busy') === 'true') return;
    card.setAttribute('aria-busy', 'true');
    card.querySelector('.failure')?.remove();
    try {
      await action();
    } catch (err) {
      const code = err instanceof Error ? err.message : '';
      showFailure(card, texts[code] ?? texts.failed);
    } finally {
      card.removeAttribute('aria-busy');
    }
  };

  const showFailure = (card, text) => {
    const message = document.createElement('p');
    message.className = 'failure';
    message.textContent = text;
    (card.querySelector('.row, .foot') ?? card).append(message);
    announce(text);
  };

  const showStatus = (card, text) => {
    card.querySelector('[data-status]').textContent = text;
    announce(text);
  };

  // The new status shows at once; it is reset when the processor refuses.
  const change = form => {
    const { change: id, cancel } = form.dataset;
    const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
    const cancelAtPeriodEnd = cancel === 'true';
    const card = document.getElementById(id);
    form.closest('dialog')?.close();
    return runAction(card, async () => {
      const before = card.querySelector('[data-status]').textContent;
      showStatus(card, cancelAtPeriodEnd ? texts.canceling : texts.resuming);
      try {
        await send('PATCH', `/subscriptions/${id}`, { body: { cancelAtPeriodEnd, ...fields } });
      } catch (err) {
        card.querySelector('[data-status]').textContent = before;
        throw err;
      }
      // The notice of an earlier action is out of date.
      const address = new URL(location.href);
      address.searchParams.delete('notice');
      history.replaceState(null, '', address);
      // The action succeeded even if the refresh fails.
      await refresh().catch(() => location.reload());
      document.getElementById(id)?.focus();
      announce(cancelAtPeriodEnd ? texts.canceled : texts.resumed);
    });
  };

  // Clicked again, it opens the same page of the processor. After a failure the next click is a new attempt.
  const updatePaymentMethod = form =>
    runAction(form.closest('.card'), async () => {
      const { paymentMethod: key } = form.dataset;
      try {
        const lang = new URLSearchParams(location.search).get('lang');
        const { url } = await send('POST', `/setup-intent${lang ? `?lang=${encodeURIComponent(lang)}` : ''}`, { key });
        location.assign(url);
      } catch (err) {
        form.dataset.paymentMethod = `${key}+`;
        throw err;
      }
    });

  // A new payment method appears after the processor’s webhook is handled.
  const refreshLater = async pauses => {
    for (const pause of pauses) {
      await new Promise(resolve => {
        setTimeout(resolve, pause);
      });
      const isInUse = portal.contains(document.activeElement) || document.querySelector('[aria-busy], [open]');
      if (!isInUse) await refresh().catch(() => undefined);
    }
  };
  if (portal.querySelector('[data-notice=payment-method-saved]')) void refreshLater([1_000, 2_000, 4_000]);

  // Not `autofocus`: the browser would try that on the closed dialog, while the page loads.
  const openDialog = dialog => {
    dialog.showModal();
    dialog.querySelector('[data-focus]').focus();
  };

  document.addEventListener('click', event => {
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    const link = event.target.closest('a[data-tab], a[data-dialog], [data-close]');
    if (!link || !plain || !portal.contains(link)) return;
    if (link.dataset.dialog) {
      event.preventDefault();
      if (!link.closest('[aria-busy]')) openDialog(document.getElementById(link.dataset.dialog));
    } else if (link.dataset.tab) {
      event.preventDefault();
      history.pushState(null, '', link.getAttribute('href'));
      showTab(link.dataset.tab);
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

  // A page from the browser's history may show what is no longer so.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void refresh().catch(() => undefined);
  });
  addEventListener('popstate', () => showTab(tabOfAddress()));
})();
