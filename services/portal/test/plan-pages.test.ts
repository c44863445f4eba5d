import { expect, it } from 'vitest';
import { PriceId, SubscriptionChangeId } from '@billing/contracts/ids';
import { Problem, unprocessable } from '@billing/contracts/problem';
import { aPreview, aSubscription, item } from './billing-samples.ts';
import { aPrice } from './catalog-samples.ts';
import { textOf } from './page-text.ts';
import { fieldsOf, startPlans } from './start-plans.ts';

it('leads from the card over the choice and the exact amounts to the change', async () => {
  await using plans = await startPlans();
  const { service, token, team, at } = plans;
  expect((await service.visit(token)).body).toContain(`href="/portal/${token}${at}"`);
  const choice = await service.visit(token, at);
  expect(textOf(choice.body)).toMatch(/Pro\s+Current plan\s+\$29\.99 \/ month\s+Team\s+\$49\.99 \/ month/);
  expect(choice.body).toMatch(/type="number"[^>]+min="1"\s+max="5"\s+value="3"/);

  const review = await service.visit(token, `${at}/preview?priceId=${team.id}&quantity=3`);
  expect(review.statusCode).toBe(200);
  const text = textOf(review.body).replaceAll(/\s+/g, ' ');
  expect(text).toContain('Current plan Pro$29.99 / month × 3 New plan Team$49.99 / month × 3');
  expect(text).toContain('Unused time on 3 × Pro -$44.98 Remaining time on 3 × Team $74.98 Due today $30.00');
  expect(text).toMatch(/Takes effect Immediately .* Next invoice on \w+ \d+, \d+ \$149\.97/);
  const fields = fieldsOf(review.body);
  expect(fields).toMatchObject({ priceId: team.id, quantity: '3', expectedAmountDue: '3000' });
  expect(service.otherServices.changes).toEqual([]);

  const confirmed = await service.submit(token, at, fields);
  expect([confirmed.statusCode, confirmed.headers.location]).toEqual([
    303,
    `/portal/${token}?tab=subscriptions&notice=updated`,
  ]);
  const prorationDate = new Date(String(fields['prorationDate']));
  const plan = { priceId: team.id, quantity: 3, when: 'auto', proration: 'always_invoice' };
  expect(service.otherServices.changes.map(({ request }) => request)).toMatchObject([
    {
      plan: { ...plan, prorationDate, expectedAmountDue: 3_000 },
      audit: { actor: { type: 'customer', id: service.customerId }, action: 'changePortalPlan' },
    },
  ]);
  const after = textOf((await service.visit(token, '?notice=updated')).body);
  expect(after).toContain('Your subscription is updated.');
  expect(after).toMatch(/Team[\s\S]*\$49\.99/);
});

it('offers what plans cost in the currency of the subscription, and only plans with an amount in it', async () => {
  await using plans = await startPlans();
  const { service, subscription, token, at, pro, team } = plans;
  const inEuros = { unitAmount: 2_799, unitAmountDecimal: '2799', currency: 'eur' };
  subscription.items = [{ ...item, ...inEuros, priceId: pro.id, quantity: 1 }];
  expect(textOf((await service.visit(token, at)).body)).not.toContain('Team');
  team.currencyOptions = { eur: { unitAmount: 4_499 } };
  expect(textOf((await service.visit(token, at)).body)).toMatch(/€27\.99 \/ month\s+Team\s+€44\.99 \/ month/);

  service.otherServices.preview = aPreview({ currency: 'eur' });
  const review = textOf((await service.visit(token, `${at}/preview?priceId=${team.id}&quantity=1`)).body);
  expect(review.replaceAll(/\s+/g, ' ')).toContain('New plan Team€44.99 / month');
  subscription.scheduledChange = {
    id: SubscriptionChangeId.create(),
    items: [{ priceId: team.id, processorPriceId: team.processorPriceId, quantity: 2 }],
    effectiveAt: new Date('2026-12-20T00:00:00Z'),
  };
  expect(await plans.card()).toMatch(/Team \(€44\.99 \/ month × 2\)/);
});

it('makes one change of a form that is sent twice, and another of the next page', async () => {
  await using plans = await startPlans();
  const { service, token, at, review } = plans;
  const fields = await review({ quantity: 4 });
  const sent = await Promise.all([service.submit(token, at, fields), service.submit(token, at, fields)]);
  expect(sent.map(({ statusCode }) => statusCode)).toEqual([303, 303]);
  // Its plan is what the subscription has by now, and may not even be offered any more.
  await service.configure({});
  expect((await service.submit(token, at, fields)).headers.location).toContain('notice=updated');
  expect(service.otherServices.changes).toHaveLength(1);
  await service.configure({ quantity: { enabled: true } });
  await service.submit(token, at, await review({ quantity: 5 }));
  expect(service.otherServices.changes).toHaveLength(2);
});

it('waits for the first of two clicks, and shows what came of it', async () => {
  await using plans = await startPlans();
  const { service, token, at, review } = plans;
  const fields = await review({ quantity: 4 });
  const running = [new Problem('conflict', 'idempotency_key_in_use', 'It is still running.')];
  Object.defineProperty(service.otherServices, 'changeRefusal', { get: () => running.pop() ?? null });
  expect((await service.submit(token, at, fields)).headers.location).toContain('notice=updated');
  expect(running).toEqual([]);
});

it('changes to the plan that the page shows, although another tab has changed it meanwhile', async () => {
  await using plans = await startPlans();
  const { service, subscription, token, at, pro, team, review } = plans;
  const fields = await review({ quantity: 4 });
  subscription.items = [{ ...item, processorPriceId: team.processorPriceId, priceId: team.id, quantity: 3 }];
  await service.submit(token, at, fields);
  expect(service.otherServices.changes.map(({ request }) => request.plan)).toMatchObject([
    { priceId: pro.id, quantity: 4 },
  ]);
});

it('lets a quantity stay that is not offered any more', async () => {
  await using plans = await startPlans();
  const { service, subscription, token, at, pro, team } = plans;
  subscription.items = [{ ...item, priceId: pro.id, quantity: 8 }];
  expect((await service.visit(token, at)).body).toMatch(/type="number"[^>]+min="1"\s+max="8"\s+value="8"/);
  const review = await service.visit(token, `${at}/preview?priceId=${team.id}&quantity=8`);
  expect(fieldsOf(review.body)).toMatchObject({ priceId: team.id, quantity: '8' });
});

it('says what is owed from before, and why an amount is too little to be due', async () => {
  await using plans = await startPlans();
  const { service, token, at } = plans;
  const reviewed = async (amounts: Parameters<typeof aPreview>[0]) => {
    service.otherServices.preview = aPreview({ lines: [], ...amounts });
    return textOf((await service.visit(token, `${at}/preview?quantity=4`)).body);
  };
  expect(await reviewed({ total: 1_126, debitApplied: 700, amountDue: 1_826 })).toMatch(
    /Owed from before\s+\$7\.00\s+Due today\s+\$18\.26/,
  );
  const little = await reviewed({ total: 30, carriedOver: 30, amountDue: 0 });
  expect(little).toContain('Less than $0.50 can’t be charged on its own. Nothing is due today: $0.30 is added to your');
  expect(little).toMatch(/Carried over to your next invoice\s+-\$0\.30\s+Due today\s+\$0\.00/);
});

it('shows a change that is scheduled, and takes it back', async () => {
  await using plans = await startPlans({ planSwitch: { when: 'period_end' } });
  const { service, token, at, team, review } = plans;
  const { currentPeriodEnd } = plans.subscription;
  const next = { at: currentPeriodEnd, total: 14_997 };
  service.otherServices.preview = aPreview({
    amountDue: 0,
    total: 14_997,
    lines: [],
    nextInvoice: next,
    effectiveAt: currentPeriodEnd,
  });
  service.otherServices.changeStatus = 'scheduled';
  const { body } = await service.visit(token, `${at}/preview?priceId=${team.id}`);
  expect(textOf(body)).toMatch(/Takes effect\s+\w+ \d+, \d+\s+Next invoice on[^$]+\$149\.97\s+Due today\s+\$0\.00/);
  const made = await service.submit(token, at, await review({ priceId: team.id }));
  expect(made.headers.location).toContain('notice=update-scheduled');
  expect(await plans.card()).toMatch(/Changes to Team \(\$49\.99 \/ month × 3\) on \w+ \d+, \d+\./);
  expect((await service.submit(token, `${at}/drop`)).headers.location).toContain('notice=update-dropped');
  expect(await plans.card()).not.toContain('Changes to');
  const again = await service.submit(token, `${at}/drop`);
  expect(again.headers.location).toBe(`/portal/${token}?tab=subscriptions`);
});

it('shows what a price migration has scheduled, and has no way to take that back', async () => {
  await using plans = await startPlans();
  const { service, subscription } = plans;
  const { price } = aPrice(service, { processorPriceId: 'price_3', unitAmount: 3_999 }, 'Pro');
  service.otherServices.prices.push({ price, product: aPrice(service).product });
  const items = [{ priceId: price.id, processorPriceId: price.processorPriceId, quantity: 3 }];
  subscription.scheduledChange = {
    id: SubscriptionChangeId.create(),
    items,
    effectiveAt: subscription.currentPeriodEnd,
  };
  subscription.isMigrating = true;
  expect(await plans.card()).toMatch(/Changes to [^.]*\(\$39\.99 \/ month × 3\) on/);
  expect(await plans.card()).not.toContain('Cancel this change');
  await service.otherServices.stop('prices');
  expect(await plans.card()).toMatch(/Changes to \w+ × 3 on/);
});

it('shows a change that waits for its payment first, with the link to pay and the way back', async () => {
  await using plans = await startPlans();
  const { service, token, at, review } = plans;
  service.otherServices.subscriptions.unshift(aSubscription(service, { productName: 'Other' }));
  service.otherServices.changeStatus = 'pending_payment';
  const { location } = (await service.submit(token, at, await review({ quantity: 4 }))).headers;
  expect(location).toBe(`/portal/${token}?tab=subscriptions`);
  const { body } = await service.visit(token);
  expect(textOf(body)).toMatch(
    /Your last payment didn’t go through\.\s+The change to Pro \(\$29\.99 \/ month × 4\) takes effect as soon as you pay \$30\.00/,
  );
  expect(body).toContain('href="https://invoice.stripe.com/i/1"');
  expect(textOf(body).indexOf('Pro ($29.99 / month × 4)')).toBeLessThan(textOf(body).indexOf('Other'));
  const [, pending] = service.otherServices.subscriptions;
  if (pending?.pendingChange) pending.pendingChange.reason = 'authentication_required';
  expect(await plans.card()).toContain('Your bank asks you to confirm the payment.');
  // Of two changes the one that waits is taken back first.
  if (pending) pending.scheduledChange = { id: SubscriptionChangeId.create(), items: [], effectiveAt: new Date() };
  expect((await service.visit(token)).body.match(/Cancel this change/g)).toHaveLength(1);
});

it.each([
  ['amount_changed', 409, 'The amounts have changed.'],
  ['preview_expired', 409, 'The amounts have changed.'],
  ['payment_failed', 422, 'Your payment was declined, so nothing has changed.'],
] as const)('has a change confirmed again after %s', async (code, status, text) => {
  await using plans = await startPlans();
  const { service, token, at, review } = plans;
  const fields = await review({ quantity: 4 });
  service.otherServices.changeRefusal = new Problem(status === 409 ? 'conflict' : 'unprocessable', code, 'No.');
  service.otherServices.preview = aPreview({ amountDue: 3_001 });
  const { statusCode, body } = await service.submit(token, at, fields);
  expect([statusCode, textOf(body)]).toEqual([status, expect.stringContaining(text)]);
  expect(textOf(body)).toContain('$30.01');
  const next = fieldsOf(body);
  expect(next).toMatchObject({ quantity: '4', expectedAmountDue: '3001' });
  expect(next['key']).not.toBe(fields['key']);
});

it.each([{ when: 'now' }, { proration: 'none' }])(
  'has a change confirmed again after settings became %j',
  async changed => {
    await using plans = await startPlans();
    const { service, token, at, team, review } = plans;
    const fields = await review({ priceId: team.id });
    await service.configure({ planSwitch: { enabled: true, priceIds: [team.id], ...changed } });
    const { statusCode, body } = await service.submit(token, at, fields);
    expect([statusCode, textOf(body)]).toEqual([409, expect.stringContaining('The amounts have changed.')]);
    expect(service.otherServices.changes).toEqual([]);
    expect((await service.submit(token, at, fieldsOf(body))).headers.location).toContain('notice=updated');
  },
);

it('shows what a customer confirms as done who has confirmed it in another tab', async () => {
  await using plans = await startPlans();
  const { service, token, at, team, review } = plans;
  const fields = await review({ priceId: team.id });
  service.otherServices.changeRefusal = unprocessable('no_change', 'The same.');
  expect((await service.submit(token, at, fields)).headers.location).toContain('notice=updated');
});

it('refuses a choice of what the subscription has already, and shows it again', async () => {
  await using plans = await startPlans();
  const { service, token, at, team } = plans;
  service.otherServices.refusal = unprocessable('no_change', 'The same.');
  const { statusCode, body } = await service.visit(token, `${at}/preview?priceId=&quantity=3`);
  expect(statusCode).toBe(422);
  expect(textOf(body)).toContain('That’s what you have already.');
  const other = await service.visit(token, `${at}/preview?priceId=${team.id}&quantity=5`);
  expect(other.body).toMatch(new RegExp(`value="${team.id}"\\s+checked`));
  expect(other.body).toContain('value="5"');
});

it('leads back to the subscriptions when a change has become impossible', async () => {
  await using plans = await startPlans();
  const { service, token, at, review } = plans;
  const fields = await review({ quantity: 4 });
  const target = (notice?: string) => `/portal/${token}?tab=subscriptions${notice ? `&notice=${notice}` : ''}`;
  for (const [code, notice] of [
    ['subscription_ended', 'already-ended'],
    ['subscription_has_schedule', 'has-schedule'],
    ['subscription_past_due', 'not-possible'],
  ] as const) {
    service.otherServices.refusal = unprocessable(code, 'No.');
    expect((await service.submit(token, at, fields)).headers.location).toBe(target(notice));
    expect((await service.visit(token, `${at}/preview?quantity=4`)).headers.location).toBe(target(notice));
  }
  service.otherServices.refusal = null;
  for (const query of [`priceId=${PriceId.create()}`, 'quantity=6'])
    expect((await service.visit(token, `${at}/preview?${query}`)).headers.location).toBe(target('not-possible'));
  // Only what the customer has seen is confirmed.
  const { expectedAmountDue: _seen, ...unseen } = fields;
  expect((await service.submit(token, at, unseen)).body).toContain('name="quantity"');
  await service.configure({});
  expect((await service.visit(token, at)).headers.location).toBe(target());
  expect(service.otherServices.changes).toEqual([]);
});

it('offers nothing on the card that is impossible, or while the catalog is down', async () => {
  await using plans = await startPlans();
  const { service, subscription, token } = plans;
  expect(await plans.card()).toContain('Update subscription');
  subscription.hasForeignSchedule = true;
  expect(await plans.card()).not.toContain('Update subscription');
  subscription.hasForeignSchedule = false;
  await service.otherServices.stop('prices');
  expect(await plans.card()).toContain('Update subscription');
  await service.configure({ planSwitch: { enabled: false } });
  expect(await plans.card()).not.toContain('Update subscription');
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('keeps the language that the reader chose on the way', async () => {
  await using plans = await startPlans();
  const { service, token, at, pro, team } = plans;
  const choice = await service.visit(token, `${at}?lang=de`);
  expect(choice.body).toContain('<input type="hidden" name="lang" value="de" />');
  const preview = aPreview();
  const lines = preview.lines.map((line, index) => ({ ...line, priceId: [pro.id, team.id][index] ?? null }));
  service.otherServices.preview = { ...preview, lines };
  const review = await service.visit(token, `${at}/preview?lang=de&priceId=${team.id}&quantity=4`);
  const amounts = textOf(review.body).replaceAll(/\s+/g, ' ');
  expect(amounts).toContain('Nicht genutzte Zeit: Pro × 3 -44,98 $ Verbleibende Zeit: Team × 3 74,98 $');
  expect(review.body).toContain(`action="/portal/${token}${at}?lang=de"`);
  expect(textOf(review.body)).toMatch(/Heute fällig\s+30,00\s\$/);
  const confirmed = await service.submit(token, `${at}?lang=de`, fieldsOf(review.body));
  expect(confirmed.headers.location).toContain('lang=de');
});

it('says of a discount that it counts once, and which prices it lowers, and leaves out one that lowers none', async () => {
  await using plans = await startPlans();
  plans.subscription.items = ['prod_1', 'prod_2'].map(processorProductId => ({ ...item, processorProductId }));
  plans.subscription.items.push({ ...item, processorProductId: 'prod_3', unitAmount: 700, unitAmountDecimal: '700' });
  const discountOf = (percentOff: number, ...processorProductIds: string[]) => ({
    couponId: null,
    promotionCodeId: null,
    processorDiscountId: 'di_1',
    processorCouponId: null,
    processorPromotionCodeId: null,
    level: 'subscription' as const,
    itemIndex: null,
    duration: 'once' as const,
    percentOff,
    amountOff: null,
    currency: null,
    endsAt: null,
    processorProductIds,
  });
  plans.subscription.discounts = [discountOf(40, 'prod_3'), discountOf(30, 'prod_of_before')];
  const card = (await plans.card()).replaceAll(/\s+/g, ' ');
  expect(card).toContain('Discount $7.00 / month: 40% on the next invoice');
  expect(card).not.toContain('30%');
});

it('shows discounts on the card, and usage without a quantity', async () => {
  await using plans = await startPlans();
  const ids = { couponId: null, promotionCodeId: null, processorDiscountId: 'di_1', processorCouponId: null };
  const place = { level: 'subscription' as const, itemIndex: null };
  const terms = { processorPromotionCodeId: null, duration: 'forever' as const, processorProductIds: null };
  const common = { ...ids, ...place, ...terms };
  const ends = new Date('2027-06-02T00:00:00Z');
  plans.subscription.discounts = [
    { ...common, percentOff: 12.5, amountOff: null, currency: null, endsAt: null },
    { ...common, percentOff: null, amountOff: 500, currency: 'usd', endsAt: ends },
    { ...common, percentOff: null, amountOff: null, currency: null, endsAt: null },
  ];
  const card = (await plans.card()).replaceAll(/\s+/g, ' ');
  expect(card).toContain('Discount 12.5% Discount $5.00 until Jun 2, 2027');
  const ofItem = { ...common, level: 'item' as const, percentOff: 50, amountOff: null, currency: null, endsAt: null };
  plans.subscription.items.push({ ...item, unitAmount: 700, unitAmountDecimal: '700' });
  plans.subscription.discounts = [{ ...ofItem, itemIndex: 1 }];
  expect((await plans.card()).replaceAll(/\s+/g, ' ')).toMatch(/Discount \$7\.00[^:]*: 50%/);
  plans.subscription.items.pop();
  const usage = aPrice(plans.service, { metered: true, processorPriceId: 'price_3' }, 'Usage');
  plans.service.otherServices.prices.push(usage);
  await plans.service.configure({ planSwitch: { enabled: true, priceIds: [usage.price.id] } });
  plans.subscription.items = [{ ...item, priceId: plans.pro.id, quantity: 1 }];
  const { body } = await plans.service.visit(plans.token, plans.at);
  expect(textOf(body)).toMatch(/Usage\s+By usage \/ month/);
  expect(body).not.toContain('type="number"');
});
