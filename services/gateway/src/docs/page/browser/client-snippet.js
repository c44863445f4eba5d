/**
 * Returns a call of an operation with the client for backends, as a module; or why there is none.
 * In `call`, names of parameters, `query`, its `ids`, `body`, what a cancellation has `said`, and `external` are replaced by values.
 * @param {{ call?: string, baseUrl: string, params?: object, query?: object, body?: object }} request
 */
export function clientSnippet({ call, baseUrl, params, query, body }) {
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
