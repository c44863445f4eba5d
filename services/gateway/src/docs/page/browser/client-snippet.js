/** The client's method for each operation of a project. Names of parameters, `query`, its `ids`, `body`, what a cancellation has `said`, and `external` are replaced by values. */
const CALLS = {
  listProducts: 'products.list(query).page()',
  createProduct: 'products.create(body)',
  getProduct: 'products.get(productId)',
  updateProduct: 'products.update(productId, body)',
  deleteProduct: 'products.delete(productId)',
  listPrices: 'prices.list(query).page()',
  createPrice: 'prices.create(body)',
  getPrice: 'prices.get(priceId)',
  updatePrice: 'prices.update(priceId, body)',
  deletePrice: 'prices.delete(priceId)',
  createFeature: 'features.create(body)',
  listFeatures: 'features.list(query).page()',
  getFeature: 'features.get(featureKey)',
  updateFeature: 'features.update(featureKey, body)',
  listGivenFeatures: 'features.listGiven(query).page()',
  listProductFeatures: 'productFeatures.list(productId)',
  getProductFeature: 'productFeatures.get(productId, featureKey)',
  setProductFeature: 'productFeatures.set(productId, featureKey, body)',
  removeProductFeature: 'productFeatures.remove(productId, featureKey)',
  listPriceFeatures: 'priceFeatures.list(priceId)',
  getPriceFeature: 'priceFeatures.get(priceId, featureKey)',
  setPriceFeature: 'priceFeatures.set(priceId, featureKey, body)',
  removePriceFeature: 'priceFeatures.remove(priceId, featureKey)',
  createCoupon: 'coupons.create(body)',
  listCoupons: 'coupons.list(query).page()',
  getCoupon: 'coupons.get(couponId)',
  deleteCoupon: 'coupons.delete(couponId)',
  createPromotionCode: 'promotionCodes.create(body)',
  listPromotionCodes: 'promotionCodes.list(query).page()',
  getPromotionCode: 'promotionCodes.get(promotionCodeId)',
  updatePromotionCode: 'promotionCodes.update(promotionCodeId, body)',
  listGrants: 'grants.list(customerId)',
  getGrant: 'grants.get(customerId, featureKey)',
  setGrant: 'grants.set(customerId, featureKey, body)',
  removeGrant: 'grants.remove(customerId, featureKey)',
  getCustomerState: 'states.get(customerId, query)',
  getExternalCustomerState: 'states.get(external, query)',
  getCustomerFeature: 'states.check(customerId, featureKey)',
  getExternalCustomerFeature: 'states.check(external, featureKey)',
  listCustomers: 'customers.list(query).page()',
  createCustomer: 'customers.create(body)',
  getCustomer: 'customers.get(customerId)',
  updateCustomer: 'customers.update(customerId, body)',
  deleteCustomer: 'customers.delete(customerId)',
  listSubscriptions: 'subscriptions.list(query).page()',
  getSubscription: 'subscriptions.get(subscriptionId)',
  updateSubscription: 'subscriptions.cancelAtPeriodEnd(subscriptionId, said)',
  cancelSubscription: 'subscriptions.cancelNow(subscriptionId, body)',
  previewPlanChange: 'subscriptions.previewChange(subscriptionId, body)',
  changePlan: 'subscriptions.change(subscriptionId, body)',
  dropPlanChange: 'subscriptions.dropChange(subscriptionId)',
  setSubscriptionDiscount: 'subscriptions.setDiscount(subscriptionId, body)',
  createCheckout: 'checkout.create(body)',
  listInvoices: 'invoices.list(query).page()',
  getInvoice: 'invoices.get(invoiceId)',
  listDunningCases: 'dunning.list(query).page()',
  retryInvoice: 'invoices.retry(invoiceId)',
  voidInvoice: 'invoices.void(invoiceId)',
  markInvoiceUncollectible: 'invoices.markUncollectible(invoiceId)',
  listPayments: 'payments.list(query).page()',
  getPayment: 'payments.get(paymentId)',
  refundPayment: 'payments.refund(paymentId, body)',
  getPaymentTotals: 'payments.totals(query)',
  createPortalSession: 'portal.create(body)',
  listPortalSessions: 'portal.list(query).page()',
  revokePortalSession: 'portal.revoke(sessionId)',
  getPortalConfig: 'portalConfig.get()',
  previewPortalConfig: 'portalConfig.preview(body)',
  setPortalConfig: 'portalConfig.set(body)',
  getReferralConfig: 'referrals.config()',
  updateReferralConfig: 'referrals.updateConfig(body)',
  listReferralCodes: 'referrals.listCodes(query).page()',
  createReferralCode: 'referrals.createCode(body)',
  getReferralCode: 'referrals.getCode(code, query)',
  deactivateReferralCode: 'referrals.deactivateCode(code)',
  applyReferral: 'referrals.apply(body)',
  listReferrals: 'referrals.list(query).page()',
  listReferralCredits: 'referrals.listCredits(query).page()',
  retryReferralCredit: 'referrals.retryCredit(creditId)',
  getAnalytics: 'analytics.get(query)',
  getAnalyticsHistory: 'analytics.history(query)',
  listAnalyticsSubscriptions: 'analytics.subscriptions(query).page()',
  listCancellations: 'analytics.cancellations(query)',
  getAnalyticsCustomers: 'analytics.customers(ids)',
  createWebhookEndpoint: 'webhookEndpoints.create(body)',
  listWebhookEndpoints: 'webhookEndpoints.list(query).page()',
  getWebhookEndpoint: 'webhookEndpoints.get(webhookEndpointId)',
  updateWebhookEndpoint: 'webhookEndpoints.update(webhookEndpointId, body)',
  deleteWebhookEndpoint: 'webhookEndpoints.delete(webhookEndpointId)',
  rotateWebhookSecret: 'webhookEndpoints.rotateSecret(webhookEndpointId, body)',
  testWebhookEndpoint: 'webhookEndpoints.test(webhookEndpointId, body)',
  sendWebhookEvent: 'webhookEndpoints.send(webhookEndpointId, body)',
  recoverWebhookEvents: 'webhookEndpoints.recover(webhookEndpointId, body)',
  listWebhookDeliveries: 'webhookDeliveries.list(query).page()',
  getWebhookDelivery: 'webhookDeliveries.get(webhookDeliveryId)',
  retryWebhookDelivery: 'webhookDeliveries.retry(webhookDeliveryId)',
  listEvents: 'events.list(query).page()',
  getEvent: 'events.get(publicEventId)',
  listWebhookEvents: 'webhookEvents.list(query).page()',
  createSync: 'syncs.create(body)',
  listSyncs: 'syncs.list(query).page()',
  getSync: 'syncs.get(syncId)',
  cancelSync: 'syncs.cancel(syncId)',
  listSyncFindings: 'syncs.findings(syncId, query).page()',
  createPriceMigration: 'priceMigrations.create(body)',
  listPriceMigrations: 'priceMigrations.list(query).page()',
  getPriceMigration: 'priceMigrations.get(priceMigrationId)',
  cancelPriceMigration: 'priceMigrations.cancel(priceMigrationId)',
  listPriceMigrationFindings: 'priceMigrations.findings(priceMigrationId, query).page()',
};

/**
 * Returns a call of an operation with the client for backends, as a module; or why there is none.
 * @param {{ operationId?: string, baseUrl: string, params?: object, query?: object, body?: object }} request
 */
export function clientSnippet({ operationId, baseUrl, params, query, body }) {
  const call = CALLS[operationId];
  if (!call)
    return '// The client for backends does not have this operation: it needs no API key, or a signed-in person.';
  const { teamId, projectId, ...ids } = params;
  const method = ownMethod(call, query, body);
  // The method that waits for events says how long by itself.
  const { waitMs: _waitMs, ...filters } = query;
  const options = call.startsWith('events.') ? filters : query;
  const { cancelAtPeriodEnd, ...said } = body ?? {};
  const values = {
    ...ids,
    said: cancelAtPeriodEnd && Object.keys(said).length > 0 ? said : undefined,
    query: Object.keys(options).length > 0 ? options : undefined,
    ids: query.ids,
    body,
    external: { externalId: ids.externalId },
  };
  const filled = method.replace(/\((.*?)\)/, (_, names) => {
    const given = names.split(', ').map(name => values[name]);
    return `(${given
      .filter(value => value !== undefined)
      .map(literal)
      .join(', ')})`;
  });
  return `import { BillingClient } from '@billing/client';

const billing = new BillingClient({
  baseUrl: ${literal(baseUrl)},
  apiKey: process.env.BILLING_API_KEY,
  teamId: ${literal(teamId)},
  projectId: ${literal(projectId)},
});
console.log(await billing.${filled});`;
}

/** The client has methods of its own for a subscription that goes on, and for events that it waits for. */
function ownMethod(call, query, body) {
  if (body?.cancelAtPeriodEnd === false) return call.replace('cancelAtPeriodEnd', 'resume');
  return query.waitMs ? call.replace('.list', '.follow') : call;
}

/** Writes a value as JavaScript: as JSON, but with names without quotes where they need none. */
function literal(value) {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${literal(field)}`,
  );
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
}
